/* A program whose functions have the names of functions of Jansson, like some functions of json-c
 * and json-glib: the library does not call them. Prints how many companies were mapped.
 *
 * Arguments: the API document, the base URL.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mapping.h"

#define STRANGER(name) \
    void name(void); \
    void name(void) { \
        fprintf(stderr, "the host's " #name " was called\n"); \
        abort(); \
    }

STRANGER(json_loadb)
STRANGER(json_load_callback)
STRANGER(json_object)
STRANGER(json_object_get)
STRANGER(json_object_iter)
STRANGER(json_object_size)
STRANGER(json_array_get)
STRANGER(json_array_size)
STRANGER(json_string_value)
STRANGER(json_integer_value)
STRANGER(json_delete)
STRANGER(json_dumps)
STRANGER(json_set_alloc_funcs)
STRANGER(jsonp_malloc)
STRANGER(hashtable_get)
STRANGER(strbuffer_init)

int main(int argument_count, char **arguments) {
    if (argument_count != 3) {
        return 2;
    }
    long count = map_enterprises(arguments[1], arguments[2], NULL);
    printf("%ld\n", count);
    return count < 0;
}
