import Glibc

/// The environment variables that name proxies. libcurl reads them for each exchange
/// (libcurl-env(3)).
enum ProxyEnvironment {
    private static let names = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ]

    /// Whether a variable names a proxy. If none does, libcurl need not look. That saves five
    /// searches of the environment, which another thread of the host may be changing.
    static var namesOne: Bool { names.contains { getenv($0) != nil } }
}
