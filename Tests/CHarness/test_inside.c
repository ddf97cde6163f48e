/* Callbacks may cancel the very call that they are about, and may send requests of their own
 * through its client. */
#include <pthread.h>
#include <string.h>

#include "harness.h"
#include "realm.h"

#define DEAD "\"auth\": {\"scheme\": \"bearer\", \"token\": \"dead\"}"
#define RETRIES "\"retry\": {\"attempts\": 3, \"baseMilliseconds\": 0}"

/** The context of all callbacks of one case. */
struct inside {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    restway_client *client;
    /** The call that the callback cancels, as soon as the test knows it. */
    restway_call *call;
    int asked_count;
    /** A request that the callback sends, instead of cancelling. */
    restway_request *request;
    restway_status found;
};

/** Runs in every callback: cancels the call, or sends another request. */
static void inside_act(struct inside *inside) {
    pthread_mutex_lock(&inside->lock);
    inside->asked_count++;
    while (inside->call == NULL) {
        pthread_cond_wait(&inside->changed, &inside->lock);
    }
    if (inside->request != NULL) {
        restway_error *error = NULL;
        inside->found = restway_client_send(
            inside->client, inside->request, NULL, NULL, NULL, NULL, &error);
        restway_error_release(error);
    } else {
        restway_call_cancel(inside->call);
    }
    pthread_mutex_unlock(&inside->lock);
}

static restway_status act_modify(void *context, restway_pipeline_context *pipeline) {
    (void)pipeline;
    inside_act(context);
    return RESTWAY_OK;
}

static restway_status act_authorize(void *context, restway_exchange *exchange) {
    (void)exchange;
    inside_act(context);
    return RESTWAY_OK;
}

static int32_t act_should_replay(void *context, const restway_error *error) {
    (void)error;
    inside_act(context);
    return 1;
}

static void act_refresh(void *context, restway_refresh *refresh) {
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    restway_error *error = NULL;
    inside_act(context);
    credential.token = "another";
    if (restway_refresh_succeed(refresh, &credential, &error) != RESTWAY_OK) {
        restway_error_release(error);
    }
    restway_refresh_release(refresh);
}

/** Succeeds at once, because this case is about the function that stores the token. */
static void end_refresh(void *context, restway_refresh *refresh) {
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    restway_error *error = NULL;
    (void)context;
    credential.token = "another";
    if (restway_refresh_succeed(refresh, &credential, &error) != RESTWAY_OK) {
        restway_error_release(error);
    }
    restway_refresh_release(refresh);
}

static void act_persist(void *context, const restway_credential *credential) {
    (void)credential;
    inside_act(context);
}

static void act_read_failure(void *context, restway_failure *failure) {
    (void)failure;
    inside_act(context);
}

static void act_attempt(
    void *context, restway_call *call, size_t number, const restway_attempt *attempt) {
    (void)call;
    (void)number;
    (void)attempt;
    inside_act(context);
}

static restway_status act_read(
    void *context, void *buffer, size_t capacity, size_t *out_count, restway_answer *answer) {
    (void)answer;
    inside_act(context);
    memset(buffer, 'x', capacity);
    *out_count = capacity;
    return RESTWAY_OK;
}

static restway_status read_end(
    void *context, void *buffer, size_t capacity, size_t *out_count, restway_answer *answer) {
    (void)context;
    (void)buffer;
    (void)capacity;
    (void)out_count;
    (void)answer;
    return RESTWAY_OK;
}

static restway_status act_rewind(void *context, restway_answer *answer) {
    (void)answer;
    inside_act(context);
    return RESTWAY_OK;
}

enum place {
    IN_MODIFIER,
    IN_AUTHORIZE,
    IN_SHOULD_REPLAY,
    IN_REFRESH,
    IN_PERSIST,
    IN_FAILURE_READER,
    IN_ATTEMPT_OBSERVER,
    IN_BODY_READ,
    IN_BODY_REWIND,
    PLACES
};

static void set_callback(struct inside *inside, enum place place, restway_request *request) {
    restway_client *client = inside->client;
    restway_body_reader reader = RESTWAY_BODY_READER_INIT;
    reader.context = inside;
    switch (place) {
    case IN_MODIFIER:
        assert_ok(restway_client_add_modifier(
            client, act_modify, NULL, 0, inside, NULL, NULL, &failure));
        break;
    case IN_AUTHORIZE:
        assert_ok(restway_client_set_authorize(client, act_authorize, inside, NULL, &failure));
        break;
    case IN_SHOULD_REPLAY:
        assert_ok(
            restway_client_set_should_replay(client, act_should_replay, inside, NULL, &failure));
        break;
    case IN_REFRESH:
        assert_ok(restway_client_set_refresh(client, act_refresh, inside, NULL, &failure));
        break;
    case IN_PERSIST:
        assert_ok(restway_client_set_refresh(client, end_refresh, inside, NULL, &failure));
        assert_ok(restway_client_set_persist(client, act_persist, inside, NULL, &failure));
        break;
    case IN_FAILURE_READER:
        assert_ok(
            restway_client_set_failure_reader(client, act_read_failure, inside, NULL, &failure));
        break;
    case IN_ATTEMPT_OBSERVER:
        assert_ok(
            restway_client_set_attempt_observer(client, act_attempt, inside, NULL, &failure));
        break;
    case IN_BODY_READ:
        reader.read = act_read;
        assert_ok(restway_request_set_body_reader(request, &reader, -1, "text/plain", &failure));
        break;
    default:
        reader.read = read_end;
        reader.rewind = act_rewind;
        assert_ok(restway_request_set_body_reader(request, &reader, -1, "text/plain", &failure));
        break;
    }
}

static void inside_begin(struct inside *inside, const char *sections) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    memset(inside, 0, sizeof(*inside));
    pthread_mutex_init(&inside->lock, NULL);
    pthread_cond_init(&inside->changed, NULL);
    inside->client = make_client_of(sections, options);
}

static void inside_send(struct inside *inside, restway_request *request) {
    restway_call *call = NULL;
    assert_ok(restway_client_send(inside->client, request, NULL, NULL, NULL, &call, &failure));
    pthread_mutex_lock(&inside->lock);
    inside->call = call;
    pthread_cond_broadcast(&inside->changed);
    pthread_mutex_unlock(&inside->lock);
}

/** The callback may still hold the lock and use the call, although the call has ended. */
static void inside_end(struct inside *inside) {
    pthread_mutex_lock(&inside->lock);
    pthread_mutex_unlock(&inside->lock);
    restway_call_release(inside->call);
    restway_client_release(inside->client);
    pthread_mutex_destroy(&inside->lock);
    pthread_cond_destroy(&inside->changed);
}

static void inside__a_call_can_be_cancelled_in_every_callback(void **state) {
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        struct inside inside;
        restway_request *request = NULL;
        inside_begin(&inside, DEAD ", " RETRIES);
        const char *path =
            place == IN_REFRESH || place == IN_PERSIST || place == IN_SHOULD_REPLAY
                ? "auth/inside/me" : "bad/status/503";
        assert_ok(restway_request_create("PUT", path, &request, &failure));
        set_callback(&inside, (enum place)place, request);
        inside_send(&inside, request);
        assert_fails(
            restway_call_wait(inside.call, 0, NULL, &failure), RESTWAY_E_CANCELLED, "cancelled");
        assert_int_equal(inside.asked_count, 1);
        restway_request_release(request);
        inside_end(&inside);
    }
}

static void inside__questions_may_send_requests_that_wait_for_no_refresh(void **state) {
    (void)state;
    static const enum place places[] = {
        IN_AUTHORIZE, IN_SHOULD_REPLAY, IN_REFRESH, IN_PERSIST, IN_FAILURE_READER};
    for (size_t index = 0; index < sizeof(places) / sizeof(places[0]); index++) {
        struct inside inside;
        restway_request *request = make_get("auth/inside/me");
        inside_begin(&inside, DEAD);
        inside.request = make_get("status");
        assert_ok(restway_request_set_auth(inside.request, RESTWAY_AUTH_NONE, &failure));
        set_callback(&inside, places[index], request);
        inside_send(&inside, request);
        assert_fails(restway_call_wait(inside.call, 0, NULL, &failure), RESTWAY_E_HTTP, "401");
        assert_true(inside.asked_count >= 1);
        assert_int_equal(inside.found, RESTWAY_OK);
        restway_client_close(inside.client);
        restway_request_release(inside.request);
        restway_request_release(request);
        inside_end(&inside);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(inside__a_call_can_be_cancelled_in_every_callback),
    TEST(inside__questions_may_send_requests_that_wait_for_no_refresh),
};

const struct suite inside_suite = SUITE(tests);
