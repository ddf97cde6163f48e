import Foundation
import Glibc
import XCTest

/// A server on the loopback interface that follows the script of a test. Each connection runs the
/// script on a thread of its own; reads have a time limit, so that a test that goes wrong ends.
final class ScriptedServer: Sendable {
    typealias Script = @Sendable (ServerConnection) -> Void

    let url: String
    private let listener: Int32

    init(_ script: @escaping Script) throws {
        let (listener, port) = try LoopbackSocket.listen()
        self.listener = listener
        url = "http://127.0.0.1:\(port)/v2"
        Thread.detachNewThread {
            while true {
                let descriptor = Glibc.accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                Thread.detachNewThread {
                    let connection = ServerConnection(descriptor)
                    script(connection)
                    connection.close()
                }
            }
            Glibc.close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// A request as it arrived at a `ScriptedServer`.
struct ServerRequest: Sendable {
    let method: String
    let path: String
    /// Header fields by their names in small letters.
    let headers: [String: String]
    let body: [UInt8]
}

/// The server's end of one connection.
final class ServerConnection {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    fileprivate init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    /// Reads a request with its body; `nil` if the client has closed the connection.
    func request() -> ServerRequest? {
        guard let line = line(), !line.isEmpty else { return nil }
        var headers: [String: String] = [:]
        while let field = self.line(), !field.isEmpty {
            let parts = field.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] =
                parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
        }
        let words = line.split(separator: " ").map(String.init)
        let body =
            headers["transfer-encoding"] == "chunked"
            ? chunks() : read(Int(headers["content-length"] ?? "") ?? 0)
        guard let body, words.count > 1 else { return nil }
        return ServerRequest(method: words[0], path: words[1], headers: headers, body: body)
    }

    /// Reads the head of a request and leaves its body.
    func readHead() {
        while let line = line(), !line.isEmpty {}
    }

    private func chunks() -> [UInt8]? {
        var body: [UInt8] = []
        while let size = line().flatMap({ Int($0, radix: 16) }) {
            guard let chunk = read(size), line() == "" else { return nil }
            if size == 0 { return body }
            body += chunk
        }
        return nil
    }

    private func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end].filter { $0 != 13 }, as: UTF8.self)
            }
            if !fill() { return nil }
        }
    }

    private func read(_ count: Int) -> [UInt8]? {
        while buffer.count < count { if !fill() { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// Waits for bytes after what was read; false if the client has closed the connection.
    func waitForBytes() -> Bool { !buffer.isEmpty || fill() }

    /// Waits until the client closes the connection.
    func waitForEnd() {
        while fill() { buffer.removeAll() }
    }

    /// Sends a response whose body is complete.
    func answer(_ body: String = "", status: String = "200 OK", headers: [String] = []) {
        let fields = headers + ["Content-Length: \(body.utf8.count)"]
        write("HTTP/1.1 \(status)\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n\(body)")
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Returns false if the client has closed the connection.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends bytes until the client takes no more of them for a moment. Returns how many were sent.
    func fillUp(with piece: [UInt8], atMost count: Int) -> Int {
        var limit = timeval(tv_sec: 0, tv_usec: 300_000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        var sent = 0
        while sent < count {
            let length = min(piece.count, count - sent)
            let taken = send(descriptor, piece, length, Int32(MSG_NOSIGNAL))
            guard taken > 0 else { break }
            sent += taken
        }
        limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        return sent
    }

    private func fill() -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer += piece[..<count]
        return true
    }

    fileprivate func close() { Glibc.close(descriptor) }
}

/// Something that a test waits for.
final class Signal: Sendable {
    private let isGiven = DispatchSemaphore(value: 0)

    func give() { isGiven.signal() }

    /// Waits for it on the thread of a script.
    func wait() -> Bool { isGiven.wait(timeout: .now() + 30) == .success }

    /// Waits for it in a test.
    func given() async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.wait()) }
        }
    }
}

/// A socket that listens on a free port of the loopback interface.
enum LoopbackSocket {
    static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
