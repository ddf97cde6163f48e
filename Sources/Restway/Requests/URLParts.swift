import RestwayOutcome
import RestwayRouting
import RestwayText

/// The parts of an absolute http or https URL.
///
///     let parts = try URLParts(response.url)
///     print(parts.host, parts.parameters["page"] ?? "")
public struct URLParts: Sendable {
    private let core: SplitURL

    /// Splits a URL, which must have neither a user nor a password.
    ///
    /// - Throws: A `RestwayError` of the kind `invalidURL` that says what is wrong.
    public init(_ url: String) throws(RestwayError) {
        core = try RestwayError.explaining { () throws(Failure) in
            do throws(RoutingError) {
                return try SplitURL(url)
            } catch {
                throw Failure(error)
            }
        }
    }

    /// `http` or `https`.
    public var scheme: String { core.origin.scheme }
    /// The host in lower case and in ASCII (RFC 5891). An IPv6 address is in brackets.
    public var host: String { core.origin.host }
    /// The port; without one, that of the scheme.
    public var port: Int { Int(core.origin.port) }
    /// The path, percent-encoded.
    public var path: String { core.path }
    /// The decoded fragment; `nil` for a URL without a fragment.
    public var fragment: String? { core.fragment }
    /// The decoded parameters of the query, in their order.
    public var parameters: Parameters {
        Parameters(pairs: core.parameters.map { (name: $0.name, value: $0.value) })
    }

    /// Writes parameters as a query, in their order. All characters except unreserved ones are
    /// percent-encoded (RFC 3986).
    ///
    ///     URLParts.query(["sort": "name", "tag": "a b"])      // "sort=name&tag=a%20b"
    public static func query(_ parameters: KeyValuePairs<String, String>) -> String {
        URLText.encodedQuery(parameters.map { Pair(name: $0.key, value: $0.value) })
    }

    /// The parameters of a query.
    public struct Parameters: Sendable, RandomAccessCollection {
        fileprivate let pairs: [(name: String, value: String)]

        public var startIndex: Int { pairs.startIndex }
        public var endIndex: Int { pairs.endIndex }
        public subscript(position: Int) -> (name: String, value: String) { pairs[position] }

        /// The first value of a name; `nil` if no parameter has the name.
        public subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }
    }
}

/// The class of an HTTP status.
public enum StatusClass: Int, Sendable, CaseIterable {
    /// Not an HTTP status: below 100, or above 599.
    case none = 0
    /// 1xx: the request is being processed.
    case informational
    /// 2xx: the request has succeeded.
    case success
    /// 3xx: more has to be done, mostly at another URL.
    case redirection
    /// 4xx: the request is wrong.
    case clientError
    /// 5xx: the server has failed.
    case serverError

    /// The class of a status.
    public init(_ status: Int) {
        self = (100...599).contains(status) ? StatusClass(rawValue: status / 100) ?? .none : .none
    }
}

extension Response {
    /// The class of the status: `.success` for 2xx, and so on.
    public var statusClass: StatusClass { StatusClass(status) }
}
