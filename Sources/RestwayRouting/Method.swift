/// The request methods that Restway supports (RFC 9110, section 9; PATCH: RFC 5789).
package enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    /// The method with this exact name. Methods are case-sensitive (RFC 9110, section 9.1).
    package init?(token: String) {
        self.init(rawValue: token)
    }

    /// Whether parameters are sent in the query instead of the body.
    package var parametersGoIntoQuery: Bool {
        switch self {
        case .get, .head, .delete: true
        case .post, .put, .patch: false
        }
    }
}

/// A set of methods. Each descriptor has one, so it takes no memory beside the descriptor.
package struct MethodSet: Hashable, Sendable {
    package static let all = MethodSet(Method.allCases)

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
        }
    }
}
