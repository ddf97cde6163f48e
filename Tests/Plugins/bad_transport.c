/* Each transport here violates the contract in one way. */
#include <string.h>

#include "transport.h"

static const restway_plugin_header odd_headers[] = {{"not a name", "x"}};
static const restway_plugin_header odd_values[] = {{"X-Odd", "a\r\nSet-Cookie: b"}};

static void head_with(struct job *job, const restway_plugin_header *headers, size_t count) {
    const restway_plugin_host *host = job->transport->host;
    restway_plugin_head head = {sizeof head, 200, 11, headers, count};
    host->exchange_head(host, job->id, &head);
}

static int does(struct job *job, const char *what) {
    return strcmp(job->transport->does, what) == 0;
}

/* Calls in the wrong order, then ends as if nothing had happened. */
static void disorder(struct job *job) {
    const restway_plugin_host *host = job->transport->host;
    const restway_plugin_header trailer = {"X-Trailer", "x"};
    if (does(job, "body before head")) {
        give_body(job, "{}", 2);
    } else if (does(job, "head twice")) {
        give_head(job, 200);
        give_head(job, 200);
    } else if (does(job, "trailers before head")) {
        host->exchange_trailers(host, job->id, &trailer, 1);
    } else if (does(job, "trailers twice")) {
        give_head(job, 200);
        host->exchange_trailers(host, job->id, &trailer, 1);
        host->exchange_trailers(host, job->id, &trailer, 1);
    } else if (does(job, "body after trailers")) {
        give_head(job, 200);
        host->exchange_trailers(host, job->id, &trailer, 1);
        give_body(job, "{}", 2);
    } else if (does(job, "interim head")) {
        give_head(job, 103);
    } else if (does(job, "no head at all")) {
        host->exchange_head(host, job->id, NULL);
    } else if (does(job, "odd header")) {
        head_with(job, odd_headers, 1);
    } else if (does(job, "odd value")) {
        head_with(job, odd_values, 1);
    } else if (does(job, "null headers")) {
        head_with(job, NULL, 3);
    }
    end_job(job, RESTWAY_PLUGIN_OK, NULL);
}

void misbehave(struct job *job) {
    const restway_plugin_host *host = job->transport->host;
    job->transport->last = job->id;
    if (does(job, "fails")) {
        end_job(job, RESTWAY_PLUGIN_FAILED, "the wire is cut");
    } else if (does(job, "refuses")) {
        end_job(job, RESTWAY_PLUGIN_EXCHANGE_CONNECT, "nobody is there");
    } else if (does(job, "unknown result")) {
        end_job(job, 4711, NULL);
    } else if (does(job, "no end")) {
        give_head(job, 200);
        host->exchange_completed(host, job->id, NULL);
    } else if (does(job, "twice")) {
        give_head(job, 200);
        give_body(job, job->body, job->length);
        end_job(job, RESTWAY_PLUGIN_OK, NULL);
        end_job(job, RESTWAY_PLUGIN_FAILED, "again");
    } else if (does(job, "late")) {
        give_head(job, 200);
        give_body(job, job->body, job->length);
        end_job(job, RESTWAY_PLUGIN_OK, NULL);
        give_head(job, 200);
        give_body(job, "late", 4);
        host->exchange_progress(host, job->id, 1, 2, 3, 4);
    } else if (does(job, "never") || does(job, "calls after close")) {
        give_head(job, 200);
    } else {
        disorder(job);
    }
}
