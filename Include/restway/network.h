/** @file restway/network.h
 *  How a client connects: TLS, proxies, sockets, names and versions of HTTP. docs/NETWORK.md
 *  explains the whole topic. The built-in transport uses these settings; a transport of a plugin
 *  has options of its own.
 */
#ifndef RESTWAY_NETWORK_H
#define RESTWAY_NETWORK_H

#include "error.h"

RESTWAY_BEGIN_DECLS

/** The oldest version of TLS that a client accepts. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_tls_version {
    RESTWAY_TLS_VERSION_1_2 = 0, /**< TLS 1.2 or later, the default. */
    RESTWAY_TLS_VERSION_1_3 = 1, /**< TLS 1.3 or later. */
    /** Not a version: pins the type to 32 bits. */
    RESTWAY_TLS_VERSION_PIN_ = 0x7fffffff
} restway_tls_version;

/** Bits of restway_tls_options.flags: options of TLS. */
/** The certificate of the server is not checked, so anyone on the network path can read and change
 *  everything. The client writes a warning into the log when it is made. Keys of pinned_public_key
 *  are still checked. */
#define RESTWAY_TLS_INSECURE_NO_VERIFICATION 0x1u

/** The TLS settings of one origin, or of all origins that have no settings of their own. Start from
 *  RESTWAY_TLS_OPTIONS_INIT. All texts are *Copied*. The files are read again for each new
 *  connection, so renewed certificates need no new client. */
typedef struct restway_tls_options {
    /** sizeof(restway_tls_options), set by the INIT macro. */
    size_t struct_size;
    /** The origin ("https://api.example.com") that the settings are for.
     *  Default: NULL, all other origins.
     *  Range: text. */
    const char *origin;
    /** A PEM file with the certificates of trusted authorities, in place of the system's.
     *  Default: NULL, ca_folder alone or, without ca_folder, the system's authorities.
     *  Range: text. */
    const char *ca_file;
    /** A folder of such certificates that was prepared by `openssl rehash`.
     *  Default: NULL.
     *  Range: text. */
    const char *ca_folder;
    /** The client's certificate: a PEM file, which may hold intermediate certificates after it, or
     *  a PKCS#12 file, which holds the key, too.
     *  Default: NULL, no certificate.
     *  Range: text. */
    const char *certificate_file;
    /** The PEM file of the certificate's private key.
     *  Default: NULL, the key in certificate_file.
     *  Range: text. */
    const char *key_file;
    /** The password of the key or of the PKCS#12 file. The copy is overwritten when the client
     *  ends.
     *  Default: NULL, no password.
     *  Range: text. */
    const char *password;
    /** The public keys of which the server must have one: "sha256//" and the base64 text of the
     *  key's SHA-256; several are joined by ";".
     *  Default: NULL, any key.
     *  Range: text. */
    const char *pinned_public_key;
    /** The oldest version of TLS that is accepted.
     *  Default: RESTWAY_TLS_VERSION_1_2.
     *  Range: a restway_tls_version. */
    uint32_t minimum_version;
    /** Whether the certificate of the server is left unchecked.
     *  Default: 0.
     *  Range: RESTWAY_TLS_* bits. */
    uint32_t flags;
} restway_tls_options;

/** Sets the first @p size bytes of @p options to what RESTWAY_TLS_OPTIONS_INIT would set, for
 *  languages without macros. @p size is the caller's sizeof(restway_tls_options).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_tls_options_init(
    restway_tls_options *options, size_t size, restway_error **out_error);

/** The addresses of names that a client connects to. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_ip_version {
    RESTWAY_IP_ANY = 0,       /**< Both, whichever connects first (RFC 8305); the default. */
    RESTWAY_IP_VERSION_4 = 4, /**< IPv4 alone. */
    RESTWAY_IP_VERSION_6 = 6, /**< IPv6 alone. */
    /** Not a version: pins the type to 32 bits. */
    RESTWAY_IP_VERSION_PIN_ = 0x7fffffff
} restway_ip_version;

/** The version of HTTP that a client asks for. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_http_version {
    /** HTTP/2 over TLS if the server has it (ALPN), else HTTP/1.1; the default. */
    RESTWAY_HTTP_AUTOMATIC = 0,
    RESTWAY_HTTP_VERSION_1_1 = 11, /**< HTTP/1.1 alone. */
    /** HTTP/2, also without TLS, where the client has to know beforehand that the server speaks
     *  it. */
    RESTWAY_HTTP_VERSION_2 = 20,
    /** HTTP/3, or an earlier version if no connection over QUIC can be made. A client can only be
     *  made if libcurl has HTTP/3. */
    RESTWAY_HTTP_VERSION_3 = 30,
    /** Not a version: pins the type to 32 bits. */
    RESTWAY_HTTP_VERSION_PIN_ = 0x7fffffff
} restway_http_version;

/** How a client connects. Start from RESTWAY_NETWORK_OPTIONS_INIT, and let
 *  restway_client_options.network point to it. A field that is 0 or NULL takes the value of the
 *  environment in the API document, or the default if the document has no value. All texts are
 *  *Copied*. */
typedef struct restway_network_options {
    /** sizeof(restway_network_options), set by the INIT macro. */
    size_t struct_size;
    /** The TLS settings: at most one for each origin, and at most one without an origin. Settings
     *  replace the settings of the document for the same origin as a whole.
     *  Default: NULL.
     *  Range: an array of restway_tls_options. */
    const restway_tls_options *const *tls;
    /** Default: 0.
     *  Range: 0 or more, the length of tls. */
    size_t tls_count;
    /** The URL of the proxy: http, https, socks5 (names are looked up here) or socks5h (the proxy
     *  looks them up), with a host and a port, without credentials. "" uses no proxy.
     *  Default: NULL, the proxy of the environment variables (restway_client_create()).
     *  Range: text. */
    const char *proxy;
    /** The user name for the proxy.
     *  Default: NULL.
     *  Range: text. */
    const char *proxy_user;
    /** The password for the proxy. The copy is overwritten when the client ends.
     *  Default: NULL.
     *  Range: text. */
    const char *proxy_password;
    /** Hosts that are reached without the proxy, separated by commas: "localhost,example.com". A
     *  name includes its subdomains.
     *  Default: NULL.
     *  Range: text. */
    const char *proxy_exceptions;
    /** The path of a Unix-domain socket, to which all connections go; "@name" for an abstract
     *  socket.
     *  Default: NULL, the host of the URL.
     *  Range: text. */
    const char *unix_socket;
    /** The network interface ("eth1") or the address of this machine from which connections are
     *  made.
     *  Default: NULL, any.
     *  Range: text that is not empty. */
    const char *local_interface;
    /** Addresses in place of name lookups, each "host:port:address[,address]...". Anything but IP
     *  addresses is RESTWAY_E_CONFIG.
     *  Default: NULL.
     *  Range: an array of texts. */
    const char *const *addresses;
    /** Default: 0.
     *  Range: 0 or more, the length of addresses. */
    size_t address_count;
    /** The https URL of a server that looks up names (DNS over HTTPS, RFC 8484).
     *  Default: NULL, the system's resolver.
     *  Range: text. */
    const char *doh_url;
    /** How long a connection over IPv6 is awaited before IPv4 is tried, too.
     *  Default: 200 ms.
     *  Range: 1 ms to 60,000 ms. */
    int64_t happy_eyeballs_milliseconds;
    /** The addresses of names that the client connects to.
     *  Default: RESTWAY_IP_ANY.
     *  Range: a restway_ip_version. */
    uint32_t ip_version;
    /** The version of HTTP that the client asks for.
     *  Default: RESTWAY_HTTP_AUTOMATIC.
     *  Range: a restway_http_version. */
    uint32_t http_version;
    /** The file in which the client keeps cookies (cookie.h), in the format of curl and browsers.
     *  The client makes the file if it does not exist, and only the owner of the file can read it.
     *  A file with more than 3,000 cookies, or with a cookie of more than 4,096 bytes, cannot be
     *  used.
     *  Default: NULL, cookies in memory.
     *  Range: text that is not empty. */
    const char *cookie_file;
    /** The file in which the client remembers the hosts that may be reached only over TLS (RFC
     *  6797, HSTS), in the format of curl. The client makes the file if it does not exist, and only
     *  the owner of the file can read it. Requests to http URLs of these hosts go to https.
     *  Default: NULL, no hosts are remembered.
     *  Range: text that is not empty. */
    const char *hsts_file;
} restway_network_options;

/** Sets the first @p size bytes of @p options to what RESTWAY_NETWORK_OPTIONS_INIT would set, for
 *  languages without macros. @p size is the caller's sizeof(restway_network_options).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_network_options_init(
    restway_network_options *options, size_t size, restway_error **out_error);

RESTWAY_END_DECLS

#endif
