import LoopbackServer
import RestwayHTTP

extension SuiteServer {
    /// Starts a real server on loopback that gives the answers of this one.
    func listen() throws -> TestServer {
        try TestServer { connection in
            while let request = connection.readRequest() {
                guard let answer = self.answer(SuiteRequest(request)),
                    connection.write(answer.bytes)
                else { return }
                // The body of such an answer ends with the connection.
                if answer.headers[first: "Transfer-Encoding"] != nil { return }
            }
        }
    }
}

extension SuiteRequest {
    fileprivate init(_ request: ReceivedRequest) {
        let fields = request.headers.map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? Headers.trimmed(parts[1]) : ""
            return HeaderField(name: String(parts[0]), value: String(value))
        }
        self.init(
            method: request.method, path: request.path, headers: Headers(fields),
            body: String(decoding: request.body, as: UTF8.self))
    }
}

extension SuiteAnswer {
    /// The answer as it is sent.
    fileprivate var bytes: [UInt8] {
        var text = "HTTP/1.1 \(status) \(reason)\r\n"
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        // Some answers of the suite state a length that is not that of their body.
        let length = headers[first: "Content-Length"].flatMap { Int($0) } ?? .max
        return Array((text + "\r\n").utf8) + Array(body.utf8.prefix(length))
    }
}
