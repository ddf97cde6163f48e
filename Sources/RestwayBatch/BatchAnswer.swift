package import RestwayHTTP

/// A server's answer to one request of a batch.
package struct BatchAnswer: Equatable, Sendable {
    /// The status codes of a final answer. An interim answer does not count.
    package static let codes = 200...599

    package var code: Int
    package var headers: [HeaderField]
    package var body: [UInt8]

    package init(code: Int, headers: [HeaderField] = [], body: [UInt8] = []) {
        self.code = code
        self.headers = headers
        self.body = body
    }
}
