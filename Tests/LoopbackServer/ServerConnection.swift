import Glibc
import RestwayThreads

/// A request as it arrived at the server.
package struct ReceivedRequest: Sendable {
    package let line: String
    package let headers: [String]
    package let body: [UInt8]
    /// The number of the connection, in the order of acceptance.
    package let connection: Int

    package var method: String { String(line.prefix { $0 != " " }) }
    package var path: String { String(line.split(separator: " ").dropFirst().first ?? "") }

    package func header(_ name: String) -> String? {
        let prefix = name.lowercased() + ":"
        return headers.first { $0.lowercased().hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count).drop { $0 == " " }) }
    }
}

/// The server's end of one connection. Its script runs on one thread; `hangUp` may be called on
/// others.
package final class ServerConnection: @unchecked Sendable {
    package let number: Int
    private let descriptor: Lock<Int32>
    /// For the use of scripts.
    package var hasAnswered = false
    private var buffer: [UInt8] = []
    private var noteRequest: @Sendable (ReceivedRequest) -> Void = { _ in }

    init(_ descriptor: Int32, number: Int) {
        self.descriptor = Lock(descriptor)
        self.number = number
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    }

    func onRequest(_ body: @escaping @Sendable (ReceivedRequest) -> Void) { noteRequest = body }

    /// Returns the next request; `nil` when the client has closed the connection.
    package func readRequest() -> ReceivedRequest? {
        let blank: [UInt8] = [13, 10, 13, 10]
        var headEnd: Int?
        while headEnd == nil {
            if buffer.count >= 4 {
                headEnd = (0...(buffer.count - 4)).first { Array(buffer[$0..<($0 + 4)]) == blank }
            }
            if headEnd == nil, !fill() { return nil }
        }
        let head = String(decoding: buffer[..<headEnd!], as: UTF8.self)
        buffer.removeFirst(headEnd! + 4)
        let lines = head.split(separator: "\r\n").map(String.init)
        let length =
            lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
        let isChunked = lines.contains { $0.lowercased() == "transfer-encoding: chunked" }
        guard let body = isChunked ? readChunks() : read(length) else { return nil }
        let request = ReceivedRequest(
            line: lines.first ?? "", headers: Array(lines.dropFirst()), body: body,
            connection: number)
        noteRequest(request)
        return request
    }

    /// Reads a head and leaves the bytes after it; it does not count as a request.
    package func readHead() {
        while readLine().map({ !$0.isEmpty }) == true {}
    }

    private func readChunks() -> [UInt8]? {
        var body: [UInt8] = []
        while let size = readLine().flatMap({ Int($0, radix: 16) }) {
            guard let chunk = read(size), readLine() == "" else { return nil }
            if size == 0 { return body }
            body += chunk
        }
        return nil
    }

    /// Reads up to the next line break, without it; `nil` when the client has closed the
    /// connection.
    private func readLine() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                let line = buffer[..<end].filter { $0 != 13 }
                buffer.removeFirst(end + 1)
                return String(decoding: line, as: UTF8.self)
            }
            if !fill() { return nil }
        }
    }

    package func read(_ count: Int) -> [UInt8]? {
        while buffer.count < count { if !fill() { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// Waits for more bytes; false when the client has closed the connection.
    package func waitForBytes() -> Bool { !buffer.isEmpty || fill() }

    /// Reads until the client closes the connection.
    package func readToEnd() {
        while fill() { buffer.removeAll() }
    }

    /// Sends a response whose body is complete.
    package func answer(_ body: String = "", status: String = "200 OK", headers: [String] = []) {
        let fields = headers.map { "\($0)\r\n" }.joined()
        write(response(body, status: status, headers: fields))
    }

    @discardableResult
    package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Returns false when the client has closed the connection.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(raw, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends bytes until the client takes no more of them for a moment. Returns how many were sent.
    package func fillUp(with piece: [UInt8], atMost count: Int) -> Int {
        limitSending(timeval(tv_sec: 0, tv_usec: 300_000))
        defer { limitSending(timeval(tv_sec: 30, tv_usec: 0)) }
        var sent = 0
        while sent < count {
            let length = min(piece.count, count - sent)
            let taken = send(raw, piece, length, Int32(MSG_NOSIGNAL))
            guard taken > 0 else { break }
            sent += taken
        }
        return sent
    }

    private func limitSending(_ limit: timeval) {
        var limit = limit
        setsockopt(
            raw, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    package func close() {
        // It refers to the server's state, which refers to this.
        noteRequest = { _ in }
        descriptor.withLock { descriptor in
            if descriptor >= 0 { Glibc.close(descriptor) }
            descriptor = -1
        }
    }

    /// Ends the connection with a reset instead of a close.
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(raw, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Wakes a script that reads.
    func hangUp() {
        descriptor.withLock { if $0 >= 0 { shutdown($0, Int32(SHUT_RDWR)) } }
    }

    private var raw: Int32 { descriptor.withLock { $0 } }

    private func fill() -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(raw, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer += piece[..<count]
        return true
    }
}

/// A response with the right length.
package func response(
    _ body: String = "", status: String = "200 OK", headers: String = ""
) -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
}
