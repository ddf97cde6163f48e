import Glibc
package import RestwayThreads

/// A TCP server on loopback that follows the script of a test: each connection runs `script` on a
/// thread of its own. Its reads have a time limit, so a test that goes wrong ends.
package final class TestServer: Sendable {
    package typealias Script = @Sendable (ServerConnection) -> Void

    package struct State {
        package var connections: [ServerConnection] = []
        package var requests: [ReceivedRequest] = []
        var isStopped = false
    }

    package let port: Int
    package let state = Monitor(State())
    private let listener: Int32

    package init(_ script: @escaping Script) throws {
        let (listener, port) = try LoopbackSocket.listen()
        self.port = Int(port)
        self.listener = listener
        let state = state
        let hasStarted = Thread.start("test-server") { Self.accept(listener, state, script) }
        precondition(hasStarted, "no thread for a server")
    }

    deinit {
        stop()
    }

    /// Answers every request on every connection with `answer`.
    package static func answering(
        _ answer: @escaping @Sendable (ReceivedRequest) -> String
    ) throws -> TestServer {
        try TestServer { connection in
            while let request = connection.readRequest() { connection.write(answer(request)) }
        }
    }

    /// Takes connections and never answers.
    package static func silent() throws -> TestServer {
        try TestServer { $0.readToEnd() }
    }

    package func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    package var connectionCount: Int { state.withLock { $0.connections.count } }
    package var requests: [ReceivedRequest] { state.withLock { $0.requests } }

    /// Waits until the server has read this many requests.
    package func waitForRequests(_ count: Int) -> Bool {
        state.wait(until: .testLimit) { $0.requests.count >= count ? true : nil } ?? false
    }

    package func stop() {
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
            let connection: ServerConnection? = state.update { state in
                if state.isStopped { return nil }
                let connection = ServerConnection(descriptor, number: state.connections.count)
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
    package static var testLimit: Deadline { SystemClock().now().advanced(milliseconds: 30_000) }
}

/// A socket that listens on a free port of the loopback interface.
package enum LoopbackSocket {
    /// Why no socket listens: an error number of the system.
    package struct Refusal: Error {
        let number = errno
    }

    package static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, 1_024) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isListening else { throw Refusal() }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
