package import RestwayHTTP

/// What a server answered to one request of a batch.
package struct BatchAnswer: Equatable, Sendable {
    /// Of a final answer: an interim one answers nothing.
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
