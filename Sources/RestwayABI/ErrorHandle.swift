import RestwayClient

/// An error of the host, with its texts.
final class ErrorHandle: Sendable {
    let failure: Failure
    let message: CText
    let apiCode: CText?
    let apiMessage: CText?
    let field: CText?
    let details: [(path: CText, message: CText)]
    let response: ResponseHandle?
    let texts = LentTexts()

    init(_ failure: Failure) {
        self.failure = failure
        message = CText(failure.message)
        apiCode = CText(failure.apiCode)
        apiMessage = CText(failure.apiMessage)
        field = CText(failure.field)
        details = failure.details.map { (CText($0.path), CText($0.message)) }
        response = failure.response.map(ResponseHandle.init)
    }
}
