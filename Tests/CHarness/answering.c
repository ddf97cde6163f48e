#include "answering.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_BYTES_MAX = 65536, HEAD_BYTES_MAX = 256 };

static void fail(const char *what) {
    perror(what);
    exit(2);
}

/** Reads the head of one request: the tests send no bodies. */
static int receive_head(int connection) {
    static char bytes[REQUEST_BYTES_MAX + 1];
    size_t length = 0;
    while (length < REQUEST_BYTES_MAX) {
        ssize_t count = recv(connection, bytes + length, REQUEST_BYTES_MAX - length, 0);
        if (count <= 0) {
            return 0;
        }
        length += (size_t)count;
        bytes[length] = '\0';
        if (strstr(bytes, "\r\n\r\n") != NULL) {
            return 1;
        }
    }
    return 0;
}

static void send_all(int connection, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = send(connection, bytes, length, MSG_NOSIGNAL);
        if (count <= 0) {
            return;
        }
        bytes += count;
        length -= (size_t)count;
    }
}

static void *serve(void *context) {
    struct answering_server *server = context;
    for (;;) {
        int connection = accept(server->listener, NULL, NULL);
        if (connection < 0) {
            return NULL;
        }
        if (receive_head(connection)) {
            pthread_mutex_lock(&server->lock);
            send_all(connection, server->answer, server->answer_length);
            pthread_mutex_unlock(&server->lock);
        }
        close(connection);
    }
}

void answering_begin(struct answering_server *server) {
    struct sockaddr_in address;
    socklen_t size = sizeof(address);
    memset(server, 0, sizeof(*server));
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (server->listener < 0 || bind(server->listener, (struct sockaddr *)&address, size) != 0
        || listen(server->listener, 8) != 0
        || getsockname(server->listener, (struct sockaddr *)&address, &size) != 0) {
        fail("harness: cannot listen");
    }
    snprintf(server->url, sizeof(server->url), "http://127.0.0.1:%d", ntohs(address.sin_port));
    pthread_mutex_init(&server->lock, NULL);
    answering_set(server, 200, "");
    if (pthread_create(&server->thread, NULL, serve, server) != 0) {
        fail("harness: cannot start a thread");
    }
}

void answering_set(struct answering_server *server, int status, const char *body) {
    size_t length = strlen(body);
    char *answer = malloc(HEAD_BYTES_MAX + length);
    if (answer == NULL) {
        fail("harness: no memory");
    }
    int head = snprintf(
        answer, HEAD_BYTES_MAX,
        "HTTP/1.1 %d Any\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
        "Connection: close\r\n\r\n",
        status, length);
    memcpy(answer + head, body, length);
    pthread_mutex_lock(&server->lock);
    free(server->answer);
    server->answer = answer;
    server->answer_length = (size_t)head + length;
    pthread_mutex_unlock(&server->lock);
}

void answering_end(struct answering_server *server) {
    shutdown(server->listener, SHUT_RDWR); /* wakes accept() */
    close(server->listener);
    pthread_join(server->thread, NULL);
    pthread_mutex_destroy(&server->lock);
    free(server->answer);
}
