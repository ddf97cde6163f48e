import RestwayAuth

/// The credential and the function with which a call goes out.
struct Permit: Sendable {
    /// The number of the credential, by which a refusal names it.
    let credentialNumber: UInt64
    let credential: Credential
    let authorize: AuthFunctions.Authorize?
}

/// The answer to a call that asked to go out.
///
/// It is indirect because several functions pass it on. Also, valgrind reports the tag of a large
/// enum, which lies in padding, as uninitialized.
indirect enum AuthAnswer: Sendable {
    case go(Permit)
    case fail(Failure)
}
