/* A server that answers each request of a batch with 200 and an empty object. It serves one
 * connection after the other until it is killed, and prints its port first.
 *
 *     batch_server */
#include "measure.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define REQUEST_MAX (1 << 20)

static char request[REQUEST_MAX + 1], answer[REQUEST_MAX];

/* Returns the length of the body that a head announces, or -1 while the head is incomplete. */
static long announced(const char *head, size_t *head_length) {
    const char *end = strstr(head, "\r\n\r\n");
    const char *field = strstr(head, "ontent-Length:");

    if (!end) field = strstr(head, "ontent-length:");
    if (!end) return -1;
    *head_length = (size_t)(end - head) + 4;
    return field && field < end ? atol(field + 14) : 0;
}

static size_t make_answer(const char *body) {
    static const char one[] = "{\"code\":200,\"body\":\"{}\","
                              "\"headers\":{\"Content-Type\":\"application/json\"}}";
    static char list[REQUEST_MAX / 2];
    size_t length = 0;
    int count = 0;

    list[length++] = '[';
    for (const char *at = body; (at = strstr(at, "\"uri\"")) != NULL; at++) {
        if (length + sizeof one + 2 > sizeof list) fail("too many requests in a batch");
        if (count++ > 0) list[length++] = ',';
        memcpy(list + length, one, sizeof one - 1);
        length += sizeof one - 1;
    }
    list[length++] = ']';
    list[length] = 0;
    return (size_t)snprintf(
        answer, sizeof answer,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        length, list);
}

static void serve(int connection) {
    size_t held = 0;

    for (;;) {
        size_t head = 0;
        long body = -1;
        ssize_t count = recv(connection, request + held, REQUEST_MAX - held, 0);

        if (count <= 0) return;
        held += (size_t)count;
        request[held] = 0;
        body = announced(request, &head);
        if (body < 0 || held < head + (size_t)body) continue;
        if (!put(connection, answer, make_answer(request + head))) return;
        held = 0;
    }
}

int main(void) {
    return serve_connections(serve);
}
