import Glibc
import RestwayThreads
import XCTest

/// A TCP server on loopback that follows the script of a test: each connection runs `script` on a
/// thread of its own. Its reads have a time limit, so a test that goes wrong ends.
final class TestServer: Sendable {
    typealias Script = @Sendable (Connection) -> Void

    struct State {
        var connections: [Connection] = []
        var requests: [Request] = []
        var isStopped = false
    }

    let port: Int
    let state = Monitor(State())
    private let listener: Int32

    init(_ script: @escaping Script) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 1_024) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        try XCTSkipUnless(isListening, "no loopback")
        port = Int(UInt16(bigEndian: address.sin_port))
        self.listener = listener
        let state = state
        XCTAssertTrue(
            Thread.start("test-server") { Self.accept(listener, state, script) })
    }

    deinit {
        stop()
    }

    /// Answers every request on every connection with `answer`.
    static func answering(_ answer: @escaping @Sendable (Request) -> String) throws -> TestServer {
        try TestServer { connection in
            while let request = connection.readRequest() { connection.write(answer(request)) }
        }
    }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    var connectionCount: Int { state.withLock { $0.connections.count } }
    var requests: [Request] { state.withLock { $0.requests } }

    /// Waits until the server has read this many requests.
    func waitForRequests(_ count: Int) -> Bool {
        state.wait(until: .testLimit) { $0.requests.count >= count ? true : nil } ?? false
    }

    func stop() {
        let connections = state.update { state in
            defer { state.isStopped = true }
            return state.isStopped ? [] : state.connections
        }
        for connection in connections { connection.hangUp() }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func accept(
        _ listener: Int32, _ state: Monitor<State>, _ script: @escaping Script
    ) {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            let connection: Connection? = state.update { state in
                if state.isStopped { return nil }
                let connection = Connection(descriptor, number: state.connections.count)
                state.connections.append(connection)
                return connection
            }
            guard let connection else {
                close(descriptor)
                break
            }
            let hasStarted = Thread.start("test-conn") {
                connection.onRequest { request in state.update { $0.requests.append(request) } }
                script(connection)
                connection.close()
            }
            if !hasStarted { connection.close() }
        }
        close(listener)
    }
}

extension Deadline {
    /// Long enough for the slowest machine, short enough for a test that hangs.
    static var testLimit: Deadline { SystemClock().now().advanced(milliseconds: 30_000) }
}
