import Glibc

/// The variables that name proxies, which libcurl looks for at each exchange (libcurl-env(3)).
enum ProxyEnvironment {
    private static let names = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
    ]

    /// Whether there is one. Else libcurl need not look, which is five searches of the environment,
    /// on a thread beside which the host may be changing it.
    static var namesOne: Bool { names.contains { getenv($0) != nil } }
}
