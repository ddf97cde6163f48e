/* A server that is faster than its clients: it drops the bodies that it receives, and sends the
 * same bytes again and again. It serves one connection after the other until it is killed, and
 * prints its port first.
 *
 *     transfer_server BYTES
 *
 * A request without a body is answered with BYTES bytes, a request with a body with 200. */
#include "measure.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#define BUFFER_BYTES (256 << 10)
#define LINE_MAX_BYTES 4096

/* The bytes that were received and not read yet. */
static char buffer[BUFFER_BYTES];
static size_t taken, held;

static char pattern[BUFFER_BYTES];

/* Receives more bytes if no bytes are left; false at the end of the connection. */
static int refill(int connection) {
    ssize_t count;

    if (taken < held) return 1;
    count = recv(connection, buffer, sizeof buffer, 0);
    taken = 0;
    held = count > 0 ? (size_t)count : 0;
    return count > 0;
}

/* Drops `length` bytes of a body. */
static int drop(int connection, size_t length) {
    while (length > 0) {
        size_t count;

        if (!refill(connection)) return 0;
        count = held - taken < length ? held - taken : length;
        taken += count;
        length -= count;
    }
    return 1;
}

/* Reads a line without its end. */
static int read_line(int connection, char line[LINE_MAX_BYTES]) {
    size_t length = 0;

    while (refill(connection)) {
        char byte = buffer[taken++];

        if (byte == '\n') {
            if (length > 0 && line[length - 1] == '\r') length--;
            line[length] = '\0';
            return 1;
        }
        if (length + 1 == LINE_MAX_BYTES) return 0;
        line[length++] = byte;
    }
    return 0;
}

static int put_text(int connection, const char *text) {
    return put(connection, text, strlen(text));
}

static int drop_chunks(int connection) {
    char line[LINE_MAX_BYTES];

    for (;;) {
        size_t length;

        if (!read_line(connection, line)) return 0;
        length = strtoul(line, NULL, 16);
        if (length > 0 && !drop(connection, length)) return 0;
        if (!read_line(connection, line)) return 0;
        if (length == 0) return 1;
    }
}

/* The length of the body that requests without a body get. */
static size_t download;

static int send_download(int connection) {
    char head[128];
    size_t length = download;

    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", length);
    if (!put_text(connection, head)) return 0;
    while (length > 0) {
        size_t count = length < sizeof pattern ? length : sizeof pattern;

        if (!put(connection, pattern, count)) return 0;
        length -= count;
    }
    return 1;
}

/* Answers one request; false at the end of the connection. */
static int answer(int connection) {
    static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    char line[LINE_MAX_BYTES];
    size_t length = 0;
    int is_chunked = 0, is_announced = 0;

    if (!read_line(connection, line)) return 0;
    for (;;) {
        if (!read_line(connection, line)) return 0;
        if (line[0] == '\0') break;
        if (strncasecmp(line, "Content-Length:", 15) == 0) length = strtoul(line + 15, NULL, 10);
        if (strncasecmp(line, "Transfer-Encoding: chunked", 26) == 0) is_chunked = 1;
        if (strncasecmp(line, "Expect: 100-continue", 20) == 0) is_announced = 1;
    }
    if (!is_chunked && length == 0) return send_download(connection);
    if (is_announced && !put_text(connection, "HTTP/1.1 100 Continue\r\n\r\n")) return 0;
    if (is_chunked ? !drop_chunks(connection) : !drop(connection, length)) return 0;
    return put_text(connection, ok);
}

static void serve(int connection) {
    taken = held = 0;
    while (answer(connection)) continue;
}

int main(int argc, char **argv) {
    download = strtoul(text_argument(argc, argv, 1, "BYTES"), NULL, 10);
    memset(pattern, 'x', sizeof pattern);
    return serve_connections(serve);
}
