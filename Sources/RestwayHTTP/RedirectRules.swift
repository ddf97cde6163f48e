/// Decides which parts of a request follow a redirect to an origin that the environment does not
/// trust.
package struct RedirectRules: Equatable, Sendable {
    /// Headers that say nothing about the caller, and that make sense for any origin.
    package static let keptNames: [String] = [
        "Accept", "Accept-Encoding", "Accept-Language", "If-Match", "If-Modified-Since",
        "If-None-Match", "If-Range", "If-Unmodified-Since", "Prefer", "Range", "traceparent",
        "tracestate", "User-Agent",
    ]

    /// Headers that are always credentials. They are sent only to trusted origins.
    package static let credentialNames: [String] = [
        "Authorization", "Cookie", "Proxy-Authorization",
    ]

    private static let keptInLowerCase = Set(keptNames.map { $0.lowercased() })

    private let addedNames: Set<String>
    private let carriesBodies: Bool

    /// - Parameters:
    ///   - addedNames: Further headers that are sent to an untrusted origin.
    ///   - carriesBodies: Whether a body is sent to an untrusted origin.
    package init(addedNames: [String] = [], carriesBodies: Bool = false) {
        self.addedNames = Set(addedNames.map { $0.lowercased() })
        self.carriesBodies = carriesBodies
    }

    /// Whether a body may be sent to the target of a redirect.
    ///
    /// - Parameter isTrusted: Whether the target has the origin of the request, or a trusted one.
    package func mayCarryBody(isTrusted: Bool) -> Bool { isTrusted || carriesBodies }

    /// The headers of the next request.
    ///
    /// - Parameters:
    ///   - keepsBody: Whether the body is sent too, with its `Content-*` headers.
    ///   - isTrusted: Whether the target has the origin of the request, or a trusted one.
    package func headers(
        _ fields: [HeaderField], keepsBody: Bool, isTrusted: Bool
    ) -> [HeaderField] {
        fields.filter { field in
            let name = field.name.lowercased()
            if name.hasPrefix("content-") { return keepsBody }
            return isTrusted || Self.keptInLowerCase.contains(name) || addedNames.contains(name)
        }
    }
}
