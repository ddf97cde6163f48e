import RestwayClient
import RestwayThreads

/// An error that the program owns, with its texts.
final class ErrorHandle: HandleObject, Sendable {
    let failure: Failure
    let message: CText
    let apiCode: CText?
    let apiMessage: CText?
    let field: CText?
    let details: [(path: CText, message: CText)]
    let response: ResponseHandle?
    let texts = LentTexts()
    let generation = ProcessGeneration.current

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
