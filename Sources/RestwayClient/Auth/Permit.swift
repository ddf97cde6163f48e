import RestwayAuth

/// What a call goes out with.
struct Permit: Sendable {
    /// Its number; a refusal names it.
    let credentialNumber: UInt64
    let credential: Credential
    let authorize: AuthFunctions.Authorize?
}

/// What becomes of a call that asked to go out.
///
/// Indirect: it is handed on by several hands, and valgrind takes the tag of a large enum, which
/// lies in padding, for something that nobody wrote.
indirect enum AuthAnswer: Sendable {
    case go(Permit)
    case fail(Failure)
}
