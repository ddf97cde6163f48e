import CRestwayPlugin
import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayPlugins

/// The host's side of a transport, with a plugin that the test controls.
final class PluginTransportTests: XCTestCase {
    private static func exchange(
        _ body: ExchangeBody = .none, totalMilliseconds: Int64 = 0
    ) -> Exchange {
        Exchange(
            method: "POST", url: "http://a.example/x/y?q=1",
            headers: [HeaderField(name: "A", value: "1"), HeaderField(name: "B", value: "")],
            body: body, timeouts: ExchangeTimeouts(totalMilliseconds: totalMilliseconds))
    }

    func testAnExchangeIsToldInOrder() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let observer = WatchingObserver()
        _ = transport.start(Self.exchange(), observer: observer)
        let id = plugin.first
        XCTAssertEqual(plugin.state.withLock { $0.headers }, ["A=1", "B="])
        plugin.head(id)
        XCTAssertEqual(plugin.body(id, "ab"), RESTWAY_PLUGIN_BODY_MORE)
        XCTAssertEqual(plugin.body(id, ""), RESTWAY_PLUGIN_BODY_MORE)
        XCTAssertEqual(plugin.body(id, "c"), RESTWAY_PLUGIN_BODY_MORE)
        plugin.host.pointee.exchange_progress(plugin.host, id, 0, 0, 3, 3)
        let name = "T", value = "v"
        name.withCString { name in
            value.withCString { value in
                var trailer = restway_plugin_header(name: name, value: value)
                plugin.host.pointee.exchange_trailers(plugin.host, id, &trailer, 1)
            }
        }
        plugin.complete(id)
        let record = observer.record.withLock { $0 }
        XCTAssertEqual(record.body, Array("abc".utf8))
        XCTAssertEqual(record.progress, [3])
        XCTAssertEqual(record.trailers?[first: "t"], "v")
        XCTAssertEqual(observer.summary?.downloadedBytes, 3)
    }

    func testAHeadWhoseBodyHasNoCertainEndIsAProtocolViolation() throws {
        let lines = [
            ("Content-Length", "9223372036854775808"), ("Transfer-Encoding", "gzip, chunked"),
            ("Transfer-Encoding", "rot13"),
        ]
        for (name, value) in lines {
            let plugin = FakePlugin()
            let transport = try plugin.open()
            // A head that was refused before must not be accepted because it is remembered.
            for turn in 0..<6 {
                let observer = WatchingObserver()
                if turn % 2 == 1 {
                    plugin.state.withLock { state in
                        state.onStart = { id in
                            plugin.head(id, name, value)
                            _ = plugin.body(id, "part")
                            plugin.complete(id)
                        }
                    }
                }
                _ = transport.start(Self.exchange(), observer: observer)
                plugin.state.withLock { $0.onStart = nil }
                let id = plugin.state.withLock { $0.started[turn] }
                if turn % 2 == 0 {
                    plugin.head(id, name, value)
                    XCTAssertEqual(plugin.body(id, "part"), RESTWAY_PLUGIN_BODY_STOP)
                    plugin.complete(id)
                }
                XCTAssertEqual(observer.error?.kind, .protocolViolation, value)
                XCTAssertTrue(observer.error?.message.contains("fake") ?? false)
                XCTAssertEqual(observer.record.withLock { $0.body }, [])
            }
        }
    }

    func testAnImpossibleLengthIsABreachOfTheContract() throws {
        typealias Breach = (FakePlugin, UInt64) -> Void
        let breaches: [String: Breach] = [
            "a body of SIZE_MAX": { plugin, id in
                plugin.head(id)
                let answer = plugin.host.pointee.exchange_body(plugin.host, id, "x", -1)
                XCTAssertEqual(answer, RESTWAY_PLUGIN_BODY_STOP)
            },
            "a body that is NULL": { plugin, id in
                plugin.head(id)
                let answer = plugin.host.pointee.exchange_body(plugin.host, id, nil, 3)
                XCTAssertEqual(answer, RESTWAY_PLUGIN_BODY_STOP)
            },
            "a buffer of SIZE_MAX": { plugin, id in
                var (byte, count) = (UInt8(0), 0)
                let answer = plugin.host.pointee.exchange_read(plugin.host, id, &byte, -1, &count)
                XCTAssertEqual(answer, RESTWAY_PLUGIN_READ_FAILED)
            },
            "SIZE_MAX trailers": { plugin, id in
                plugin.head(id)
                plugin.host.pointee.exchange_trailers(plugin.host, id, nil, -1)
            },
            "SIZE_MAX headers": { plugin, id in
                var head = restway_plugin_head()
                head.struct_size = MemoryLayout<restway_plugin_head>.size
                head.status = 200
                head.header_count = -1
                plugin.host.pointee.exchange_head(plugin.host, id, &head)
            },
        ]
        for (name, breach) in breaches {
            let plugin = FakePlugin()
            let transport = try plugin.open()
            let observer = WatchingObserver()
            _ = transport.start(Self.exchange(.bytes([1])), observer: observer)
            breach(plugin, plugin.first)
            XCTAssertEqual(observer.error?.kind, .plugin, name)
            XCTAssertEqual(observer.record.withLock { $0.body }, [], name)
            plugin.complete(plugin.first, RESTWAY_PLUGIN_FAILED)
        }
    }

    func testTheBodyIsPulledAndCanBeRewound() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        _ = transport.start(
            Self.exchange(.bytes([1, 2, 3, 4, 5])), observer: WatchingObserver())
        let id = plugin.first
        XCTAssertEqual(plugin.state.withLock { $0.bodyLength }, 5)
        for _ in 0..<2 {
            XCTAssertEqual(plugin.read(id, 3).bytes, [1, 2, 3])
            XCTAssertEqual(plugin.read(id, 3).bytes, [4, 5])
            let (answer, bytes) = plugin.read(id, 3)
            XCTAssertEqual(answer, RESTWAY_PLUGIN_READ_END)
            XCTAssertEqual(bytes, [])
            XCTAssertEqual(plugin.host.pointee.exchange_rewind(plugin.host, id), 0)
        }
        plugin.complete(id, RESTWAY_PLUGIN_EXCHANGE_CONNECT)
        XCTAssertEqual(plugin.read(id, 3).answer, RESTWAY_PLUGIN_READ_FAILED)
        XCTAssertEqual(plugin.read(4_711, 3).answer, RESTWAY_PLUGIN_READ_FAILED)
    }

    /// A source that gives pieces when the test says so.
    private final class Source: BodySource {
        let asked = Lock<[@Sendable (BodyPiece) -> Void]>([])
        let brings: BodyPiece?
        init(brings: BodyPiece? = nil) { self.brings = brings }
        var length: Int64? { nil }

        func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void) {
            if let brings { return deliver(brings) }
            asked.withLock { $0.append(deliver) }
        }

        func bring(_ piece: BodyPiece) {
            asked.withLock { $0.removeFirst() }(piece)
        }
    }

    func testABodyThatComesLaterIsAnnounced() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let source = Source()
        let observer = WatchingObserver()
        _ = transport.start(Self.exchange(.source(source)), observer: observer)
        let id = plugin.first
        XCTAssertEqual(plugin.state.withLock { $0.bodyLength }, -1)
        XCTAssertEqual(plugin.host.pointee.exchange_rewind(plugin.host, id), 0)
        XCTAssertEqual(plugin.read(id, 3).answer, RESTWAY_PLUGIN_READ_LATER)
        XCTAssertEqual(plugin.read(id, 3).answer, RESTWAY_PLUGIN_READ_LATER)
        XCTAssertEqual(source.asked.withLock { $0.count }, 1, "one piece at a time")
        source.bring(.bytes([1, 2, 3, 4]))
        XCTAssertEqual(plugin.state.withLock { $0.ready }, [id])
        XCTAssertEqual(plugin.read(id, 3).bytes, [1, 2, 3])
        XCTAssertEqual(plugin.read(id, 3).bytes, [4])
        XCTAssertEqual(
            plugin.host.pointee.exchange_rewind(plugin.host, id), RESTWAY_PLUGIN_FAILED)
        XCTAssertEqual(plugin.read(id, 3).answer, RESTWAY_PLUGIN_READ_LATER)
        source.bring(.end)
        XCTAssertEqual(plugin.state.withLock { $0.ready }, [id, id])
        XCTAssertEqual(plugin.read(id, 3).answer, RESTWAY_PLUGIN_READ_END)
        plugin.head(id)
        plugin.complete(id)
        XCTAssertEqual(observer.summary?.uploadedBytes, 4)
    }

    func testABodyThatCannotBeReadEndsTheExchange() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let source = Source(brings: .failed(TransportError(.cancelled, "no more")))
        let observer = WatchingObserver()
        _ = transport.start(Self.exchange(.source(source)), observer: observer)
        XCTAssertEqual(plugin.read(plugin.first, 3).answer, RESTWAY_PLUGIN_READ_FAILED)
        XCTAssertEqual(observer.error?.message, "no more")
        plugin.complete(plugin.first, RESTWAY_PLUGIN_FAILED)
        XCTAssertEqual(plugin.state.withLock { $0.ready }, [])
    }

    func testABodyThatComesAtOnceIsRead() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let source = Source(brings: .bytes([7, 8]))
        _ = transport.start(Self.exchange(.source(source)), observer: WatchingObserver())
        XCTAssertEqual(plugin.read(plugin.first, 9).bytes, [7, 8])
        XCTAssertEqual(plugin.read(plugin.first, 1).bytes, [7])
        XCTAssertEqual(plugin.state.withLock { $0.ready }, [])
    }

    func testARelativeLocationIsResolved() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let observer = WatchingObserver()
        _ = transport.start(Self.exchange(), observer: observer)
        let id = plugin.first
        "Location".withCString { name in
            "../z".withCString { value in
                var header = restway_plugin_header(name: name, value: value)
                var head = restway_plugin_head()
                head.struct_size = MemoryLayout<restway_plugin_head>.size
                head.status = 307
                head.header_count = 1
                withUnsafePointer(to: &header) { header in
                    head.headers = header
                    plugin.host.pointee.exchange_head(plugin.host, id, &head)
                }
            }
        }
        plugin.complete(id)
        XCTAssertEqual(observer.summary?.redirectURL, "http://a.example/z")
    }

    /// An exchange that is cancelled at any point completes once, and later calls of the plugin are
    /// dropped without a log message.
    func testACancelAtEachPointCompletesOnce() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let steps: [(UInt64) -> Void] = [
            { plugin.head($0) }, { _ = plugin.body($0, "a") }, { _ = plugin.body($0, "b") },
            { plugin.complete($0) },
        ]
        for point in 0...steps.count {
            let observer = WatchingObserver()
            let id = transport.start(Self.exchange(), observer: observer)
            for (index, step) in steps.enumerated() {
                if index == point { transport.cancel(id) }
                step(id.rawValue)
            }
            transport.cancel(id)
            XCTAssertNotNil(observer.wait())
            XCTAssertEqual(observer.error?.kind, point < steps.count ? .cancelled : nil)
        }
        XCTAssertEqual(plugin.state.withLock { $0.cancelled.count }, steps.count)
    }

    func testACancelThatIsAnsweredInsideOfABodyIsNoBreach() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let number = Lock<ExchangeID?>(nil)
        let observer = WatchingObserver {
            if let id = number.withLock({ $0 }) { transport.cancel(id) }
        }
        plugin.state.withLock { state in
            state.onCancel = { plugin.complete($0, RESTWAY_PLUGIN_EXCHANGE_CANCELLED) }
        }
        let id = transport.start(Self.exchange(), observer: observer)
        number.withLock { $0 = id }
        plugin.head(id.rawValue)
        XCTAssertEqual(observer.error?.kind, .cancelled)
    }

    func testCallsInsideOfACallAreABreach() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let observer = WatchingObserver {
            XCTAssertEqual(plugin.body(plugin.first, "x"), RESTWAY_PLUGIN_BODY_STOP)
        }
        _ = transport.start(Self.exchange(), observer: observer)
        plugin.head(plugin.first)
        XCTAssertEqual(observer.error?.kind, .plugin)
        XCTAssertEqual(
            observer.error?.message,
            "plugin \"fakes\": transport \"fake\": calls exchange_body inside of another call")
        XCTAssertEqual(plugin.state.withLock { $0.cancelled }, [plugin.first])
    }

    func testBackPressureIsHonoured() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let observer = WatchingObserver(reply: { .pause })
        let id = transport.start(Self.exchange(), observer: observer)
        plugin.head(id.rawValue)
        XCTAssertEqual(plugin.body(id.rawValue, "a"), RESTWAY_PLUGIN_BODY_PAUSE)
        transport.resume(id)
        XCTAssertEqual(plugin.state.withLock { $0.resumed }, [id.rawValue])
        XCTAssertEqual(plugin.body(id.rawValue, "b"), RESTWAY_PLUGIN_BODY_PAUSE)
        XCTAssertEqual(plugin.body(id.rawValue, "c"), RESTWAY_PLUGIN_BODY_STOP)
        XCTAssertEqual(observer.error?.kind, .plugin)
        XCTAssertEqual(observer.record.withLock { $0.body }, Array("ab".utf8))
    }

    func testAnObserverThatHasEnoughIsToldAtOnce() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let observer = WatchingObserver(reply: { .stop(TransportError(.tooLarge, "enough")) })
        let id = transport.start(Self.exchange(), observer: observer)
        plugin.head(id.rawValue)
        XCTAssertEqual(plugin.body(id.rawValue, "a"), RESTWAY_PLUGIN_BODY_STOP)
        XCTAssertEqual(observer.error?.message, "enough")
        XCTAssertEqual(plugin.body(id.rawValue, "b"), RESTWAY_PLUGIN_BODY_STOP)
        plugin.complete(id.rawValue, RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE)
    }

    func testTheWatchdogKeepsToTheTimeOut() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        let early = WatchingObserver()
        let late = WatchingObserver()
        let unbounded = WatchingObserver()
        _ = transport.start(Self.exchange(totalMilliseconds: 9_000), observer: late)
        _ = transport.start(Self.exchange(totalMilliseconds: 1_000), observer: early)
        _ = transport.start(Self.exchange(), observer: unbounded)
        XCTAssertEqual(
            plugin.clock.nextMilliseconds, 1_000 + OpenedTransport.patienceMilliseconds)
        plugin.clock.advance(milliseconds: 6_000)
        XCTAssertNotNil(early.wait())
        XCTAssertEqual(early.error?.kind, .timedOut)
        XCTAssertNil(late.error)
        plugin.clock.advance(milliseconds: 8_000)
        XCTAssertNotNil(late.wait())
        XCTAssertNil(unbounded.error)
        transport.close()
        XCTAssertEqual(unbounded.error?.kind, .closed)
        XCTAssertEqual(plugin.state.withLock { $0.closes }, 1)
    }

    func testAHostServesAgainOnlyWhenEverythingCameBack() throws {
        let plugin = FakePlugin()
        let first = try plugin.open()
        let host = plugin.host
        let id = first.start(Self.exchange(), observer: WatchingObserver())
        first.close()
        first.close()
        let second = try plugin.open()
        XCTAssertNotEqual(plugin.host, host, "the first one still has an exchange")
        plugin.state.withLock { $0.host = host }
        plugin.complete(id.rawValue, RESTWAY_PLUGIN_EXCHANGE_CLOSED)
        let third = try plugin.open()
        XCTAssertEqual(plugin.host, host)
        // The call is late, for an exchange of the previous session.
        let observer = WatchingObserver()
        _ = third.start(Self.exchange(), observer: observer)
        plugin.complete(id.rawValue)
        plugin.head(id.rawValue)
        first.cancel(id)
        XCTAssertNil(observer.error)
        XCTAssertNil(observer.record.withLock { $0.head })
        XCTAssertEqual(first.startAfterClose()?.kind, .closed)
        second.close()
        third.close()
        XCTAssertEqual(plugin.state.withLock { $0.closes }, 3)
    }

    func testACloseInsideOfAStartWaitsForItsEnd() throws {
        let plugin = FakePlugin()
        let transport = try plugin.open()
        plugin.state.withLock { state in
            state.onStart = { _ in
                transport.close()
                XCTAssertEqual(plugin.state.withLock { $0.closes }, 0)
            }
        }
        let observer = WatchingObserver()
        _ = transport.start(Self.exchange(), observer: observer)
        XCTAssertEqual(plugin.state.withLock { $0.closes }, 1)
        XCTAssertEqual(observer.error?.kind, .closed)
    }

    /// Threads that answer, cancel and close at the same time: each exchange completes once, which
    /// the observers check.
    func testManyThreadsCompleteEachExchangeOnce() throws {
        for seed in 0..<20 {
            let plugin = FakePlugin()
            let transport = try plugin.open()
            let observers = (0..<400).map { _ in WatchingObserver() }
            let answering = Monitor(0)
            plugin.state.withLock { state in
                state.onCancel = { plugin.complete($0, RESTWAY_PLUGIN_EXCHANGE_CANCELLED) }
            }
            for part in 0..<4 {
                WorkerPool.shared.submit {
                    for index in stride(from: part, to: observers.count, by: 4) {
                        let id = transport.start(Self.exchange(), observer: observers[index])
                        plugin.head(id.rawValue)
                        if index % 3 == seed % 3 { transport.cancel(id) }
                        _ = plugin.body(id.rawValue, "abc")
                        plugin.complete(id.rawValue)
                        if part == 3, index > 300, seed % 2 == 0 { transport.close() }
                    }
                    answering.update { $0 += 1 }
                }
            }
            let limit = SystemClock().now().advanced(milliseconds: 60_000)
            XCTAssertNotNil(answering.wait(until: limit) { $0 == 4 ? true : nil })
            transport.close()
            for observer in observers { XCTAssertNotNil(observer.wait()) }
            XCTAssertEqual(plugin.state.withLock { $0.closes }, 1)
        }
    }
}

extension PluginTransport {
    /// Returns why it starts no exchange any more.
    fileprivate func startAfterClose() -> TransportError? {
        let observer = WatchingObserver()
        _ = start(Exchange(method: "GET", url: "http://a.example/"), observer: observer)
        return observer.error
    }
}
