/// What to do with a response that may be a redirect.
package enum RedirectDecision: Equatable, Sendable {
    package enum Failure: Equatable, Sendable {
        /// More redirects than this.
        case tooMany(max: Int)
        /// The target is no http or https URL.
        case invalid

        package var message: String {
            switch self {
            case .tooMany(let max): "more than \(max) redirects"
            case .invalid: "a redirect leads to something that is no http or https URL"
            }
        }
    }

    /// Send the next exchange. When it is not the same origin, credentials and the environment's
    /// headers stay behind.
    case follow(method: String, url: String, keepsBody: Bool, isSameOrigin: Bool)
    /// The response is the answer.
    case stop
    case fail(Failure)
}
