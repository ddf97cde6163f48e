#include "realm.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int realm_count;

restway_client *make_client_of(const char *sections, restway_client_options options) {
    char document[2048];
    restway_api *api = NULL;
    restway_client *client = NULL;
    int length = snprintf(
        document, sizeof(document),
        "{\"restway\": 1, \"errors\": {\"code\": \"error.error_code\","
        " \"message\": \"error.error_description\"}, %s}",
        sections);
    assert_true(length > 0 && (size_t)length < sizeof(document));
    assert_ok(restway_api_load(document, (size_t)length, &api, &failure));
    options.base_url = demo_url();
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    return client;
}

restway_client *make_clocked(const char *sections, restway_clock **out_clock) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    assert_ok(restway_clock_create(out_clock, &failure));
    options.clock = *out_clock;
    options.random_seed = 7;
    return make_client_of(sections, options);
}

int64_t advance_to_next(restway_clock *clock) {
    int64_t milliseconds;
    while ((milliseconds = restway_clock_next_milliseconds(clock)) < 0) {
        sched_yield();
    }
    assert_ok(restway_clock_advance(clock, milliseconds, &failure));
    return milliseconds;
}

/** Makes a request for a token of the realm. It is marked so that it never waits for the
 *  refresh. */
static restway_request *token_request(struct realm *realm) {
    static const char form[] = "grant_type=client_credentials";
    char path[256];
    restway_request *request = NULL;
    snprintf(path, sizeof(path), "auth/%s/token%s", realm->name, realm->query);
    if (restway_request_create("POST", path, &request, NULL) != RESTWAY_OK
        || restway_request_set_body(
               request, form, strlen(form), "application/x-www-form-urlencoded", NULL)
               != RESTWAY_OK
        || restway_request_set_auth(request, RESTWAY_AUTH_NONE, NULL) != RESTWAY_OK) {
        abort();
    }
    return request;
}

static void read_token(struct realm *realm, const restway_response *response) {
    static const char key[] = "\"access_token\":\"";
    const char *start = strstr(restway_response_json(response, NULL), key);
    if (start == NULL || sscanf(start + strlen(key), "%127[^\"]", realm->token) != 1) {
        abort();
    }
}

/** Counts; this is the last step of every function that gets a token. */
static void set_answering(struct realm *realm, int difference) {
    pthread_mutex_lock(&realm->lock);
    realm->answering_count += difference;
    pthread_cond_broadcast(&realm->changed);
    pthread_mutex_unlock(&realm->lock);
}

struct answer {
    struct realm *realm;
    restway_refresh *refresh;
};

static void token_came(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    struct answer *answer = context;
    (void)call;
    if (status == RESTWAY_OK) {
        restway_credential credential = RESTWAY_CREDENTIAL_INIT;
        read_token(answer->realm, response);
        credential.token = answer->realm->token;
        status = restway_refresh_succeed(answer->refresh, &credential, NULL);
    } else {
        status = restway_refresh_fail(
            answer->refresh, restway_error_message(error), 0, NULL, NULL, NULL);
    }
    (void)status;
    restway_refresh_release(answer->refresh);
    set_answering(answer->realm, -1);
    free(answer);
}

/** For programs that drain events: a thread of its own gets the token with another client. */
static void *token_thread(void *context) {
    struct answer *answer = context;
    restway_request *request = token_request(answer->realm);
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = NULL;
    restway_api *api = NULL;
    restway_response *response = NULL;
    options.base_url = demo_url();
    if (restway_api_load("{\"restway\": 1}", 14, &api, NULL) != RESTWAY_OK
        || restway_client_create(api, &options, &client, NULL) != RESTWAY_OK
        || restway_client_perform(client, request, 0, &response, NULL) != RESTWAY_OK) {
        abort();
    }
    struct realm *realm = answer->realm;
    set_answering(realm, 1);
    token_came(answer, NULL, RESTWAY_OK, response, NULL);
    restway_response_release(response);
    restway_client_release(client);
    restway_api_release(api);
    restway_request_release(request);
    set_answering(realm, -1);
    return NULL;
}

static void get_token(struct realm *realm, restway_refresh *refresh) {
    struct answer *answer = malloc(sizeof(*answer));
    if (answer == NULL) {
        abort();
    }
    set_answering(realm, 1);
    answer->realm = realm;
    answer->refresh = refresh;
    if (restway_client_descriptor(realm->client) >= 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, token_thread, answer) != 0) {
            abort();
        }
        pthread_detach(thread);
        return;
    }
    restway_request *request = token_request(realm);
    if (restway_client_send(realm->client, request, token_came, answer, NULL, NULL, NULL)
        != RESTWAY_OK) {
        abort();
    }
    restway_request_release(request);
}

static void refresh(void *context, restway_refresh *refresh) {
    struct realm *realm = context;
    /* The call may complete before this function has released its handles. */
    set_answering(realm, 1);
    pthread_mutex_lock(&realm->lock);
    realm->refresh_count++;
    const char *reason = realm->failure;
    int is_kept = realm->keeps_refresh;
    if (is_kept) {
        realm->refresh = refresh;
        pthread_cond_broadcast(&realm->changed);
    }
    pthread_mutex_unlock(&realm->lock);
    if (reason != NULL) {
        if (restway_refresh_fail(
                refresh, reason, realm->is_final, realm->cause, realm->destroy, NULL)
            != RESTWAY_OK) {
            abort();
        }
        restway_refresh_release(refresh);
    } else if (!is_kept) {
        get_token(realm, refresh);
    }
    set_answering(realm, -1);
}

static void persist(void *context, const restway_credential *credential) {
    struct realm *realm = context;
    snprintf(realm->persisted, sizeof(realm->persisted), "%s", credential->token);
}

void realm_begin(struct realm *realm, restway_delivery delivery, const char *query) {
    realm_begin_clocked(realm, delivery, query, NULL);
}

void realm_begin_clocked(
    struct realm *realm, restway_delivery delivery, const char *query, restway_clock *clock) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    memset(realm, 0, sizeof(*realm));
    snprintf(realm->name, sizeof(realm->name), "harness-%d-%d", (int)getpid(), ++realm_count);
    realm->query = query;
    pthread_mutex_init(&realm->lock, NULL);
    pthread_cond_init(&realm->changed, NULL);
    options.delivery = delivery;
    options.clock = clock;
    realm->client =
        make_client_of("\"auth\": {\"scheme\": \"bearer\", \"token\": \"dead\"}", options);
    assert_ok(restway_client_set_refresh(realm->client, refresh, realm, NULL, &failure));
    assert_ok(restway_client_set_persist(realm->client, persist, realm, NULL, &failure));
}

void realm_end(struct realm *realm) {
    pthread_mutex_lock(&realm->lock);
    while (realm->answering_count > 0) {
        pthread_cond_wait(&realm->changed, &realm->lock);
    }
    pthread_mutex_unlock(&realm->lock);
    restway_client_release(realm->client);
    pthread_mutex_destroy(&realm->lock);
    pthread_cond_destroy(&realm->changed);
}

restway_request *realm_request(struct realm *realm, const char *path) {
    char whole[256];
    snprintf(whole, sizeof(whole), "auth/%s/%s", realm->name, path);
    return make_get(whole);
}

restway_refresh *realm_wait_refresh(struct realm *realm) {
    pthread_mutex_lock(&realm->lock);
    while (realm->refresh == NULL) {
        pthread_cond_wait(&realm->changed, &realm->lock);
    }
    restway_refresh *refresh = realm->refresh;
    realm->refresh = NULL;
    pthread_mutex_unlock(&realm->lock);
    return refresh;
}

void realm_get_token(struct realm *realm) {
    restway_request *request = token_request(realm);
    restway_response *response = NULL;
    assert_ok(restway_client_perform(realm->client, request, 0, &response, &failure));
    read_token(realm, response);
    restway_response_release(response);
    restway_request_release(request);
}

int realm_log(struct realm *realm, const char *what) {
    restway_client *client = make_client();
    char path[128];
    char key[64];
    int number = -1;
    snprintf(path, sizeof(path), "auth/%s/log", realm->name);
    snprintf(key, sizeof(key), "\"%s\":", what);
    restway_response *response = fetch(client, path);
    const char *start = strstr(restway_response_json(response, NULL), key);
    assert_non_null(start);
    assert_int_equal(sscanf(start + strlen(key), "%d", &number), 1);
    restway_response_release(response);
    restway_client_release(client);
    return number;
}
