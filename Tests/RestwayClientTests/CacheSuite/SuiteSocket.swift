import Glibc
import RestwayHTTP
import RestwayThreads
import XCTest

/// A real server on loopback that answers with a `SuiteServer`.
final class SuiteSocket: Sendable {
    let port: Int
    private let listener: Int32
    private let server: SuiteServer

    init(_ server: SuiteServer) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        try XCTSkipUnless(isListening, "no loopback")
        port = Int(UInt16(bigEndian: address.sin_port))
        self.listener = listener
        self.server = server
        XCTAssertTrue(Thread.start("suite-server") { Self.accept(listener, server) })
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func accept(_ listener: Int32, _ server: SuiteServer) {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            let hasStarted = Thread.start("suite-conn") {
                var connection = SuiteConnection(descriptor: descriptor)
                connection.serve(server)
                close(descriptor)
            }
            if !hasStarted { close(descriptor) }
        }
        close(listener)
    }
}

/// The server's end of one connection.
private struct SuiteConnection {
    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit,
            socklen_t(MemoryLayout<timeval>.size))
    }

    /// Answers requests until one of the two sides ends the connection.
    mutating func serve(_ server: SuiteServer) {
        while let request = read() {
            guard let answer = server.answer(request), write(answer) else { return }
            // The body of such an answer ends with the connection.
            if answer.headers[first: "Transfer-Encoding"] != nil { return }
        }
    }

    private mutating func read() -> SuiteRequest? {
        var headEnd: Int?
        while headEnd == nil {
            headEnd = buffer.indices.first { buffer[$0...].starts(with: "\r\n\r\n".utf8) }
            if headEnd == nil, !fill() { return nil }
        }
        let lines = String(decoding: buffer[..<headEnd!], as: UTF8.self).split(separator: "\r\n")
        buffer.removeFirst(headEnd! + 4)
        let words = lines[0].split(separator: " ")
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? Headers.trimmed(parts[1]) : ""
            return HeaderField(name: String(parts[0]), value: String(value))
        }
        let headers = Headers(Array(fields))
        let length = headers[first: "Content-Length"].flatMap { Int($0) } ?? 0
        while buffer.count < length { if !fill() { return nil } }
        let body = String(decoding: buffer[..<length], as: UTF8.self)
        buffer.removeFirst(length)
        return SuiteRequest(
            method: String(words[0]), path: String(words[1]), headers: headers, body: body)
    }

    private mutating func fill() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { buffer += bytes[..<count] }
        return count > 0
    }

    private func write(_ answer: SuiteAnswer) -> Bool {
        var text = "HTTP/1.1 \(answer.status) \(answer.reason)\r\n"
        for field in answer.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        // Some answers of the suite state a length that is not that of their body.
        let length = answer.headers[first: "Content-Length"].flatMap { Int($0) } ?? .max
        let bytes = Array((text + "\r\n").utf8) + Array(answer.body.utf8.prefix(length))
        return bytes.withUnsafeBytes {
            send(descriptor, $0.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
    }
}
