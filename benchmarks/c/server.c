#include "server.h"

#include "measure.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int put(int connection, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = send(connection, bytes, length, MSG_NOSIGNAL);

        if (count <= 0) return 0;
        bytes += count;
        length -= (size_t)count;
    }
    return 1;
}

int serve_connections(void (*serve)(int connection)) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) fail("no port");
    if (listen(listener, 8) != 0) fail("nobody can connect");
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("{\"port\": %d}\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int connection = accept(listener, NULL, NULL);

        if (connection < 0) return 1;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        serve(connection);
        close(connection);
    }
}
