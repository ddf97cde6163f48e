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

    /// The failure of one request of a batch call that the server has answered. The answer to the
    /// request is missing, so that the request may be sent again, or it cannot be read.
    init(_ error: BatchError, ofRequestIn response: Response) {
        self.init(error, in: response)
        self.httpStatus = 0
        self.response = nil
        self.isRetryable = error.isMissing
    }

    /// The failure of each request of a batch call that has failed although the server has answered
    /// it with a success: its answer cannot be read. The server has the requests, so they must not
    /// be sent again. `nil` for any other failure of a batch call.
    var ofUnreadAnswer: Failure? {
        guard (200..<300).contains(self.httpStatus), !self.isOfNetwork, !self.isOfProgram else {
            return nil
        }
        var failure = Failure(.batch, self.message, field: self.field)
        failure.cause = self.cause
        return failure
    }
}
