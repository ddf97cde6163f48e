#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "answers.h"
#include "outcome.h"

#define BODY_MAX ((size_t)8 << 20)

static pid_t process;
static char url[64];
static atomic_size_t *requests;

/* One connection, and the bytes that were read from it. */
typedef struct connection {
    int socket;
    size_t start, end;
    char buffer[65536];
} connection;

static bool send_all(connection *self, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t sent = send(self->socket, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool send_text(connection *self, const char *text) {
    return send_all(self, text, strlen(text));
}

/* Returns one byte; -1 at the end. */
static int next_byte(connection *self) {
    if (self->start == self->end) {
        const ssize_t got = recv(self->socket, self->buffer, sizeof self->buffer, 0);
        if (got <= 0) {
            return -1;
        }
        self->start = 0;
        self->end = (size_t)got;
    }
    return (unsigned char)self->buffer[self->start++];
}

/* Reads a line without its end; returns false at the end of the connection. */
static bool next_line(connection *self, char *line, size_t room) {
    size_t length = 0;
    for (int byte = next_byte(self); byte != '\n'; byte = next_byte(self)) {
        if (byte < 0) {
            return false;
        }
        if (byte != '\r' && length + 1 < room) {
            line[length++] = (char)byte;
        }
    }
    line[length] = '\0';
    return true;
}

typedef struct asked {
    char method[16];
    char path[1024];
    char seen[128];
    bool is_chunked, expects_continue, closes;
    size_t body_bytes;
    char *body;
} asked;

static bool read_bytes(connection *self, asked *asked, size_t count) {
    if (asked->body_bytes + count > BODY_MAX) {
        return false;
    }
    for (; count > 0; count--) {
        const int byte = next_byte(self);
        if (byte < 0) {
            return false;
        }
        asked->body[asked->body_bytes++] = (char)byte;
    }
    return true;
}

static bool read_chunks(connection *self, asked *asked) {
    char line[256];
    for (;;) {
        if (!next_line(self, line, sizeof line)) {
            return false;
        }
        const size_t size = strtoul(line, NULL, 16);
        if (size == 0) {
            break;
        }
        if (!read_bytes(self, asked, size) || !next_line(self, line, sizeof line)) {
            return false;
        }
    }
    do {
        if (!next_line(self, line, sizeof line)) {
            return false;
        }
    } while (line[0] != '\0');
    return true;
}

static bool read_request(connection *self, asked *asked) {
    char line[4096];
    size_t length = 0;
    if (!next_line(self, line, sizeof line)
        || sscanf(line, "%15s %1023s", asked->method, asked->path) != 2) {
        return false;
    }
    while (next_line(self, line, sizeof line) && line[0] != '\0') {
        const char *value = strchr(line, ':');
        value = value != NULL ? value + 1 + strspn(value + 1, " \t") : "";
        if (strncasecmp(line, "content-length:", 15) == 0) {
            length = strtoul(value, NULL, 10);
        } else if (strncasecmp(line, "transfer-encoding:", 18) == 0) {
            asked->is_chunked = strcasestr(value, "chunked") != NULL;
        } else if (strncasecmp(line, "expect:", 7) == 0) {
            asked->expects_continue = true;
        } else if (strncasecmp(line, "connection:", 11) == 0) {
            asked->closes = strcasestr(value, "close") != NULL;
        } else if (strncasecmp(line, "x-check:", 8) == 0) {
            snprintf(asked->seen, sizeof asked->seen, "%s", value);
        }
    }
    if (asked->expects_continue && !send_text(self, "HTTP/1.1 100 Continue\r\n\r\n")) {
        return false;
    }
    return asked->is_chunked ? read_chunks(self, asked) : read_bytes(self, asked, length);
}

static bool send_body(
    connection *self, const char *body, size_t length, size_t piece, bool is_chunked) {
    char size[32];
    piece = piece > 0 ? piece : length;
    for (size_t at = 0; at < length; at += piece) {
        const size_t part = piece < length - at ? piece : length - at;
        snprintf(size, sizeof size, "%zx\r\n", part);
        if ((is_chunked && !send_text(self, size)) || !send_all(self, body + at, part)
            || (is_chunked && !send_text(self, "\r\n"))) {
            return false;
        }
    }
    return true;
}

/* Reads until the other side closes. */
static void wait_for_end(connection *self) {
    while (next_byte(self) >= 0) {
    }
}

/* Returns false if the connection must be closed. */
static bool answer_one(connection *self, const asked *asked) {
    const answer *answer = answer_for(asked->path);
    const bool is_echo = answer->kind == ANSWER_ECHO;
    const char *body = is_echo ? asked->body : answer->body;
    const size_t length = is_echo ? asked->body_bytes : answer->length;
    const bool is_whole = is_echo || answer->kind == ANSWER_WHOLE;
    char head[1024], framing[64] = "";
    if (answer->kind == ANSWER_NOTHING) {
        return false;
    }
    if (answer->kind == ANSWER_SILENT) {
        wait_for_end(self);
        return false;
    }
    if (answer->interim != NULL && !send_text(self, answer->interim)) {
        return false;
    }
    if (answer->trailers != NULL) {
        snprintf(framing, sizeof framing, "Transfer-Encoding: chunked\r\n");
    } else if (answer->status != 204) {
        snprintf(framing, sizeof framing, "Content-Length: %zu\r\n", length);
    }
    snprintf(
        head, sizeof head, "HTTP/1.1 %d Answer\r\n%s%sX-Method: %s\r\nX-Seen: %s\r\n\r\n",
        answer->status, answer->headers, framing, asked->method, asked->seen);
    if (!send_text(self, head)) {
        return false;
    }
    const size_t part = is_whole ? length : length / 2;
    if (strcmp(asked->method, "HEAD") != 0
        && !send_body(self, body, part, answer->piece, answer->trailers != NULL)) {
        return false;
    }
    if (answer->trailers != NULL
        && (!send_text(self, "0\r\n") || !send_text(self, answer->trailers)
            || !send_text(self, "\r\n"))) {
        return false;
    }
    if (answer->kind == ANSWER_HALF) {
        wait_for_end(self);
    }
    return is_whole && !asked->closes;
}

static void *serve(void *context) {
    connection *self = context;
    char *body = malloc(BODY_MAX);
    bool goes_on = body != NULL;
    while (goes_on) {
        asked asked = {.body = body};
        goes_on = read_request(self, &asked);
        if (goes_on) {
            atomic_fetch_add(requests, 1);
            goes_on = answer_one(self, &asked);
        }
    }
    free(body);
    close(self->socket);
    free(self);
    return NULL;
}

static _Noreturn void serve_all(int listener) {
    const int yes = 1;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 131072);
    for (;;) {
        const int accepted = accept(listener, NULL, NULL);
        connection *connection = calloc(1, sizeof *connection);
        pthread_t thread;
        if (accepted < 0 || connection == NULL) {
            const struct timespec moment = {0, 10000000};
            free(connection);
            nanosleep(&moment, NULL);
            continue;
        }
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        connection->socket = accepted;
        if (pthread_create(&thread, &attributes, serve, connection) != 0) {
            close(accepted);
            free(connection);
        }
    }
}

void server_start(void) {
    struct sockaddr_in address
        = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, bytes) != 0
        || listen(listener, 128) != 0
        || getsockname(listener, (struct sockaddr *)&address, &bytes) != 0) {
        perror("restway-plugin-check: server");
        exit(2);
    }
    requests = shared_memory(sizeof *requests);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    fflush(NULL);
    process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve_all(listener);
    }
    close(listener);
    if (process < 0) {
        perror("restway-plugin-check: server");
        exit(2);
    }
}

void server_stop(void) {
    if (process > 0) {
        kill(process, SIGKILL);
        waitpid(process, NULL, 0);
        process = 0;
    }
}

const char *server_url(void) {
    return url;
}

size_t server_requests(void) {
    return requests != NULL ? atomic_load(requests) : 0;
}
