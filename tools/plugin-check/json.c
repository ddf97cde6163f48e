#include "json.h"

#include <string.h>

#define DEPTH_MAX 64

static const char *behind_space(const char *at) {
    return at + strspn(at, " \t\r\n");
}

/* Each function returns the text after what it has read; NULL if that is not JSON. */
static const char *behind_value(const char *at, int depth);

static const char *behind_string(const char *at) {
    if (*at++ != '"') {
        return NULL;
    }
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < ' ' || (*at == '\\' && (unsigned char)*++at < ' ')) {
            return NULL;
        }
    }
    return at + 1;
}

static const char *behind_member(const char *at, int depth, json_member *member) {
    member->key = at + 1;
    at = behind_string(at);
    if (at == NULL) {
        return NULL;
    }
    member->key_length = (size_t)(at - 1 - member->key);
    at = behind_space(at);
    if (*at != ':') {
        return NULL;
    }
    member->value = behind_space(at + 1);
    at = behind_value(member->value, depth);
    if (at != NULL) {
        member->value_length = (size_t)(at - member->value);
    }
    return at;
}

/* Reads an object or an array. */
static const char *behind_container(
    const char *at, int depth, json_member *members, int room, int *count) {
    const bool is_object = *at == '{';
    const char end = is_object ? '}' : ']';
    json_member member = {0};
    at = behind_space(at + 1);
    if (*at == end) {
        return at + 1;
    }
    for (;;) {
        at = is_object ? behind_member(at, depth, &member) : behind_value(at, depth);
        if (at == NULL) {
            return NULL;
        }
        if (members != NULL && *count < room) {
            members[(*count)++] = member;
        }
        at = behind_space(at);
        if (*at == end) {
            return at + 1;
        }
        if (*at != ',') {
            return NULL;
        }
        at = behind_space(at + 1);
    }
}

static const char *behind_value(const char *at, int depth) {
    static const char *const words[] = {"true", "false", "null"};
    if (depth > DEPTH_MAX) {
        return NULL;
    }
    if (*at == '"') {
        return behind_string(at);
    }
    if (*at == '{' || *at == '[') {
        return behind_container(at, depth + 1, NULL, 0, NULL);
    }
    for (size_t index = 0; index < sizeof words / sizeof *words; index++) {
        if (strncmp(at, words[index], strlen(words[index])) == 0) {
            return at + strlen(words[index]);
        }
    }
    const size_t number = strspn(at, "+-.0123456789eE");
    return number > 0 ? at + number : NULL;
}

int json_members(const char *text, json_member *members, int room) {
    int count = 0;
    text = behind_space(text);
    if (*text != '{') {
        return -1;
    }
    text = behind_container(text, 0, members, room, &count);
    return text != NULL && *behind_space(text) == '\0' ? count : -1;
}

size_t utf8_length(const unsigned char *text, size_t length) {
    static const struct {
        unsigned char mask, lead;
        unsigned least;
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    for (size_t form = 0; form < 4 && form < length; form++) {
        if ((text[0] & forms[form].mask) != forms[form].lead) {
            continue;
        }
        unsigned letter = text[0] & (unsigned char)~forms[form].mask;
        for (size_t index = 1; index <= form; index++) {
            if ((text[index] & 0xC0) != 0x80) {
                return 0;
            }
            letter = letter << 6 | (text[index] & 0x3F);
        }
        const bool is_surrogate = letter >= 0xD800 && letter <= 0xDFFF;
        return letter < forms[form].least || is_surrogate || letter > 0x10FFFF ? 0 : form + 1;
    }
    return 0;
}

bool is_utf8(const void *text, size_t length) {
    const unsigned char *at = text;
    while (length > 0) {
        const size_t step = utf8_length(at, length);
        if (step == 0) {
            return false;
        }
        at += step;
        length -= step;
    }
    return true;
}

void json_write_string(FILE *file, const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    size_t left = strlen(text);
    fputc('"', file);
    while (left > 0) {
        const size_t step = utf8_length(at, left);
        if (step == 0) {
            fputc('?', file);
        } else if (*at == '"' || *at == '\\') {
            fprintf(file, "\\%c", *at);
        } else if (*at < ' ' || *at == 0x7F) {
            fprintf(file, "\\u%04x", *at);
        } else {
            fwrite(at, 1, step, file);
        }
        at += step > 0 ? step : 1;
        left -= step > 0 ? step : 1;
    }
    fputc('"', file);
}
