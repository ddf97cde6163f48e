/* A program that also uses Jansson, with an allocator of its own: the library neither changes nor
 * calls that allocator, and values that the program made before and during the mapping do not
 * change.
 *
 * Arguments: the API document, the base URL.
 */
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "mapping.h"

static int made, left;

static void *host_malloc(size_t count) {
    made++;
    left++;
    return malloc(count);
}

static void host_free(void *block) {
    if (block != NULL) {
        left--;
    }
    free(block);
}

static int is_as_it_was(json_t *value) {
    return json_array_size(value) == 2
        && json_integer_value(json_object_get(json_array_get(value, 1), "a")) == 7;
}

static json_t *read_by_host(void) { return json_loads("[1, {\"a\": 7}]", 0, NULL); }

static int made_by_host;
static json_t *between;

static void look_and_read(void) {
    printf("allocated by the library: %d\n", made - made_by_host);
    between = read_by_host();
}

int main(int argument_count, char **arguments) {
    if (argument_count != 3) {
        return 2;
    }
    json_set_alloc_funcs(host_malloc, host_free);
    json_t *before = read_by_host();
    made_by_host = made;
    long count = map_enterprises(arguments[1], arguments[2], look_and_read);
    json_t *after = read_by_host();
    printf("read by the host: %d of 3\n",
        is_as_it_was(before) + is_as_it_was(between) + is_as_it_was(after));
    json_decref(before);
    json_decref(between);
    json_decref(after);
    printf("left: %d\n", left);
    return count <= 0;
}
