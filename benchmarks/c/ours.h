/* Common code of the programs that use Restway. */
#ifndef RESTWAY_BENCHMARKS_OURS_H
#define RESTWAY_BENCHMARKS_OURS_H

#include <restway/restway.h>

/* Ends the program with the message of `error` unless `status` is RESTWAY_OK. It is called with the
   address of the error, because the error is only set while the arguments are evaluated. */
void expect(restway_status status, restway_error *const *error);

/* Makes a client of the benchmarks' API document, for the server at `base`. */
restway_client *ours_client(const char *document, const char *base);

/* Does the same with a store in the file `store_path`; NULL keeps the document's store. */
restway_client *ours_client_with_file(
    const char *document, const char *base, const char *store_path);

/* Loads the plugin `name`: clients that are made later can use its mappers. */
void ours_plugin(const char *name);

/* Makes a GET request for `path`. */
restway_request *ours_request(const char *path);

/* Makes a GET request for the company of `slot`, see company_url(). */
restway_request *ours_company_request(size_t slot);

/* Performs a GET request for `path`, and returns the response. */
restway_response *ours_perform(restway_client *client, const char *path);

/* Ends the program unless a company was received. */
void ours_check(const restway_response *response);

#endif
