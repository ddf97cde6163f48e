/// Decides what to do with a response that may be a redirect.
package enum RedirectDecision: Equatable, Sendable {
    package enum Failure: Equatable, Sendable {
        /// There were more redirects than this.
        case tooMany(max: Int)
        /// The target is not an http or https URL.
        case invalid

        package var message: String {
            switch self {
            case .tooMany(let max): "more than \(max) redirects"
            case .invalid: "a redirect leads to something that is no http or https URL"
            }
        }
    }

    /// Send the next exchange. If the origin differs, credentials and the environment's headers are
    /// not sent.
    case follow(method: String, url: String, keepsBody: Bool, isSameOrigin: Bool)
    /// The response is the answer.
    case stop
    case fail(Failure)
}
