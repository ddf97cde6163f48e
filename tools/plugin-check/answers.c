#include "answers.h"

#include <string.h>

#define BIG_BYTES ((size_t)256 << 10)
#define TEXT(literal) .body = literal, .length = sizeof(literal) - 1
#define LINES "one line\nand another one\nand a third\n"

static char big[BIG_BYTES];

static answer answers[] = {
    {"/plain", ANSWER_WHOLE, 200, "Content-Type: text/plain\r\nX-Answer: plain\r\n", NULL,
     TEXT("hello from the checker\n"), 0, NULL},
    {"/empty", ANSWER_WHOLE, 204, "X-Answer: empty\r\n", NULL, NULL, 0, 0, NULL},
    {"/none", ANSWER_WHOLE, 200, "X-Answer: none\r\n", NULL, NULL, 0, 0, NULL},
    {"/chunked", ANSWER_WHOLE, 200, "X-Answer: chunked\r\nTrailer: X-Sum\r\n", "X-Sum: 42\r\n",
     TEXT(LINES LINES LINES LINES), 7, NULL},
    {"/pieces", ANSWER_WHOLE, 200, "X-Answer: pieces\r\n", NULL, TEXT(LINES), 1, NULL},
    {"/big", ANSWER_WHOLE, 200, "X-Answer: big\r\n", NULL, big, sizeof big, 0, NULL},
    {"/missing", ANSWER_WHOLE, 404, "X-Answer: missing\r\n", NULL, TEXT("not here\n"), 0, NULL},
    {"/interim", ANSWER_WHOLE, 200, "X-Answer: interim\r\n", NULL, TEXT("final\n"), 0,
     "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"},
    {"/redirect", ANSWER_WHOLE, 302, "X-Answer: redirect\r\nLocation: /plain\r\n", NULL,
     TEXT("elsewhere\n"), 0, NULL},
    {"/echo", ANSWER_ECHO, 200, "X-Answer: echo\r\n", NULL, NULL, 0, 0, NULL},
    {"/half", ANSWER_HALF, 200, "X-Answer: half\r\n", NULL, big, 65536, 0, NULL},
    {"/silent", ANSWER_SILENT, 0, "", NULL, NULL, 0, 0, NULL},
    {"/broken", ANSWER_BROKEN, 200, "X-Answer: broken\r\n", NULL, big, 65536, 0, NULL},
    {"/nothing", ANSWER_NOTHING, 0, "", NULL, NULL, 0, 0, NULL},
};

void answers_make(void) {
    for (size_t index = 0; index < sizeof big; index++) {
        big[index] = (char)('a' + index % 25);
    }
}

const answer *answer_for(const char *path) {
    const char *scheme = strstr(path, "://");
    if (scheme != NULL) {
        path = strchr(scheme + 3, '/');
    }
    const size_t length = path != NULL ? strcspn(path, "?# ") : 0;
    for (size_t index = 0; index < sizeof answers / sizeof *answers; index++) {
        if (strlen(answers[index].path) == length
            && strncmp(answers[index].path, path, length) == 0) {
            return &answers[index];
        }
    }
    return answer_for("/missing");
}

const char *const *whole_answers(size_t *count) {
    static const char *const paths[] = {
        "/plain",   "/empty",   "/none",    "/chunked", "/pieces",
        "/big",     "/missing", "/interim", "/redirect",
    };
    *count = sizeof paths / sizeof *paths;
    return paths;
}
