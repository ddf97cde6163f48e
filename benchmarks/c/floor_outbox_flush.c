/* Sends the rows of a plain table in batches, and deletes each batch when it has been answered.
 *
 *     floor_outbox_flush FILE BASE-URL ITEMS */
#include "floor_outbox.h"
#include "measure.h"
#include "outbox_item.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *bytes;
    size_t length, capacity;
};

static void append(struct text *text, const char *bytes, size_t length) {
    if (text->length + length + 1 > text->capacity) {
        text->capacity = (text->length + length + 1) * 2;
        text->bytes = realloc(text->bytes, text->capacity);
        if (!text->bytes) fail("no memory");
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

static void append_text(struct text *text, const char *bytes) {
    append(text, bytes, strlen(bytes));
}

/* Escapes the quotes; these bodies need no other escapes. */
static void append_escaped(struct text *text, const char *bytes, size_t length) {
    for (size_t index = 0; index < length; index++) {
        if (bytes[index] == '"') append(text, "\\", 1);
        append(text, bytes + index, 1);
    }
}

static size_t received(char *bytes, size_t size, size_t count, void *context) {
    append(context, bytes, size * count);
    return size * count;
}

static size_t answers(const struct text *answer) {
    size_t count = 0;

    for (const char *at = answer->bytes; (at = strstr(at, "\"code\":200")) != NULL; at++) count++;
    return count;
}

static void send_batch(
    CURL *easy, sqlite3_stmt *selection, sqlite3_stmt *deletion, struct text *body,
    struct text *answer) {
    sqlite3_int64 ids[BATCH];
    size_t count = 0;
    long status = 0;

    body->length = answer->length = 0;
    append_text(body, "{\"batch\":[");
    while (sqlite3_step(selection) == SQLITE_ROW) {
        if (count > 0) append_text(body, ",");
        ids[count++] = sqlite3_column_int64(selection, 0);
        append_text(body, "{\"method\":\"POST\",\"uri\":\"/events\",\"body\":\"");
        append_escaped(
            body, sqlite3_column_blob(selection, 2), (size_t)sqlite3_column_bytes(selection, 2));
        append_text(body, "\",\"headers\":{\"Content-Type\":\"application/json\","
                          "\"Idempotency-Key\":\"");
        append_text(body, (const char *)sqlite3_column_text(selection, 1));
        append_text(body, "\"}}");
    }
    sqlite3_reset(selection);
    append_text(body, "]}");
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body->bytes);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)body->length);
    if (curl_easy_perform(easy) != CURLE_OK) fail("the server cannot be reached");
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 || answers(answer) != count) fail("%ld: %s", status, answer->bytes);
    floor_outbox_run("BEGIN IMMEDIATE");
    for (size_t index = 0; index < count; index++) {
        sqlite3_bind_int64(deletion, 1, ids[index]);
        floor_outbox_check(sqlite3_step(deletion), SQLITE_DONE);
        sqlite3_reset(deletion);
    }
    floor_outbox_run("COMMIT");
}

int main(int argc, char **argv) {
    const char *path = text_argument(argc, argv, 1, "FILE");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    size_t items = count_argument(argc, argv, 3, "ITEMS");
    struct text body = {NULL, 0, 0}, answer = {NULL, 0, 0}, url = {NULL, 0, 0};
    struct curl_slist *headers;
    sqlite3_stmt *selection, *deletion;
    double begun;
    CURL *easy;

    floor_outbox_open(path);
    floor_outbox_run("BEGIN IMMEDIATE");
    for (size_t number = 1; number <= items; number++) floor_outbox_insert(number);
    floor_outbox_run("COMMIT");
    curl_global_init(CURL_GLOBAL_DEFAULT);
    easy = curl_easy_init();
    headers = curl_slist_append(NULL, "Content-Type: application/json");
    append_text(&url, base);
    append_text(&url, "/batch");
    curl_easy_setopt(easy, CURLOPT_URL, url.bytes);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, received);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &answer);
    selection = floor_outbox_prepare(
        "SELECT id, idempotencyKey, body FROM item ORDER BY id LIMIT 50");
    deletion = floor_outbox_prepare("DELETE FROM item WHERE id = ?");

    begun = wall_seconds();
    for (size_t sent = 0; sent < items; sent += BATCH)
        send_batch(easy, selection, deletion, &body, &answer);
    printf("{\"per_second\": %.3f}\n", (double)items / (wall_seconds() - begun));

    sqlite3_finalize(selection);
    sqlite3_finalize(deletion);
    floor_outbox_close();
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    curl_global_cleanup();
    free(body.bytes);
    free(answer.bytes);
    free(url.bytes);
    return 0;
}
