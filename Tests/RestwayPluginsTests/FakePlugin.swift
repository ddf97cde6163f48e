import CRestwayPlugin
import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayPlugins

/// A transport of a plugin that the test controls: it records the calls of the host.
final class FakePlugin: @unchecked Sendable {
    struct State {
        var host: UnsafePointer<restway_plugin_host>?
        var started: [UInt64] = []
        var bodyLength: Int64 = 0
        var headers: [String] = []
        var cancelled: [UInt64] = []
        var resumed: [UInt64] = []
        var ready: [UInt64] = []
        var closes = 0
        /// Runs inside `start`, `cancel` and `close`.
        var onStart: (@Sendable (UInt64) -> Void)?
        var onCancel: (@Sendable (UInt64) -> Void)?
    }

    let state = Lock(State())
    let clock = ManualClock()
    private(set) var table: PluginTransportTable! = nil

    init() {
        var raw = restway_plugin_transport()
        raw.struct_size = MemoryLayout<restway_plugin_transport>.size
        let name = UnsafeMutablePointer<CChar>.allocate(capacity: 5)
        for (index, byte) in "fake".utf8CString.enumerated() { name[index] = byte }
        raw.name = UnsafePointer(name)
        raw.open = { context, host, _, outTransport, _ in
            UserData.object(FakePlugin.self, context!).state.withLock { $0.host = host }
            outTransport!.pointee = context
            return RESTWAY_PLUGIN_OK
        }
        raw.start = { transport, exchange in
            let plugin = UserData.object(FakePlugin.self, transport!)
            let id = exchange!.pointee.id
            let headers = UnsafeBufferPointer(
                start: exchange!.pointee.headers, count: exchange!.pointee.header_count)
            let texts = headers.map { String(cString: $0.name) + "=" + String(cString: $0.value) }
            let onStart = plugin.state.withLock { state in
                state.started.append(id)
                state.headers = texts
                state.bodyLength = exchange!.pointee.body_length
                return state.onStart
            }
            onStart?(id)
        }
        raw.cancel = { transport, id in
            let plugin = UserData.object(FakePlugin.self, transport!)
            let onCancel = plugin.state.withLock { state in
                state.cancelled.append(id)
                return state.onCancel
            }
            onCancel?(id)
        }
        raw.resume = { transport, id in
            UserData.object(FakePlugin.self, transport!).state.withLock { $0.resumed.append(id) }
        }
        raw.body_ready = { transport, id in
            UserData.object(FakePlugin.self, transport!).state.withLock { $0.ready.append(id) }
        }
        raw.close = { transport in
            UserData.object(FakePlugin.self, transport!).state.withLock { $0.closes += 1 }
        }
        // It is kept for ever, like a plugin.
        raw.context = UserData.retain(self)
        table = try! PluginTransportTable(&raw, plugin: "fakes")
    }

    func open(builtIn: any Transport = NoTransport()) throws -> PluginTransport {
        try PluginTransport(
            table, options: "{}",
            PluginTransport.Surroundings(builtIn: builtIn, clock: clock, timers: clock))
    }
}

/// The functions that a plugin calls.
extension FakePlugin {
    var host: UnsafePointer<restway_plugin_host> { state.withLock { $0.host! } }
    var first: UInt64 { state.withLock { $0.started[0] } }

    func head(_ id: UInt64, status: Int32 = 200) {
        var head = restway_plugin_head()
        head.struct_size = MemoryLayout<restway_plugin_head>.size
        head.status = status
        host.pointee.exchange_head(host, id, &head)
    }

    /// A head with one header line.
    func head(_ id: UInt64, _ name: String, _ value: String) {
        name.withCString { name in
            value.withCString { value in
                var line = restway_plugin_header(name: name, value: value)
                withUnsafePointer(to: &line) { line in
                    var head = restway_plugin_head()
                    head.struct_size = MemoryLayout<restway_plugin_head>.size
                    head.status = 200
                    head.http_version = 11
                    head.headers = line
                    head.header_count = 1
                    host.pointee.exchange_head(host, id, &head)
                }
            }
        }
    }

    func body(_ id: UInt64, _ text: String) -> Int32 {
        let bytes = Array(text.utf8)
        return host.pointee.exchange_body(host, id, bytes, bytes.count)
    }

    func complete(_ id: UInt64, _ result: Int32 = RESTWAY_PLUGIN_OK) {
        var end = restway_plugin_end()
        end.struct_size = MemoryLayout<restway_plugin_end>.size
        end.result = result
        host.pointee.exchange_completed(host, id, &end)
    }

    func read(_ id: UInt64, _ capacity: Int) -> (answer: Int32, bytes: [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: capacity)
        var count = -1
        let answer = host.pointee.exchange_read(host, id, &buffer, capacity, &count)
        return (answer, Array(buffer.prefix(count)))
    }
}

/// Refuses everything.
final class NoTransport: Transport {
    func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID {
        observer.completed(.failure(TransportError(.unsupported, "nothing is built in")))
        return ExchangeID(1)
    }

    func cancel(_ id: ExchangeID) {}
    func close() {}
}
