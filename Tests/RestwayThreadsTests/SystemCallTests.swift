import Glibc
import Synchronization
import XCTest

@testable import RestwayThreads

final class SystemCallTests: XCTestCase {
    private static let signalCount = Atomic<Int>(0)

    /// The ends of a pipe.
    private func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        XCTAssertEqual(Glibc.pipe(&ends), 0)
        return (ends[0], ends[1])
    }

    /// Interrupts a thread while it waits in a system call: twice, and again only when it has gone
    /// back to sleep.
    private func interrupt(_ thread: pthread_t, _ state: String) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in
            SystemCallTests.signalCount.add(1, ordering: .relaxed)
        }
        var before = sigaction()
        // Without SA_RESTART, the system call ends with EINTR.
        XCTAssertEqual(sigaction(SIGUSR1, &action, &before), 0)
        defer { sigaction(SIGUSR1, &before, nil) }
        for _ in 0..<2 {
            XCTAssertTrue(waitUntil { self.sleeps(state) })
            let count = Self.signalCount.load(ordering: .relaxed)
            XCTAssertEqual(pthread_kill(thread, SIGUSR1), 0)
            XCTAssertTrue(waitUntil { Self.signalCount.load(ordering: .relaxed) > count })
        }
        XCTAssertTrue(waitUntil { self.sleeps(state) })
    }

    private func waitUntil(_ condition: () -> Bool) -> Bool {
        let limit = SystemClock().now().advanced(milliseconds: 10_000)
        while !condition() {
            guard SystemClock().now() < limit else { return false }
            sched_yield()
        }
        return true
    }

    /// Whether a thread sleeps in the kernel.
    ///
    /// - Parameter state: The file that says so.
    private func sleeps(_ state: String) -> Bool {
        guard let file = fopen(state, "r") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return false }
        return String(cString: line).contains(") S ")
    }

    /// Runs `body` on another thread, which is interrupted before `wake` lets it go on.
    private func interrupting<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result, thenWake wake: () -> Void
    ) throws -> Result {
        let (state, result) = (Monitor<String?>(nil), Monitor<Result?>(nil))
        let thread = try XCTUnwrap(
            Thread.startJoinable("test") {
                // Threads of the library block all signals.
                var signals = sigset_t()
                sigaddset(&signals, SIGUSR1)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                var link = [CChar](repeating: 0, count: 256)
                readlink("/proc/thread-self", &link, link.count - 1)
                state.update { [link] in $0 = "/proc/\(String(cString: link))/stat" }
                let value = body()
                result.update { $0 = value }
            })
        interrupt(thread, try XCTUnwrap(state.wait { $0 }))
        wake()
        pthread_join(thread, nil)
        return try XCTUnwrap(result.withLock { $0 })
    }

    func testAReadThatASignalInterruptsGoesOn() throws {
        let pipe = try pipe()
        defer { for end in [pipe.read, pipe.write] { close(end) } }
        let byte = try interrupting({
            var byte: UInt8 = 0
            return SystemCall.read(pipe.read, &byte, 1) == 1 ? byte : nil
        }, thenWake: { write(pipe.write, "x", 1) })
        XCTAssertEqual(byte, UInt8(ascii: "x"))
    }

    func testAReadWaitsForBytesOfADescriptorThatDoesNotBlock() throws {
        let pipe = try pipe()
        defer { for end in [pipe.read, pipe.write] { close(end) } }
        XCTAssertEqual(fcntl(pipe.read, F_SETFL, O_NONBLOCK), 0)
        let byte = try interrupting({
            var byte: UInt8 = 0
            return SystemCall.read(pipe.read, &byte, 1) == 1 ? byte : nil
        }, thenWake: { write(pipe.write, "x", 1) })
        XCTAssertEqual(byte, UInt8(ascii: "x"))
    }

    /// A pipe holds 64 KiB, so that the thread writes in parts and waits between them.
    func testAllBytesAreWrittenHoweverOftenSignalsInterrupt() throws {
        for flags in [0, O_NONBLOCK] {
            let pipe = try pipe()
            defer { close(pipe.read) }
            XCTAssertEqual(fcntl(pipe.write, F_SETFL, flags), 0)
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
            var read: [UInt8] = []
            let isWritten = try interrupting({
                defer { close(pipe.write) }
                return bytes.withUnsafeBytes {
                    SystemCall.writeAll(pipe.write, $0, mayBePipe: true)
                }
            }, thenWake: {
                var part = [UInt8](repeating: 0, count: 10_000)
                while case let count = SystemCall.read(pipe.read, &part, part.count), count > 0 {
                    read += part[..<count]
                }
            })
            XCTAssertTrue(isWritten)
            XCTAssertTrue(read == bytes, "\(read.count) bytes have come")
        }
    }

    func testAClosedPipeIsAnErrorAndNoSignal() throws {
        let pipe = try pipe()
        close(pipe.read)
        defer { close(pipe.write) }
        let isWritten = Array("x".utf8).withUnsafeBytes {
            SystemCall.writeAll(pipe.write, $0, mayBePipe: true)
        }
        XCTAssertEqual(errno, EPIPE)
        XCTAssertFalse(isWritten)
    }

    func testAFileIsReadUntilTheBufferIsFullOrTheFileEnds() throws {
        var name = Array("/tmp/restway-call-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        defer { close(file) }
        unlink(name)
        XCTAssertTrue(Array("restway".utf8).withUnsafeBytes { SystemCall.writeAll(file, $0) })
        XCTAssertEqual(SystemCall.pwrite(file, "R", 1, at: 0), 1)
        for (room, expected) in [(4, "Rest"), (7, "Restway"), (9, "Restway"), (0, "")] {
            var buffer = [UInt8](repeating: 0, count: room)
            let count = buffer.withUnsafeMutableBytes { SystemCall.readAll(file, $0) }
            XCTAssertEqual(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self), expected)
        }
        var byte: UInt8 = 0
        XCTAssertEqual(SystemCall.pread(file, &byte, 1, at: 4), 1)
        XCTAssertEqual(byte, UInt8(ascii: "w"))
        XCTAssertEqual(SystemCall.pread(file, &byte, 1, at: 7), 0)
        XCTAssertEqual(SystemCall.read(-1, &byte, 1), -1)
        XCTAssertEqual(errno, EBADF)
    }
}
