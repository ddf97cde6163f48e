package import RestwayText

/// A named base URL with its headers and time limits.
package struct Environment: Sendable {
    package var name: String
    package var baseURL: BaseURL
    package var headers: [Pair]
    package var timeouts: Timeouts
    /// Further origins, besides the base URL's, to which credentials and the environment's headers
    /// may be sent.
    package var trustedOrigins: [Origin]

    package init(
        name: String, baseURL: BaseURL, headers: [Pair] = [], timeouts: Timeouts = Timeouts(),
        trustedOrigins: [Origin] = []
    ) {
        self.name = name
        self.baseURL = baseURL
        self.headers = headers
        self.timeouts = timeouts
        self.trustedOrigins = trustedOrigins
    }

    /// Whether credentials and the environment's headers may be sent to `origin`.
    package func trusts(_ origin: Origin) -> Bool {
        origin == baseURL.origin || trustedOrigins.contains(origin)
    }

    /// Whether credentials and the environment's headers may be sent to the origin of a URL.
    package func trusts(url: String) -> Bool {
        guard let origin = try? Origin(url: url) else { return false }
        return trusts(origin)
    }
}

/// The time limits of an exchange and of its call, each in milliseconds; nil if a limit is not
/// declared, and 0 for no limit.
package struct Timeouts: Sendable, Equatable {
    package var totalMilliseconds: Int64?
    package var connectMilliseconds: Int64?
    package var firstByteMilliseconds: Int64?
    package var idleMilliseconds: Int64?
    /// The age at which a call is reported to its observers as too slow.
    package var tooSlowMilliseconds: Int64?

    package init() {}
}
