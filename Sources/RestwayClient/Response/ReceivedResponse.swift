import RestwayHTTP

/// A response with its body decoded, before it is mapped.
final class ReceivedResponse: Sendable {
    let status: Int
    let headers: Headers
    let url: String
    let body: Body
    let trailers: Headers
    /// The times of everything before the mapping.
    let timings: CallTimings
    /// All attempts including this one; empty if this is the only one.
    let attempts: [CallAttempt]

    init(
        status: Int, headers: Headers, url: String, body: Body, trailers: Headers = Headers(),
        timings: CallTimings = CallTimings(), attempts: [CallAttempt] = []
    ) {
        self.status = status
        self.headers = headers
        self.url = url
        self.body = body
        self.trailers = trailers
        self.timings = timings
        self.attempts = attempts
    }

    /// Returns the same response with other attempts.
    func ending(_ attempts: [CallAttempt]) -> ReceivedResponse {
        ReceivedResponse(
            status: status, headers: headers, url: url, body: body, trailers: trailers,
            timings: timings, attempts: attempts)
    }

    var isSuccess: Bool { (200..<300).contains(status) }
}
