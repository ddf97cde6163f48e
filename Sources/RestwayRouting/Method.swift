/// The request methods that Restway supports (RFC 9110, section 9; PATCH: RFC 5789). CONNECT is
/// not one of them: it makes a tunnel, and its answer has no content.
package enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    case trace = "TRACE"

    /// Why there is no case for CONNECT, as the end of a message.
    package static let reasonAgainstConnect =
        "CONNECT, which makes a tunnel and has no answer that could be read; "
        + "tunnels through proxies are made by themselves"

    /// The method with this exact name. Methods are case-sensitive (RFC 9110, section 9.1).
    package init?(token: String) {
        self.init(rawValue: token)
    }

    /// Whether parameters are sent in the query instead of the body.
    package var parametersGoIntoQuery: Bool {
        switch self {
        case .get, .head, .delete, .options, .trace: true
        case .post, .put, .patch: false
        }
    }

    /// Whether an answer stands for the object at the URL, so that descriptors without methods map
    /// it. The answers to OPTIONS and TRACE tell about the request or the server.
    package var answersWithObjects: Bool { self != .options && self != .trace }

    /// Whether a request changes nothing on the server (RFC 9110, section 9.2.1).
    package var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        case .post, .put, .patch, .delete: false
        }
    }

    /// Whether a request has no body (RFC 9110, sections 9.3.2 and 9.3.8).
    package var hasNoBody: Bool { self == .head || self == .trace }
}

/// A set of methods. Each descriptor has one, so it takes no memory beside the descriptor.
package struct MethodSet: Hashable, Sendable {
    package static let all = MethodSet(Method.allCases)
    /// The methods of descriptors that name no method.
    package static let answeringWithObjects = MethodSet(
        Method.allCases.filter(\.answersWithObjects))

    private let bits: UInt8

    package init(_ methods: [Method]) {
        bits = methods.reduce(0) { $0 | Self.bit(of: $1) }
    }

    package func contains(_ method: Method) -> Bool {
        bits & Self.bit(of: method) != 0
    }

    package func isDisjoint(with other: MethodSet) -> Bool {
        bits & other.bits == 0
    }

    private static func bit(of method: Method) -> UInt8 {
        switch method {
        case .get: 1
        case .head: 2
        case .post: 4
        case .put: 8
        case .patch: 16
        case .delete: 32
        case .options: 64
        case .trace: 128
        }
    }
}
