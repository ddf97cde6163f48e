import RestwayBatch

/// Sends requests in a batch without a call for each of them as long as all goes well. For a great
/// many requests, only their success is of interest. Each request ends in exactly one of the three
/// functions.
protocol BatchSender: Sendable {
    /// Takes an answer, if nothing else has to be done with it, and returns whether it did. Then
    /// the request has ended and its end is reported here. It runs on a worker.
    func take(_ index: Int, _ answer: BatchAnswer) -> Bool

    /// Makes a call that takes the answer instead, like any other call of a batch. The call has not
    /// started, and the client does not know it yet.
    func makeCall(_ index: Int) throws(Failure) -> Call

    /// Ends a request that was not sent or not answered.
    func fail(_ index: Int, _ failure: Failure)
}
