package import RestwayHTTP

/// What a server answered to a request that became a dead letter.
package struct OutboxAnswer: Equatable, Sendable {
    package var status: Int
    /// Cookies and what else the journal knows as secret are not stored.
    package var headers: [HeaderField]
    package var body: [UInt8]

    package init(status: Int, headers: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
