/* As much JSON as options need: the members of an object, as they stand in its text. */
#ifndef RESTWAY_CHECK_JSON_H
#define RESTWAY_CHECK_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct json_member {
    /* Without quotes; escapes as they stand. */
    const char *key;
    size_t key_length;
    const char *value;
    size_t value_length;
} json_member;

/* The members of the object that `text` holds, `room` at most; -1 when it is no JSON object. */
int json_members(const char *text, json_member *members, int room);

/* Writes `text` as a JSON string. What is no UTF-8 becomes question marks. */
void json_write_string(FILE *file, const char *text);

/* How many bytes the character at `text` has; 0 when it is no UTF-8. */
size_t utf8_length(const unsigned char *text, size_t length);

/* Whether all of it is UTF-8. */
bool is_utf8(const void *text, size_t length);

#endif
