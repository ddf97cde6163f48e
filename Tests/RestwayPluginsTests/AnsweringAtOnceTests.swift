import CRestwayPlugin
import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayPlugins

/// A plugin may answer inside `start`; the contract is the same.
final class AnsweringAtOnceTests: XCTestCase {
    private let plugin = FakePlugin()

    private static let exchange = Exchange(method: "GET", url: "http://a.example/x")

    /// Starts an exchange that `answer` answers inside `start`.
    private func start(
        _ transport: PluginTransport, _ observer: WatchingObserver = WatchingObserver(),
        _ answer: @escaping @Sendable (UInt64) -> Void
    ) -> WatchingObserver {
        plugin.state.withLock { $0.onStart = answer }
        _ = transport.start(Self.exchange, observer: observer)
        plugin.state.withLock { $0.onStart = nil }
        return observer
    }

    private var cancelled: [UInt64] { plugin.state.withLock { $0.cancelled } }

    func testAnAnswerIsToldInOrder() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let first = start(transport) { id in
            plugin.head(id)
            XCTAssertEqual(plugin.body(id, "ab"), RESTWAY_PLUGIN_BODY_MORE)
            XCTAssertEqual(plugin.body(id, ""), RESTWAY_PLUGIN_BODY_MORE)
            XCTAssertEqual(plugin.body(id, "c"), RESTWAY_PLUGIN_BODY_MORE)
            plugin.complete(id)
        }
        XCTAssertEqual(first.record.withLock { $0.head?.url }, "http://a.example/x")
        XCTAssertEqual(first.record.withLock { $0.body }, Array("abc".utf8))
        XCTAssertEqual(first.summary?.downloadedBytes, 3)
        let second = start(transport) { plugin.complete($0, RESTWAY_PLUGIN_EXCHANGE_CONNECT) }
        XCTAssertEqual(second.error?.kind, .connect)
        // No transport is open any more: the host serves the next client.
        let host = plugin.host
        transport.close()
        XCTAssertEqual(plugin.state.withLock { $0.closes }, 1)
        _ = try plugin.open()
        XCTAssertEqual(plugin.host, host)
    }

    func testWhatIsAgainstTheOrderFails() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let breaches: [(String, @Sendable (UInt64) -> Void)] = [
            ("calls exchange_body before exchange_head", { _ = plugin.body($0, "a") }),
            ("calls exchange_head twice", { plugin.head($0); plugin.head($0) }),
            ("calls exchange_completed without exchange_head", { plugin.complete($0) }),
            ("gives a head with status 100", { plugin.head($0, status: 100) }),
            (
                "calls exchange_completed without an end",
                { plugin.host.pointee.exchange_completed(plugin.host, $0, nil) }
            ),
        ]
        for (problem, breach) in breaches {
            let observer = start(transport, WatchingObserver()) { id in
                breach(id)
                // The call is late and has no effect.
                plugin.head(id)
                XCTAssertEqual(plugin.body(id, "late"), RESTWAY_PLUGIN_BODY_STOP)
                plugin.complete(id)
                plugin.complete(id)
            }
            XCTAssertEqual(
                observer.error?.message, "plugin \"fakes\": transport \"fake\": \(problem)")
            XCTAssertEqual(observer.record.withLock { $0.body }, [])
        }
    }

    func testWhatComesBehindTheEndIsDropped() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let observer = start(transport) { id in
            plugin.head(id)
            plugin.complete(id)
            plugin.head(id)
            XCTAssertEqual(plugin.body(id, "late"), RESTWAY_PLUGIN_BODY_STOP)
            plugin.complete(id, RESTWAY_PLUGIN_EXCHANGE_CONNECT)
            transport.cancel(ExchangeID(id))
            transport.resume(ExchangeID(id))
            XCTAssertEqual(plugin.read(id, 3).answer, RESTWAY_PLUGIN_READ_FAILED)
        }
        XCTAssertNotNil(observer.summary)
        XCTAssertEqual(observer.record.withLock { $0.body }, [])
        XCTAssertEqual(cancelled, [])
        XCTAssertEqual(plugin.state.withLock { $0.resumed }, [])
    }

    func testCallsInsideOfACallAreABreach() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let observer = start(
            transport,
            WatchingObserver(onHead: {
                XCTAssertEqual(plugin.body(plugin.first, "x"), RESTWAY_PLUGIN_BODY_STOP)
            })
        ) { plugin.head($0) }
        XCTAssertEqual(
            observer.error?.message,
            "plugin \"fakes\": transport \"fake\": calls exchange_body inside of another call")
    }

    func testAPauseHoldsUntilItIsResumed() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let observer = start(transport, WatchingObserver(reply: { .pause })) { id in
            plugin.head(id)
            XCTAssertEqual(plugin.body(id, "a"), RESTWAY_PLUGIN_BODY_PAUSE)
            transport.resume(ExchangeID(id))
            XCTAssertEqual(plugin.body(id, "b"), RESTWAY_PLUGIN_BODY_PAUSE)
            XCTAssertEqual(plugin.body(id, "c"), RESTWAY_PLUGIN_BODY_STOP)
        }
        XCTAssertEqual(observer.error?.kind, .plugin)
        XCTAssertEqual(observer.record.withLock { $0.body }, Array("ab".utf8))
    }

    func testAnObserverThatHasEnoughIsToldAtOnce() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let enough = BodyReply.stop(TransportError(.tooLarge, "enough"))
        let observer = WatchingObserver(reply: { enough })
        _ = start(transport, observer) { id in
            plugin.head(id)
            XCTAssertEqual(plugin.body(id, "a"), RESTWAY_PLUGIN_BODY_STOP)
            XCTAssertEqual(observer.error?.message, "enough")
            plugin.complete(id, RESTWAY_PLUGIN_EXCHANGE_TOO_LARGE)
        }
        XCTAssertEqual(observer.record.withLock { $0.body }, Array("a".utf8))
    }

    /// When another thread cancels it at any point, it completes once, and that thread does not
    /// wait for the plugin.
    func testACancelAtEachPointCompletesOnce() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let steps: [@Sendable (UInt64) -> Void] = [
            { plugin.head($0) }, { _ = plugin.body($0, "a") }, { _ = plugin.body($0, "b") },
            { plugin.complete($0) },
        ]
        for point in 0...steps.count {
            let observer = WatchingObserver()
            _ = start(transport, observer) { id in
                for (index, step) in steps.enumerated() {
                    if index == point {
                        Self.elsewhere { transport.cancel(ExchangeID(id)) }
                        XCTAssertEqual(observer.error?.kind, .cancelled)
                    }
                    step(id)
                }
                Self.elsewhere { transport.cancel(ExchangeID(id)) }
            }
            XCTAssertEqual(observer.error?.kind, point < steps.count ? .cancelled : nil)
        }
        XCTAssertEqual(cancelled.count, steps.count)
    }

    func testAnotherThreadMayAnswerMeanwhile() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let observer = WatchingObserver()
        _ = start(transport, observer) { id in
            Self.elsewhere { plugin.head(id) }
            XCTAssertEqual(plugin.body(id, "a"), RESTWAY_PLUGIN_BODY_MORE)
            Self.elsewhere { XCTAssertEqual(plugin.body(id, "b"), RESTWAY_PLUGIN_BODY_MORE) }
            Self.elsewhere { plugin.complete(id) }
            XCTAssertNotNil(observer.summary)
            XCTAssertEqual(plugin.body(id, "late"), RESTWAY_PLUGIN_BODY_STOP)
        }
        XCTAssertEqual(observer.record.withLock { $0.body }, Array("ab".utf8))
    }

    /// A plugin that never returns from `start` blocks only the thread that called it.
    func testTheWatchdogDoesNotWaitForAStart() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let observer = WatchingObserver()
        var exchange = Self.exchange
        exchange.timeouts = ExchangeTimeouts(totalMilliseconds: 1_000)
        plugin.state.withLock { state in
            state.onStart = { id in
                plugin.head(id)
                plugin.clock.advance(milliseconds: 6_000)
                XCTAssertNotNil(observer.wait())
                XCTAssertEqual(plugin.body(id, "late"), RESTWAY_PLUGIN_BODY_STOP)
                plugin.complete(id)
            }
        }
        _ = transport.start(exchange, observer: observer)
        XCTAssertEqual(observer.error?.kind, .timedOut)
    }

    /// An end may cause the next start, on the same thread.
    func testAStartInsideOfAStartIsAnsweredApart() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let inner = WatchingObserver()
        let outer = start(
            transport,
            WatchingObserver(onHead: {
                _ = transport.start(Self.exchange, observer: inner)
            })
        ) { id in
            plugin.head(id)
            XCTAssertEqual(plugin.body(id, "\(id == plugin.first)"), RESTWAY_PLUGIN_BODY_MORE)
            plugin.complete(id)
        }
        XCTAssertEqual(inner.record.withLock { $0.body }, Array("false".utf8))
        XCTAssertEqual(outer.record.withLock { $0.body }, Array("true".utf8))
        XCTAssertNotNil(inner.summary)
        XCTAssertNotNil(outer.summary)
    }

    /// A plugin may use the host of another of its clients.
    func testAnotherHostKnowsNothingOfIt() throws {
        let plugin = plugin
        let transport = try plugin.open()
        let own = UInt(bitPattern: plugin.host)
        let other = try plugin.open()
        XCTAssertNotEqual(UInt(bitPattern: plugin.host), own)
        let observer = start(transport) { id in
            plugin.head(id)
            plugin.complete(id, RESTWAY_PLUGIN_EXCHANGE_CONNECT)
            plugin.state.withLock { $0.host = UnsafePointer(bitPattern: own) }
            plugin.head(id)
            plugin.complete(id)
        }
        XCTAssertNotNil(observer.summary)
        other.close()
    }

    /// An exchange that `start` has not answered is kept, with its whole request.
    func testAnExchangeIsKeptWhenStartHasReturned() throws {
        let plugin = plugin
        let builtIn = PlayedTransport()
        let transport = try plugin.open(builtIn: builtIn)
        _ = start(transport) { _ in }
        var watcher = restway_plugin_watcher()
        watcher.struct_size = MemoryLayout<restway_plugin_watcher>.size
        XCTAssertEqual(
            plugin.host.pointee.exchange_forward(plugin.host, plugin.first, &watcher),
            RESTWAY_PLUGIN_OK)
        XCTAssertEqual(builtIn.started.withLock { $0.map(\.url) }, ["http://a.example/x"])
    }

    /// Runs `body` on another thread, and waits for it.
    private static func elsewhere(_ body: @escaping @Sendable () -> Void) {
        let isDone = Monitor(false)
        WorkerPool.shared.submit {
            body()
            isDone.update { $0 = true }
        }
        let limit = SystemClock().now().advanced(milliseconds: 30_000)
        XCTAssertNotNil(isDone.wait(until: limit) { $0 ? true : nil })
    }

    /// Starts every exchange, and never ends an exchange.
    private final class PlayedTransport: Transport {
        let started = Lock<[Exchange]>([])

        func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID {
            started.withLock { $0.append(exchange) }
            return ExchangeID(1)
        }

        func cancel(_ id: ExchangeID) {}
        func close() {}
    }
}
