/* The plain program with which Restway's transport is compared: libcurl's multi interface with a
 * fixed number of exchanges in flight. Each body is parsed with Jansson, then the same handle
 * performs the next exchange.
 *
 *     floor_multi BASE-URL IN-FLIGHT REQUESTS [CA-FILE]
 *
 * With a CA file, the server speaks TLS. Its sessions are used again, and with HTTP/2 all exchanges
 * share one connection. */
#include "floor.h"
#include "measure.h"

#include <stdlib.h>

struct slot {
    CURL *easy;
    char *url;
    struct body body;
};

/* Lets the exchanges wait for a connection that they can share, and share their sessions. */
static void use_tls(CURL *easy, const char *ca_file, CURLSH *sessions) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
    curl_easy_setopt(easy, CURLOPT_SHARE, sessions);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
}

/* Performs `requests` exchanges, at most `in_flight` at a time. */
static void run(CURLM *multi, struct slot *slots, size_t in_flight, size_t requests) {
    size_t started = 0;
    size_t done = 0;

    while (started < in_flight && started < requests)
        curl_multi_add_handle(multi, slots[started++].easy);
    while (done < requests) {
        CURLMsg *message;
        int running = 0;
        int queued = 0;

        if (curl_multi_perform(multi, &running) != CURLM_OK) fail("curl_multi_perform failed");
        while ((message = curl_multi_info_read(multi, &queued)) != NULL) {
            CURL *easy = message->easy_handle;
            CURLcode code = message->data.result;
            struct slot *slot = NULL;

            curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&slot);
            floor_parse(easy, code, &slot->body);
            curl_multi_remove_handle(multi, easy);
            done++;
            if (started < requests) {
                curl_multi_add_handle(multi, easy);
                started++;
                running++;
            }
        }
        if (done < requests && curl_multi_poll(multi, NULL, 0, 1000, NULL) != CURLM_OK)
            fail("curl_multi_poll failed");
    }
}

int main(int argc, char **argv) {
    const char *base = text_argument(argc, argv, 1, "BASE-URL");
    size_t in_flight = count_argument(argc, argv, 2, "IN-FLIGHT");
    size_t requests = count_argument(argc, argv, 3, "REQUESTS");
    const char *ca_file = argc > 4 ? argv[4] : NULL;
    struct slot *slots = calloc(in_flight, sizeof *slots);
    struct curl_slist *headers;
    double begun;
    CURLM *multi;
    CURLSH *sessions;
    size_t i;

    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = curl_multi_init();
    sessions = curl_share_init();
    headers = floor_headers();
    if (slots == NULL || multi == NULL || sessions == NULL || headers == NULL) fail("no memory");
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_share_setopt(sessions, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    for (i = 0; i < in_flight; i++) {
        slots[i].url = company_url(base, i);
        slots[i].easy = floor_handle(slots[i].url, headers, &slots[i].body);
        curl_easy_setopt(slots[i].easy, CURLOPT_PRIVATE, &slots[i]);
        if (ca_file != NULL) use_tls(slots[i].easy, ca_file, sessions);
    }

    /* The other connections resume the session of the first one. */
    run(multi, slots, 1, 1);
    run(multi, slots, in_flight, WARM_UP);
    begun = wall_seconds();
    run(multi, slots, in_flight, requests);
    load_print(begun, requests);

    for (i = 0; i < in_flight; i++) {
        curl_easy_cleanup(slots[i].easy);
        free(slots[i].url);
        free(slots[i].body.bytes);
    }
    curl_multi_cleanup(multi);
    curl_share_cleanup(sessions);
    curl_slist_free_all(headers);
    curl_global_cleanup();
    free(slots);
    return 0;
}
