import RestwayText

/// The method of a request: any token but CONNECT (RFC 9110, section 9.1). CONNECT makes a tunnel,
/// and its answer has no content.
///
/// For a method without a constant here, Restway assumes what HTTP assumes of a method that it does
/// not know: it is neither safe nor idempotent, and its request and its answer may have a body.
package struct Method: Hashable, Sendable {
    package let rawValue: String

    private init(known: String) { rawValue = known }

    /// The method with this exact name. Methods are case-sensitive.
    ///
    /// - Parameters:
    ///   - path: The path of the request, if the program gives both.
    ///   - shown: What the message shows in place of the text.
    package init(_ text: String, path: String = "", shown: String? = nil) throws(Refusal) {
        if !Self.isKnown(text), let reason = Self.refusal(of: text, path, shown ?? "\"\(text)\"") {
            throw Refusal(reason: reason)
        }
        rawValue = text
    }

    package init?(token: String) {
        guard let method = try? Method(token) else { return nil }
        self = method
    }
}

extension Method {
    // RFC 9110, section 9.3.
    package static let get = Method(known: "GET")
    package static let head = Method(known: "HEAD")
    package static let post = Method(known: "POST")
    package static let put = Method(known: "PUT")
    package static let delete = Method(known: "DELETE")
    package static let options = Method(known: "OPTIONS")
    package static let trace = Method(known: "TRACE")
    // RFC 5789.
    package static let patch = Method(known: "PATCH")
    // The other safe methods of the IANA registry of HTTP methods: RFC 4918, RFC 3253, RFC 5323,
    // and QUERY, which is GET with a body.
    package static let propfind = Method(known: "PROPFIND")
    package static let query = Method(known: "QUERY")
    package static let report = Method(known: "REPORT")
    package static let search = Method(known: "SEARCH")

    /// The methods of descriptors, patterns and routes that name no method are among these.
    package static let standard: [Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace,
    ]
    /// The methods with constants.
    private static let known = standard + [.propfind, .query, .report, .search]

    /// The methods that are idempotent (RFC 9110, section 9.2.2, and the registry).
    package static let idempotent: [Method] = [.put, .delete] + known.filter(\.isSafe)

    /// Whether the method is one of those with constants.
    private static func isKnown(_ token: String) -> Bool {
        known.contains { $0.rawValue == token }
    }
}

extension Method {
    /// Why a text cannot be the method of a request.
    package struct Refusal: Error {
        /// The end of a sentence that begins with "method is".
        package let reason: String
    }

    private static let reasonAgainstConnect =
        "CONNECT, which makes a tunnel and has no answer that could be read; "
        + "tunnels through proxies are made by themselves"

    /// Why `text`, which is no method with a constant, cannot be a method; nil if it can.
    private static func refusal(of text: String, _ path: String, _ shown: String) -> String? {
        guard ASCII.isToken(text) else {
            return "\(shown), which is no token: it has letters, digits and !#$%&'*+-.^_`|~ alone "
                + "(RFC 9110, section 9.1)"
        }
        if ASCII.areEqualIgnoringCase(text, "CONNECT") { return reasonAgainstConnect }
        // A server would refuse it, or, what is worse, take it for another method.
        if let meant = known.first(where: { ASCII.areEqualIgnoringCase($0.rawValue, text) }) {
            return "\(shown), and methods are case-sensitive: write \"\(meant.rawValue)\""
        }
        if isKnown(path) { return "\(shown), and the path is \"\(path)\": the method comes first" }
        return nil
    }
}

extension Method {
    /// Whether parameters are sent in the query instead of the body.
    package var parametersGoIntoQuery: Bool {
        switch self {
        case .get, .head, .delete, .options, .trace: true
        default: false
        }
    }

    /// Whether an answer stands for the object at the URL, so that the descriptors of a route map
    /// it. The answers to OPTIONS and TRACE tell about the request or the server.
    package var answersWithObjects: Bool { self != .options && self != .trace }

    /// Whether a request changes nothing on the server (RFC 9110, section 9.2.1).
    package var isSafe: Bool { Self.isSafe(rawValue) }

    package static func isSafe(_ token: String) -> Bool {
        switch token {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "REPORT", "SEARCH": true
        default: false
        }
    }

    /// Whether a request has no body (RFC 9110, sections 9.3.2 and 9.3.8).
    package var hasNoBody: Bool { self == .head || self == .trace }
}

/// A set of methods.
package struct MethodSet: Hashable, Sendable {
    /// The methods of descriptors that name no method. What the answers to other methods stand for
    /// is not known, so only a descriptor that names the method, or whose route does, maps them.
    package static let answeringWithObjects = MethodSet(
        Method.standard.filter(\.answersWithObjects))
    /// The methods of request descriptors that name no method.
    package static let withBodies = MethodSet(Method.standard.filter { !$0.parametersGoIntoQuery })

    /// Each method once, in the order of their names. There are so few that a search through all
    /// of them takes less time than hashing.
    private let methods: [Method]

    package init(_ methods: [Method]) {
        self.methods = Set(methods).sorted { $0.rawValue < $1.rawValue }
    }

    package func contains(_ method: Method) -> Bool { methods.contains(method) }

    package func isDisjoint(with other: MethodSet) -> Bool {
        !methods.contains(where: other.contains)
    }
}
