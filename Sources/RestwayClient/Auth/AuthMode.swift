/// How a request takes part in authentication.
package enum AuthMode: Sendable, Equatable {
    /// The request is authorised, waits for a refresh and is replayed.
    case full
    /// The request is authorised with the present credential, and neither waits nor is replayed.
    case bypass
    /// The request goes out without a credential.
    case none
}
