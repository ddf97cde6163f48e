package import RestwayHTTP

/// The answer of a server to a request that became a dead letter.
package struct OutboxAnswer: Equatable, Sendable {
    package var status: Int
    /// The stored headers. Cookies and the other headers that the journal knows as secret are left
    /// out.
    package var headers: [HeaderField]
    package var body: [UInt8]

    package init(status: Int, headers: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
