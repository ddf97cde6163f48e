/* Declares libcurl for Swift. Each variadic function has one typed form for each kind of
 * argument. */
#ifndef RESTWAY_CCURL_SHIMS_H
#define RESTWAY_CCURL_SHIMS_H

#include <curl/curl.h>

/* The type-checking macros of curl/typecheck-gcc.h hide the functions from Swift. */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt

static inline CURLcode rw_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode rw_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode rw_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode rw_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode rw_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode rw_easy_set_data_function(
    CURL *easy, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode rw_easy_set_progress_function(
    CURL *easy, int (*value)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t)) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, value);
}

static inline CURLcode rw_easy_set_seek_function(
    CURL *easy, int (*value)(void *, curl_off_t, int)) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode rw_easy_set_prerequest_function(
    CURL *easy, int (*value)(void *, char *, char *, int, int)) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode rw_easy_set_open_socket_function(
    CURL *easy, curl_socket_t (*value)(void *, curlsocktype, struct curl_sockaddr *)) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode rw_easy_set_close_socket_function(
    CURL *easy, int (*value)(void *, curl_socket_t)) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode rw_easy_set_debug_function(
    CURL *easy, int (*value)(CURL *, curl_infotype, char *, size_t, void *)) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, value);
}

static inline CURLcode rw_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode rw_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode rw_easy_get_string(CURL *easy, CURLINFO info, char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode rw_easy_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode rw_easy_get_list(CURL *easy, CURLINFO info, struct curl_slist **value) {
    return curl_easy_getinfo(easy, info, value);
}

/* Return bit masks that Swift cannot import, because their macros have casts. */
static inline unsigned long rw_auth_basic(void) { return CURLAUTH_BASIC; }
static inline unsigned long rw_auth_digest(void) { return CURLAUTH_DIGEST; }

static inline CURLMcode rw_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode rw_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode rw_multi_set_socket_function(
    CURLM *multi, int (*value)(CURL *, curl_socket_t, int, void *, void *)) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode rw_multi_set_timer_function(
    CURLM *multi, int (*value)(CURLM *, long, void *)) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

static inline CURLSHcode rw_share_set_int(CURLSH *share, CURLSHoption option, int value) {
    return curl_share_setopt(share, option, value);
}

/* Sets the functions that guard the shared data; both receive `context`. */
static inline void rw_share_set_lock_functions(
    CURLSH *share, void (*lock)(CURL *, curl_lock_data, curl_lock_access, void *),
    void (*unlock)(CURL *, curl_lock_data, void *), void *context) {
    curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock);
    curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock);
    curl_share_setopt(share, CURLSHOPT_USERDATA, context);
}

struct ssl_st;
/* A function of OpenSSL, which is present if libcurl uses OpenSSL. */
extern int SSL_has_pending(const struct ssl_st *ssl) __attribute__((weak));

/* Returns whether the TLS of the connection that `easy` uses now holds bytes that were received but
 * not read. The socket is then not readable. */
static inline int rw_easy_has_decrypted(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) {
        return 0;
    }
    if (session->backend != CURLSSLBACKEND_OPENSSL || session->internals == NULL) {
        return 0;
    }
    return SSL_has_pending != NULL && SSL_has_pending((const struct ssl_st *)session->internals);
}

/* Returns the next completed easy handle, with its result in `result`; NULL if no completed
 * handle is left. */
static inline CURL *rw_multi_next_done(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

#endif
