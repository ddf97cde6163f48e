import RestwayOutcome
import RestwayText

extension Failure {
    /// The failure of a batch call whose answer cannot be taken apart.
    init(_ error: BatchError, in response: Response) {
        self.init(
            .batch, "POST \(URLText.withoutQuery(response.url)): \(error.message)",
            field: error.field)
        self.httpStatus = response.status
        self.response = response
        self.cause = error.cause
    }

    /// The failure of one request to which the answer of a batch call has no answer.
    init(unanswered error: BatchError, in response: Response) {
        self.init(error, in: response)
        self.httpStatus = 0
        self.response = nil
        self.isRetryable = true
    }
}
