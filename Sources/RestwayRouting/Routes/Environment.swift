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
}

/// The time limits of an exchange; nil if a limit is not declared.
package struct Timeouts: Sendable, Equatable {
    package var totalMilliseconds: Int64?
    package var connectMilliseconds: Int64?
    package var idleMilliseconds: Int64?

    package init(
        totalMilliseconds: Int64? = nil, connectMilliseconds: Int64? = nil,
        idleMilliseconds: Int64? = nil
    ) {
        self.totalMilliseconds = totalMilliseconds
        self.connectMilliseconds = connectMilliseconds
        self.idleMilliseconds = idleMilliseconds
    }
}
