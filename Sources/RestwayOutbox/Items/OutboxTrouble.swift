/// Why the last attempt at an item failed.
package struct OutboxTrouble: Equatable, Sendable {
    /// The client's word for the kind of failure. The journal adds some words of its own.
    package var code: String
    /// The status of the answer; 0 if there was no answer.
    package var httpStatus: Int
    /// A description without secrets.
    package var message: String

    /// A request waits for an object, but the server answered the creation without an identity.
    package static let noIdentity = "noIdentity"
    /// The server has seen the key of the request with another request.
    package static let keyReused = "keyReused"
    /// The request that would have created the object was dropped.
    package static let noCreation = "noCreation"

    package init(code: String, httpStatus: Int = 0, message: String) {
        self.code = code
        self.httpStatus = httpStatus
        self.message = message
    }
}
