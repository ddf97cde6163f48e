/* The part of JSON that options need: the members of an object, as they are written. */
#ifndef RESTWAY_CHECK_JSON_H
#define RESTWAY_CHECK_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct json_member {
    /* The text without quotes; escapes are kept. */
    const char *key;
    size_t key_length;
    const char *value;
    size_t value_length;
} json_member;

/* Reads the members of the object in `text`, at most `room`; returns -1 if it is not a JSON
 * object. */
int json_members(const char *text, json_member *members, int room);

/* Writes `text` as a JSON string. Bytes that are not UTF-8 become question marks. */
void json_write_string(FILE *file, const char *text);

/* Returns how many bytes the character at `text` has; 0 if it is not UTF-8. */
size_t utf8_length(const unsigned char *text, size_t length);

/* Returns whether all of the text is UTF-8. */
bool is_utf8(const void *text, size_t length);

#endif
