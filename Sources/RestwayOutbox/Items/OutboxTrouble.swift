/// Why the last attempt at an item failed.
package struct OutboxTrouble: Equatable, Sendable {
    /// The client's word for the kind of failure; the journal has some of its own.
    package var code: String
    /// 0 without an answer.
    package var httpStatus: Int
    /// In words, without secrets.
    package var message: String

    /// The object that a request waited for was answered without an identity.
    package static let noIdentity = "noIdentity"
    /// The request that would have created the object was dropped.
    package static let noCreation = "noCreation"

    package init(code: String, httpStatus: Int = 0, message: String) {
        self.code = code
        self.httpStatus = httpStatus
        self.message = message
    }
}
