public import FoundationEssentials
import RestwayClient
import RestwayHTTP
import RestwayOutcome

/// The cookies of a client: the cookies that servers have set, and the cookies that the program has
/// set.
///
///     try client.cookies.set("session", token, isSecure: true)
///     for cookie in try client.cookies.list(url: "https://api.example.com") {
///         print(cookie.name)
///     }
///
/// Each function throws a `RestwayError` of the kind `invalidArgument` if the client keeps no
/// cookies, `invalidURL`, or `closed`.
public struct Cookies: Sendable {
    /// A cookie that a client keeps.
    public struct Cookie: Sendable, Hashable {
        /// The name.
        public let name: String
        /// The value, which may be empty.
        public let value: String
        /// The host to which the cookie is sent.
        public let domain: String
        /// The path to which the cookie is sent. It is also sent to all paths below this path.
        public let path: String
        /// The time at which the cookie expires; `nil` for a cookie that does not expire.
        public let expires: Date?
        /// Whether the cookie is also sent to subdomains.
        public let includesSubdomains: Bool
        /// Whether the cookie is sent only to https servers.
        public let isSecure: Bool
        /// Whether scripts in browsers do not see the cookie.
        public let isHTTPOnly: Bool
    }

    let core: RestwayClient.Client

    /// Lists the cookies that a request to `url` would send. Without a URL, lists all cookies of
    /// the client.
    public func list(url: String? = nil) throws(RestwayError) -> [Cookie] {
        try RestwayError.explaining { () throws(Failure) in try core.listCookies(url: url) }
            .map(Cookie.init)
    }

    /// Sets a cookie. It replaces the cookie with the same name, domain and path.
    ///
    /// - Parameters:
    ///   - url: An absolute URL, whose host is the domain; `nil` takes the client's base URL.
    ///   - domain: The host to which the cookie is sent, in place of the host of `url`.
    ///   - path: The path to which the cookie is sent. It is also sent to all paths below it.
    ///   - expires: The time at which the cookie expires; `nil` for a cookie that does not expire.
    public func set(
        _ name: String, _ value: String, url: String? = nil, domain: String? = nil,
        path: String = "/", expires: Date? = nil, includesSubdomains: Bool = false,
        isSecure: Bool = false, isHTTPOnly: Bool = false
    ) throws(RestwayError) {
        let seconds = expires.map { Int64(clamping: Int($0.timeIntervalSince1970.rounded(.up))) }
        let cookie = RestwayHTTP.Cookie(
            name: name, value: value, domain: domain ?? "", path: path, expires: seconds ?? 0,
            includesSubdomains: includesSubdomains, isSecure: isSecure, isHTTPOnly: isHTTPOnly)
        try RestwayError.explaining { () throws(Failure) in
            try core.setCookie(cookie, domain: domain, url: url)
        }
    }

    /// Clears the cookies that a request to `url` would send. Without a URL, clears the cookies of
    /// all hosts. Returns how many cookies were cleared.
    ///
    /// - Parameter name: The name of the cookies; `nil` for cookies of any name.
    @discardableResult
    public func clear(url: String? = nil, name: String? = nil) throws(RestwayError) -> Int {
        try RestwayError.explaining { () throws(Failure) in
            try core.clearCookies(url: url, name: name)
        }
    }
}

/// Values of cookies may be secrets, so a text for people has the name alone.
extension Cookies.Cookie: CustomStringConvertible, CustomReflectable {
    public var description: String { "<Cookie \(name)>" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    fileprivate init(_ core: RestwayHTTP.Cookie) {
        name = core.name
        value = core.value
        domain = core.domain
        path = core.path
        expires = core.expires == 0 ? nil : Date(timeIntervalSince1970: Double(core.expires))
        includesSubdomains = core.includesSubdomains
        isSecure = core.isSecure
        isHTTPOnly = core.isHTTPOnly
    }
}

extension Client {
    /// The cookies that the client keeps.
    public var cookies: Cookies { Cookies(core: core) }
}
