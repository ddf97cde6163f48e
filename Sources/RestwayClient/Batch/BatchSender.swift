import RestwayBatch

/// Who sends requests in a batch that have no calls of their own as long as all goes well: of very
/// many, an answer that says no more than that it was taken is all that is wanted. Each is told of
/// once, in one of the three ways.
protocol BatchSender: Sendable {
    /// On a worker: whether the answer is all there is to it. Then the request has ended, and it is
    /// told here.
    func take(_ index: Int, _ answer: BatchAnswer) -> Bool

    /// What takes the answer otherwise, and goes on as any call of a batch would. It has not
    /// started, nor does the client know of it.
    func makeCall(_ index: Int) throws(Failure) -> Call

    /// Nobody was asked, or nobody answered.
    func fail(_ index: Int, _ failure: Failure)
}
