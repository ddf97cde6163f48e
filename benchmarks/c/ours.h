/* What the programs share that use Restway. */
#ifndef RESTWAY_BENCHMARKS_OURS_H
#define RESTWAY_BENCHMARKS_OURS_H

#include <restway/restway.h>

/* Ends the program with the message of `error` unless `status` is RESTWAY_OK. It takes the place
   of the error, as that is only filled while the arguments are made. */
void expect(restway_status status, restway_error *const *error);

/* A client of the benchmarks' API document, for the server at `base`. */
restway_client *ours_client(const char *document, const char *base);

/* The same with a store in the file `store_path`; NULL keeps what the document says. */
restway_client *ours_client_with_file(
    const char *document, const char *base, const char *store_path);

/* Loads the plugin `name`: clients that are made later have its mappers. */
void ours_plugin(const char *name);

/* A GET of `path`. */
restway_request *ours_request(const char *path);

/* A GET of the company of `slot`, see company_url(). */
restway_request *ours_company_request(size_t slot);

/* Ends the program unless a company came back. */
void ours_check(const restway_response *response);

#endif
