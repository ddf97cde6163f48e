import RestwayHTTP

/// A response with its body decoded, before it is mapped.
struct ReceivedResponse: Sendable {
    var status: Int
    var headers: Headers
    var url: String
    var body: Body
    var trailers = Headers()
    var timings = CallTimings()
    /// Those before, and this one; empty when this is the only one.
    var attempts: [CallAttempt] = []

    var isSuccess: Bool { (200..<300).contains(status) }
}
