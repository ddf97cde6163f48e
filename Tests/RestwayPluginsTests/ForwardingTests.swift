import CRestwayPlugin
import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayPlugins

/// Exchanges that a plugin leaves to the built-in transport.
final class ForwardingTests: XCTestCase {
    /// The built-in transport, controlled by the test.
    private final class BuiltIn: Transport {
        let observers = Lock<[ExchangeID: any ExchangeObserver]>([:])
        let cancelled = Lock<[ExchangeID]>([])
        let resumed = Lock<[ExchangeID]>([])

        func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID {
            observers.withLock { observers in
                let id = ExchangeID(UInt64(observers.count + 1))
                observers[id] = observer
                return id
            }
        }

        func cancel(_ id: ExchangeID) { cancelled.withLock { $0.append(id) } }
        func resume(_ id: ExchangeID) { resumed.withLock { $0.append(id) } }
        func close() {}

        func observer(_ number: UInt64) -> any ExchangeObserver {
            observers.withLock { $0[ExchangeID(number)]! }
        }
    }

    /// The calls of a watcher.
    private final class Watcher {
        var seen: [String] = []
        var answer = RESTWAY_PLUGIN_OK

        var table: restway_plugin_watcher {
            var table = restway_plugin_watcher()
            table.struct_size = MemoryLayout<restway_plugin_watcher>.size
            table.context = UserData.borrow(self)
            table.sent = { context, _, offset, bytes, length in
                let text = String(
                    decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
                UserData.object(Watcher.self, context!).seen.append("sent \(offset) \(text)")
            }
            table.head = { context, _, head in
                let status = head!.pointee.status
                let first = String(cString: head!.pointee.headers[0].value)
                UserData.object(Watcher.self, context!).seen.append("head \(status) \(first)")
            }
            table.body = { context, _, _, length in
                UserData.object(Watcher.self, context!).seen.append("body \(length)")
            }
            table.trailers = { context, _, _, count in
                UserData.object(Watcher.self, context!).seen.append("trailers \(count)")
            }
            table.completed = { context, _, end in
                let watcher = UserData.object(Watcher.self, context!)
                watcher.seen.append("completed \(end!.pointee.result)")
                return watcher.answer
            }
            return table
        }
    }

    private let plugin = FakePlugin()
    private let builtIn = BuiltIn()
    private let watcher = Watcher()

    private func forwarded(
        _ transport: PluginTransport, _ observer: WatchingObserver
    ) -> ExchangeID {
        let exchange = Exchange(
            method: "POST", url: "http://a.example/", body: .bytes(Array("abc".utf8)))
        let id = transport.start(exchange, observer: observer)
        // The bytes that it read before do not matter.
        XCTAssertEqual(plugin.read(id.rawValue, 2).bytes.count, 2)
        var table = watcher.table
        XCTAssertEqual(plugin.host.pointee.exchange_forward(plugin.host, id.rawValue, &table), 0)
        XCTAssertEqual(
            plugin.host.pointee.exchange_forward(plugin.host, id.rawValue, &table),
            RESTWAY_PLUGIN_FAILED)
        return id
    }

    private func answer(_ observer: any ExchangeObserver) {
        let headers = Headers([HeaderField(name: "A", value: "1")])
        observer.receivedHead(ResponseHead(status: 201, headers: headers, url: "http://a/"))
        _ = Array("xyz".utf8).withUnsafeBytes { observer.receivedBody($0) }
        observer.receivedTrailers(headers)
        observer.completed(.success(ExchangeSummary(connectionWasReused: true)))
    }

    private static let all = [
        "sent 0 abc", "head 201 1", "body 3", "trailers 1", "completed 0",
    ]

    func testTheWatcherSeesEverythingAndTheClientToo() throws {
        let transport = try plugin.open(builtIn: builtIn)
        let observer = WatchingObserver()
        let id = forwarded(transport, observer)
        answer(builtIn.observer(1))
        XCTAssertEqual(watcher.seen, Self.all)
        XCTAssertEqual(observer.record.withLock { $0.body }, Array("xyz".utf8))
        XCTAssertEqual(observer.summary?.connectionWasReused, true)
        transport.cancel(id)
        XCTAssertEqual(plugin.state.withLock { $0.cancelled }, [])
    }

    func testAPluginMayKeepTheEndBack() throws {
        let transport = try plugin.open(builtIn: builtIn)
        watcher.answer = RESTWAY_PLUGIN_LATER
        let observers = [WatchingObserver(), WatchingObserver(), WatchingObserver()]
        let ids = observers.map { forwarded(transport, $0) }
        for number in 1...3 { answer(builtIn.observer(UInt64(number))) }
        for observer in observers { XCTAssertNil(observer.record.withLock { $0.result }) }
        plugin.host.pointee.exchange_completed(plugin.host, ids[0].rawValue, nil)
        XCTAssertEqual(observers[0].summary?.connectionWasReused, true)
        plugin.complete(ids[1].rawValue, RESTWAY_PLUGIN_FAILED)
        XCTAssertEqual(observers[1].error?.kind, .plugin)
        // The plugin never reports the end, so the watchdog does.
        plugin.clock.advance(milliseconds: OpenedTransport.patienceMilliseconds)
        XCTAssertNotNil(observers[2].wait())
        XCTAssertEqual(observers[2].error?.kind, .timedOut)
    }

    func testAWatcherThatFailsFailsTheExchange() throws {
        let transport = try plugin.open(builtIn: builtIn)
        watcher.answer = RESTWAY_PLUGIN_FAILED
        let observer = WatchingObserver()
        _ = forwarded(transport, observer)
        answer(builtIn.observer(1))
        XCTAssertEqual(
            observer.error?.message,
            "plugin \"fakes\": transport \"fake\": its watcher failed (1)")
    }

    func testWhatIsForwardedIsCancelledAndResumedThere() throws {
        let transport = try plugin.open(builtIn: builtIn)
        let observer = WatchingObserver(reply: { .pause })
        let id = forwarded(transport, observer)
        let inner = builtIn.observer(1)
        inner.receivedHead(
            ResponseHead(
                status: 200, headers: Headers([HeaderField(name: "A", value: "1")]), url: ""))
        let reply = Array("x".utf8).withUnsafeBytes { inner.receivedBody($0) }
        XCTAssertEqual(reply, .pause)
        transport.resume(id)
        XCTAssertEqual(builtIn.resumed.withLock { $0 }, [ExchangeID(1)])
        transport.cancel(id)
        XCTAssertEqual(builtIn.cancelled.withLock { $0 }, [ExchangeID(1)])
        XCTAssertEqual(observer.error?.kind, .cancelled)
        XCTAssertEqual(plugin.state.withLock { $0.cancelled }, [])
        inner.completed(.failure(TransportError(.cancelled, "cancelled")))
        XCTAssertEqual(watcher.seen.last, "completed \(RESTWAY_PLUGIN_EXCHANGE_CANCELLED)")
    }

    func testThePluginSaysNothingOfWhatItHasForwarded() throws {
        let transport = try plugin.open(builtIn: builtIn)
        let observer = WatchingObserver()
        let id = forwarded(transport, observer)
        plugin.head(id.rawValue)
        XCTAssertEqual(
            observer.error?.message,
            "plugin \"fakes\": transport \"fake\": "
                + "calls exchange_head for an exchange that it has forwarded")
        XCTAssertEqual(builtIn.cancelled.withLock { $0 }, [ExchangeID(1)])
    }
}
