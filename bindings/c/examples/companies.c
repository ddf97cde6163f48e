/* The companies of the demo API as a table, then one of them by its number.
 *
 *     cc companies.c -o companies $(pkg-config --cflags --libs restway)
 *     examples/with-demo-api ./companies
 *
 * The base URL comes from RESTWAY_DEMO_URL or from the first argument; the API document from
 * RESTWAY_DEMO_DOCUMENT, else from this repository.
 */
#include <stdio.h>
#include <stdlib.h>

#include <restway/restway.h>

static const char *setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value != NULL ? value : otherwise;
}

/** Prints the reason of a failure, and releases the error. */
static int give_up(restway_error *error) {
    fprintf(
        stderr, "%s: %s\n", restway_status_name(restway_error_status(error)),
        restway_error_message(error));
    for (size_t index = 0; index < restway_error_detail_count(error); index++) {
        fprintf(
            stderr, "  %s: %s\n", restway_error_detail_path(error, index),
            restway_error_detail_message(error, index));
    }
    restway_error_release(error);
    return 1;
}

/** Prints an attribute's text ("-" without a text) in a column of @p width letters. */
static void print_text(const restway_object *object, const char *attribute, int width) {
    for (const char *text = restway_object_string_or(object, attribute, "-"); *text; text++) {
        putchar(*text);
        /* Only the first byte of a letter counts; UTF-8 marks the others as 10xxxxxx. */
        width -= (*text & 0xC0) != 0x80 ? 1 : 0;
    }
    printf("%*s", width > 0 ? width : 0, "");
}

static void print_company(const restway_object *company) {
    printf("%6lld  ", (long long)restway_object_int64(company, "itemID", 0));
    print_text(company, "name", 33);
    print_text(company, "city", 21);
    printf("%9lld\n", (long long)restway_object_int64(company, "employeeCount", 0));
}

/** GETs @p path and prints every object that came. */
static int print_companies(restway_client *client, const char *path) {
    restway_response *response = NULL;
    restway_error *error = NULL;
    if (restway_client_get(client, path, &response, &error) != RESTWAY_OK) {
        return give_up(error);
    }
    printf("\nGET %s\n%6s  %-32s %-20s %9s\n", path, "itemID", "name", "city", "employees");
    for (size_t index = 0; index < restway_response_object_count(response); index++) {
        print_company(restway_response_object(response, index));
    }
    restway_response_release(response);
    return 0;
}

/** GETs a company that does not exist: the error contains the API's own message. */
static int show_failure(restway_client *client) {
    restway_error *error = NULL;
    if (restway_client_get(client, "enterprises/99999", NULL, &error) != RESTWAY_E_HTTP) {
        return give_up(error);
    }
    const char *code = restway_error_api_code(error);
    const char *message = restway_error_api_message(error);
    printf(
        "\nGET enterprises/99999\nstatus %d, code %s: %s\n", (int)restway_error_http_status(error),
        code != NULL ? code : "-", message != NULL ? message : "-");
    restway_error_release(error);
    return 0;
}

int main(int argument_count, char **arguments) {
    const char *document = setting("RESTWAY_DEMO_DOCUMENT", "examples/demo-api/demo.restway.json");
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = NULL;
    restway_error *error = NULL;
    options.base_url = setting("RESTWAY_DEMO_URL", argument_count > 1 ? arguments[1] : NULL);
    if (restway_client_create_file(document, &options, &client, &error) != RESTWAY_OK) {
        return give_up(error);
    }
    int result = print_companies(client, "enterprises?page=1&per_page=10");
    if (result == 0) {
        result = print_companies(client, "enterprises/3");
    }
    if (result == 0) {
        result = show_failure(client);
    }
    restway_client_release(client);
    return result;
}
