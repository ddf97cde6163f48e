import CLinux
import CRestwayPlugin
import Synchronization

/// What stands behind the table that a transport of a plugin calls, for good: its host, and the
/// exchange that it is starting.
///
/// Many transports answer from inside of `start`. What they tell there finds its exchange here,
/// without the host's lock.
struct HostRoom: ~Copyable {
    let host: ExchangeHost
    private let id = Atomic<UInt64>(0)
    /// Which thread starts it; 0 when none does.
    private let thread = Atomic<UInt>(0)
    /// Where its `StartingExchange` is.
    private let place = Atomic<UInt>(0)

    init(_ host: ExchangeHost) {
        self.host = host
    }

    /// The room behind a table that a plugin gives, which may be any of the library's.
    static func of(_ table: UnsafePointer<restway_plugin_host>?) -> UnsafePointer<HostRoom>? {
        guard let context = table?.pointee.context else { return nil }
        return UnsafePointer(context.assumingMemoryBound(to: HostRoom.self))
    }

    /// This thread starts `exchange`, until `left`. Only one does at a time: so says the host.
    func enter(_ exchange: UnsafePointer<StartingExchange>) {
        place.store(UInt(bitPattern: exchange), ordering: .relaxed)
        id.store(exchange.pointee.exchange.id, ordering: .relaxed)
        thread.store(rw_thread_mark(), ordering: .relaxed)
    }

    func leave() {
        thread.store(0, ordering: .relaxed)
    }

    /// The exchange that this thread is starting, if that is `id`. To be used at once: it ends
    /// with `start`, which this thread is inside of.
    func starting(_ id: UInt64) -> UnsafePointer<StartingExchange>? {
        // What another thread writes meanwhile is never this one's mark.
        guard thread.load(ordering: .relaxed) == rw_thread_mark(),
            self.id.load(ordering: .relaxed) == id
        else { return nil }
        return UnsafePointer(bitPattern: place.load(ordering: .relaxed))
    }
}
