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

package typealias MethodSet = Set<Method>

extension MethodSet {
    package static let all = MethodSet(Method.allCases)
}
