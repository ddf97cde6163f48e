/** @file restway/cookie.h
 *  Cookies: the built-in transport keeps the cookies that servers set, in memory or in a file
 *  (restway_network_options.cookie_file), and sends them. A program can list, set and clear them.
 *  docs/NETWORK.md explains the whole topic. Values of cookies are secrets: the library writes them
 *  only into the file of cookies, never into a log or a message.
 */
#ifndef RESTWAY_COOKIE_H
#define RESTWAY_COOKIE_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** Bits of restway_cookie.flags: properties of a cookie. */
#define RESTWAY_COOKIE_SUBDOMAINS 0x1u /**< The cookie is also sent to subdomains of its domain. */
#define RESTWAY_COOKIE_SECURE 0x2u     /**< The cookie is sent only to https servers. */
#define RESTWAY_COOKIE_HTTP_ONLY 0x4u  /**< Scripts in browsers do not see the cookie. */

/** A cookie. Start from RESTWAY_COOKIE_INIT. */
typedef struct restway_cookie {
    /** sizeof(restway_cookie), set by the INIT macro. */
    size_t struct_size;
    /** The name.
     *  Default: required.
     *  Range: text. */
    const char *name;
    /** The value, which may be empty.
     *  Default: required.
     *  Range: text. */
    const char *value;
    /** The host to which the cookie is sent, without a leading dot.
     *  Default: NULL, the host of the URL that is given beside the cookie.
     *  Range: text. */
    const char *domain;
    /** The path to which the cookie is sent. It is also sent to all paths below this path.
     *  Default: NULL, "/".
     *  Range: text. */
    const char *path;
    /** The time at which the cookie expires, in seconds since 1970-01-01T00:00:00Z.
     *  Default: 0, which means that the cookie does not expire.
     *  Range: any number. */
    int64_t expires;
    /** Where the cookie is sent.
     *  Default: 0.
     *  Range: RESTWAY_COOKIE_* bits. */
    uint32_t flags;
    /** Not used.
     *  Default: 0.
     *  Range: 0. */
    int32_t reserved;
} restway_cookie;

/** Sets the first @p size bytes of @p cookie to what RESTWAY_COOKIE_INIT would set. @p size is the
 *  caller's sizeof(restway_cookie).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cookie_init(
    restway_cookie *cookie, size_t size, restway_error **out_error);

/** An immutable list of cookies. It is reference counted, any thread may use it without a lock, and
 *  it may outlive its client. */
typedef struct restway_cookies restway_cookies;

/** Lists the cookies that a client keeps. Cookies that have expired are not listed.
 *
 *  @param url         An absolute URL. The list then has the cookies that a request to this URL
 *                     would send. NULL lists the cookies for all URLs. *Borrowed*.
 *  @param out_cookies Receives a list owned by the caller (+1).
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_URL; RESTWAY_E_CLOSED; RESTWAY_E_FORKED;
 *          RESTWAY_E_OUT_OF_MEMORY; RESTWAY_E_INVALID_ARGUMENT (also if the client keeps no
 *          cookies, because of RESTWAY_CLIENT_NO_COOKIES or a transport of a plugin).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_cookies(
    restway_client *client, const char *url, restway_cookies **out_cookies,
    restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_cookies *restway_cookies_retain(const restway_cookies *cookies);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_cookies_release(restway_cookies *cookies);

/** Returns the number of cookies in the list; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_cookies_count(const restway_cookies *cookies);

/** Reads the cookie at position @p index of the list.
 *
 *  @param cookie Must be initialised; the function fills the fields that this version of the struct
 *                has. The texts are *Borrowed* from @p cookies.
 *  @return RESTWAY_OK; RESTWAY_E_FORKED; RESTWAY_E_INVALID_ARGUMENT (also if @p index is out of
 *          range).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_cookies_read(
    const restway_cookies *cookies, size_t index, restway_cookie *cookie,
    restway_error **out_error);

/** Sets a cookie. It replaces the cookie with the same name, domain and path.
 *
 *  @param url    An absolute URL, whose host is the domain of a cookie without a domain; NULL takes
 *                the client's base URL. *Borrowed*.
 *  @param cookie *Copied*. It needs a name and a value, of at most 4,096 bytes together. A domain
 *                of NULL is the host of @p url, and a path of NULL is "/".
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_URL; RESTWAY_E_CLOSED; RESTWAY_E_FORKED;
 *          RESTWAY_E_OUT_OF_MEMORY; RESTWAY_E_INVALID_ARGUMENT (also if a part of the cookie has a
 *          character that cannot be sent, if the cookie is too long, if it has already expired, if
 *          it breaks the rules for names that start with `__Secure-` or `__Host-`, or if the client
 *          keeps no cookies).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_cookie(
    restway_client *client, const char *url, const restway_cookie *cookie,
    restway_error **out_error);

/** Clears the cookies that match both @p url and @p name.
 *
 *  @param url       An absolute URL. It matches the cookies that a request to this URL would send.
 *                   NULL matches the cookies of all hosts. *Borrowed*.
 *  @param name      The name of the cookies. NULL matches cookies of any name. *Borrowed*.
 *  @param out_count Receives the number of cookies that were cleared; may be NULL.
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_URL; RESTWAY_E_CLOSED; RESTWAY_E_FORKED;
 *          RESTWAY_E_OUT_OF_MEMORY; RESTWAY_E_INVALID_ARGUMENT (also if the client keeps no
 *          cookies).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_clear_cookies(
    restway_client *client, const char *url, const char *name, size_t *out_count,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif
