/// The request methods that Restway supports (RFC 9110, section 9; PATCH: RFC 5789). CONNECT is not
/// one of them: it makes a tunnel, and its answer has no content.
package enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    case trace = "TRACE"

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

    /// Whether a request has no body (RFC 9110, sections 9.3.2 and 9.3.8).
    package var hasNoBody: Bool { self == .head || self == .trace }
}

package typealias MethodSet = Set<Method>

extension MethodSet {
    /// The methods of descriptors that name no method.
    package static let answeringWithObjects = MethodSet(
        Method.allCases.filter(\.answersWithObjects))
}
