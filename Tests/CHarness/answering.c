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

int listen_on_loopback(char url[URL_BYTES_MAX]) {
    struct sockaddr_in address;
    socklen_t size = sizeof(address);
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0
        || listen(listener, 8) != 0
        || getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        fail("harness: cannot listen");
    }
    snprintf(url, URL_BYTES_MAX, "http://127.0.0.1:%d", ntohs(address.sin_port));
    return listener;
}

char *receive_request(int connection, size_t *out_body) {
    static const char name[] = "Content-Length:";
    char *bytes = malloc(REQUEST_BYTES_MAX + 1);
    size_t length = 0;
    if (bytes == NULL) {
        fail("harness: no memory");
    }
    while (length < REQUEST_BYTES_MAX) {
        ssize_t count = recv(connection, bytes + length, REQUEST_BYTES_MAX - length, 0);
        if (count <= 0) {
            break;
        }
        length += (size_t)count;
        bytes[length] = '\0';
        const char *head = strstr(bytes, "\r\n\r\n");
        if (head == NULL) {
            continue;
        }
        const char *field = strstr(bytes, name);
        size_t end = (size_t)(head - bytes) + 4;
        size_t expected =
            field == NULL || field > head ? 0 : strtoul(field + strlen(name), NULL, 10);
        if (length >= end + expected) {
            *out_body = end;
            return bytes;
        }
    }
    free(bytes);
    return NULL;
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
        size_t body = 0;
        char *request = receive_request(connection, &body);
        if (request != NULL) {
            pthread_mutex_lock(&server->lock);
            free(server->body);
            free(server->head);
            server->body = strdup(request + body);
            request[body] = '\0';
            server->head = request;
            server->request_count++;
            pthread_cond_broadcast(&server->changed);
            while (server->is_shut) {
                pthread_cond_wait(&server->changed, &server->lock);
            }
            send_all(connection, server->answer, server->answer_length);
            pthread_mutex_unlock(&server->lock);
        }
        close(connection);
    }
}

void answering_begin(struct answering_server *server) {
    memset(server, 0, sizeof(*server));
    server->listener = listen_on_loopback(server->url);
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->changed, NULL);
    answering_set(server, 200, "");
    if (pthread_create(&server->thread, NULL, serve, server) != 0) {
        fail("harness: cannot start a thread");
    }
}

static void take_answer(struct answering_server *server, char *answer, size_t length) {
    pthread_mutex_lock(&server->lock);
    free(server->answer);
    server->answer = answer;
    server->answer_length = length;
    pthread_mutex_unlock(&server->lock);
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
    take_answer(server, answer, (size_t)head + length);
}

void answering_set_bytes(struct answering_server *server, const char *bytes, size_t length) {
    char *answer = malloc(length);
    if (answer == NULL) {
        fail("harness: no memory");
    }
    memcpy(answer, bytes, length);
    take_answer(server, answer, length);
}

char *answering_take_body(struct answering_server *server) {
    pthread_mutex_lock(&server->lock);
    char *body = server->body;
    server->body = NULL;
    pthread_mutex_unlock(&server->lock);
    return body;
}

char *answering_take_head(struct answering_server *server) {
    pthread_mutex_lock(&server->lock);
    char *head = server->head;
    server->head = NULL;
    pthread_mutex_unlock(&server->lock);
    return head;
}

int answering_count(struct answering_server *server) {
    pthread_mutex_lock(&server->lock);
    int count = server->request_count;
    pthread_mutex_unlock(&server->lock);
    return count;
}

void answering_wait_count(struct answering_server *server, int count) {
    pthread_mutex_lock(&server->lock);
    while (server->request_count < count) {
        pthread_cond_wait(&server->changed, &server->lock);
    }
    pthread_mutex_unlock(&server->lock);
}

static void set_shut(struct answering_server *server, int is_shut) {
    pthread_mutex_lock(&server->lock);
    server->is_shut = is_shut;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

void answering_shut(struct answering_server *server) { set_shut(server, 1); }

void answering_open(struct answering_server *server) { set_shut(server, 0); }

void answering_stop(struct answering_server *server) {
    if (server->listener < 0) {
        return;
    }
    answering_open(server);
    shutdown(server->listener, SHUT_RDWR); /* wakes accept() */
    close(server->listener);
    pthread_join(server->thread, NULL);
    server->listener = -1;
}

void answering_end(struct answering_server *server) {
    answering_stop(server);
    pthread_mutex_destroy(&server->lock);
    pthread_cond_destroy(&server->changed);
    free(server->answer);
    free(server->body);
    free(server->head);
}
