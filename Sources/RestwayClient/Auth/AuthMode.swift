/// How a request takes part in authentication.
package enum AuthMode: Sendable, Equatable {
    /// It is authorised, waits for a refresh and is replayed.
    case full
    /// It is authorised with what there is, and neither waits nor is replayed.
    case bypass
    /// It goes out without a credential.
    case none
}
