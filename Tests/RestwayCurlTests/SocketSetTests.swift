import CCurl
import Foundation
import Glibc
import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCurl

/// Sockets of the loopback interface, without libcurl.
final class SocketSetTests: XCTestCase {
    private var sockets: SocketSet! = nil
    private var timer: TimerDescriptor! = nil
    private var wakeUps: EventDescriptor! = nil
    private var listener: Int32 = -1
    private let user = ExchangeID(1)
    private let other = ExchangeID(2)

    override func setUpWithError() throws {
        timer = try XCTUnwrap(TimerDescriptor())
        wakeUps = try XCTUnwrap(EventDescriptor())
        sockets = try XCTUnwrap(
            SocketSet(wakeUps: wakeUps.descriptor, timer: timer.descriptor))
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port: 0)
        XCTAssertEqual(Self.lend(&address) { bind(listener, $0, $1) }, 0)
        XCTAssertEqual(listen(listener, 8), 0)
    }

    override func tearDown() {
        close(listener)
        (sockets, timer, wakeUps) = (nil, nil, nil)
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private static func lend(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeBytes(of: &address) { bytes in
            body(
                bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    private static func port(of descriptor: Int32, _ name: (
        Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?
    ) -> Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutableBytes(of: &address) { bytes in
            name(
                descriptor, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// A connection that a request was sent on.
    private struct Made {
        let client: Int32
        let server: Int32
        let ends: ConnectionEnds
    }

    private func connect(_ kind: SocketSet.Kind) throws -> Made {
        var asked = curl_sockaddr()
        asked.family = AF_INET
        asked.socktype = Int32(SOCK_STREAM.rawValue)
        let client = sockets.open(&asked, kind: .unknown)
        XCTAssertGreaterThanOrEqual(client, 0)
        var address = Self.loopback(port: Self.port(of: listener, getsockname))
        _ = Self.lend(&address) { Glibc.connect(client, $0, $1) }
        let server = accept(listener, nil, nil)
        XCTAssertGreaterThanOrEqual(server, 0)
        let (local, remote) = (
            Self.port(of: client, getsockname), Self.port(of: listener, getsockname))
        let ends = try XCTUnwrap(
            ConnectionEnds(
                remote: "127.0.0.1", remotePort: Int32(remote), local: "127.0.0.1",
                localPort: Int32(local)))
        sockets.made(ends, kind: kind, by: user, opened: [client])
        return Made(client: client, server: server, ends: ends)
    }

    private func end(_ made: Made) {
        _ = sockets.close(made.client)
        close(made.server)
    }

    /// Sends bytes, and waits until the client's kernel has them.
    private func send(_ bytes: [UInt8] = [0], to made: Made) {
        XCTAssertEqual(Glibc.send(made.server, bytes, bytes.count, 0), bytes.count)
        waitUntilReadable(made)
    }

    private func waitUntilReadable(_ made: Made) {
        var poll = pollfd(fd: made.client, events: Int16(POLLIN), revents: 0)
        XCTAssertEqual(Glibc.poll(&poll, 1, 20_000), 1)
    }

    private func watch(_ made: Made, _ what: CInt) {
        sockets.watch(made.client, what, isPaused: false)
    }

    private func obstacle(
        _ made: Made, for user: ExchangeID, isSecure: Bool = true, holdsBytes: Bool = false
    ) -> PlaceOnConnection.Obstacle? {
        sockets.obstacle(
            on: made.ends, for: user, isSecure: isSecure, holdsBytes: holdsBytes)
    }

    /// Handles all events that have come; returns the descriptors of those that libcurl is told.
    private func events() -> [Int32] {
        var told: [Int32] = []
        sockets.wait(maySleep: false, timerFired: {}) { descriptor, _ in told.append(descriptor) }
        return told
    }

    /// Returns the events that the kernel watches on the descriptor, as Linux shows them.
    private func watched(_ descriptor: Int32) throws -> String? {
        let text = try String(
            contentsOfFile: "/proc/self/fdinfo/\(sockets.epoll)", encoding: .utf8)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words.count > 3, words[0] == "tfd:", words[1] == String(descriptor) {
                return words[3]
            }
        }
        return nil
    }

    func testNothingChangesInTheSetBetweenExchanges() throws {
        for kind in [SocketSet.Kind.http1, .http2, .unknown] {
            let made = try connect(kind)
            watch(made, CURL_POLL_IN)
            let during = try XCTUnwrap(watched(made.client))
            watch(made, CURL_POLL_REMOVE)
            XCTAssertEqual(try watched(made.client), during, "\(kind)")
            end(made)
        }
    }

    func testAnIdleConnectionOfHTTP1ThatBecomesReadableIsEnded() throws {
        let made = try connect(.http1)
        watch(made, CURL_POLL_IN)
        watch(made, CURL_POLL_REMOVE)
        send(to: made)
        XCTAssertEqual(events(), [])
        XCTAssertNil(try watched(made.client))
        var byte: UInt8 = 0
        XCTAssertEqual(recv(made.client, &byte, 1, Int32(MSG_DONTWAIT)), 0, "it has ended")
        end(made)
    }

    func testFramesOnAnIdleConnectionOfHTTP2AreLeftAndAnEndIsSeen() throws {
        let made = try connect(.http2)
        watch(made, CURL_POLL_IN)
        watch(made, CURL_POLL_REMOVE)
        send(to: made)
        XCTAssertEqual(events(), [])
        XCTAssertNotNil(try watched(made.client))
        var byte: UInt8 = 0
        XCTAssertEqual(recv(made.client, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)), 1)
        XCTAssertEqual(events(), [], "the unread byte wakes nobody")
        shutdown(made.server, Int32(SHUT_WR))
        for _ in 0..<1_000 where try watched(made.client) != nil {
            XCTAssertEqual(events(), [])
            sched_yield()
        }
        XCTAssertNil(try watched(made.client))
        end(made)
    }

    func testARequestIsStoppedOnAnIdleConnectionWithUnreadBytesOrAnEnd() throws {
        for kind in [SocketSet.Kind.http1, .http2, .unknown] {
            for ends in [false, true] where ends || kind != .http2 {
                let made = try connect(kind)
                XCTAssertNil(obstacle(made, for: other))
                if ends {
                    shutdown(made.server, Int32(SHUT_WR))
                    waitUntilReadable(made)
                } else {
                    send(to: made)
                }
                XCTAssertEqual(obstacle(made, for: other), .unread, "\(kind) \(ends)")
                end(made)
            }
        }
    }

    /// libcurl reads one record each time that it looks for a connection.
    func testTheFramesOfAnIdleConnectionOfHTTP2AreReadFirst() throws {
        let record: [UInt8] = [23, 3, 3, 0, 1, 0]
        let made = try connect(.http2)
        send(record + record.dropLast(), to: made)
        XCTAssertEqual(obstacle(made, for: other), .moreFrames)
        var read = [UInt8](repeating: 0, count: record.count)
        XCTAssertEqual(recv(made.client, &read, read.count, 0), read.count)
        XCTAssertNil(obstacle(made, for: other), "the end of the second record has not come")
        end(made)

        let plain = try connect(.http2)
        send(to: plain)
        XCTAssertEqual(obstacle(plain, for: other, isSecure: false), .moreFrames)
        end(plain)
    }

    func testAConnectionOfHTTP2WithFramesWithoutEndIsEnded() throws {
        let made = try connect(.http2)
        send(to: made)
        for _ in 0..<1_024 {
            XCTAssertEqual(obstacle(made, for: other, isSecure: false), .moreFrames)
        }
        XCTAssertEqual(obstacle(made, for: other, isSecure: false), .unread)
        var byte: UInt8 = 0
        XCTAssertEqual(recv(made.client, &byte, 1, Int32(MSG_DONTWAIT)), 0, "it has ended")
        end(made)
    }

    func testBytesThatTLSHoldsAreUnreadBytes() throws {
        let made = try connect(.http1)
        XCTAssertEqual(obstacle(made, for: other, holdsBytes: true), .unread)
        end(made)
    }

    func testAConnectionOfHTTP1WithTLSCarriesOneExchangeAtATime() throws {
        let made = try connect(.http1)
        watch(made, CURL_POLL_IN)
        XCTAssertEqual(obstacle(made, for: other), .busy)
        XCTAssertNil(obstacle(made, for: user), "the same exchange, after a Digest challenge")
        watch(made, CURL_POLL_REMOVE)
        XCTAssertNil(obstacle(made, for: other), "libcurl has released it")
        sockets.watch(made.client, CURL_POLL_REMOVE, isPaused: true)
        XCTAssertEqual(obstacle(made, for: user), .busy, "its exchange is paused")
        end(made)
    }

    func testAConnectionOfHTTP2CarriesManyWhateverHasCome() throws {
        let made = try connect(.http2)
        watch(made, CURL_POLL_IN)
        send(to: made)
        XCTAssertNil(obstacle(made, for: other))
        watch(made, CURL_POLL_REMOVE)
        sockets.pausedExchanges = 1
        XCTAssertNil(obstacle(made, for: other), "its bytes may belong to the paused exchange")
        sockets.pausedExchanges = 0
        XCTAssertEqual(obstacle(made, for: other, isSecure: false), .moreFrames)
        end(made)
    }

    func testConnectionsWithTheSamePortAreToldApart() throws {
        func ends(_ remote: String, _ remotePort: Int32, _ local: String) -> ConnectionEnds? {
            ConnectionEnds(
                remote: remote, remotePort: remotePort, local: local, localPort: 40_000)
        }
        let one = try XCTUnwrap(ends("127.0.0.1", 443, "127.0.0.1"))
        XCTAssertEqual(one, ends("127.0.0.1", 443, "127.0.0.1"))
        XCTAssertNotEqual(one, ends("127.0.0.2", 443, "127.0.0.1"))
        XCTAssertNotEqual(one, ends("127.0.0.1", 444, "127.0.0.1"))
        XCTAssertNotEqual(one, ends("127.0.0.1", 443, "127.0.0.2"))
        XCTAssertNil(
            ConnectionEnds(remote: "/run/api.sock", remotePort: 0, local: "", localPort: 0))
    }
}
