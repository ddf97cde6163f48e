import Synchronization

/// Swift objects as the opaque handles of the C boundary.
///
/// Together with `UserData` this is the only place of `Unmanaged`. What is counted are references
/// that the host owns; those that the library lends are not.
enum Handle {
    private static let liveCount = Atomic<Int64>(0)

    static var live: Int64 { liveCount.load(ordering: .relaxed) }

    /// A handle that the host owns (+1).
    static func give(_ object: AnyObject) -> OpaquePointer {
        liveCount.add(1, ordering: .relaxed)
        return OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// A handle that lives as long as whoever holds `object`.
    static func lend(_ object: AnyObject) -> OpaquePointer {
        OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
    }

    /// Another reference of the host to what `handle` points at.
    static func retain<Object: AnyObject>(
        _ type: Object.Type, _ handle: OpaquePointer?
    ) -> OpaquePointer? {
        object(type, handle).map(give)
    }

    /// Takes back one reference of the host.
    static func release<Object: AnyObject>(_ type: Object.Type, _ handle: OpaquePointer?) {
        guard let handle else { return }
        liveCount.subtract(1, ordering: .relaxed)
        Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
    }

    static func object<Object: AnyObject>(
        _ type: Object.Type, _ handle: OpaquePointer?
    ) -> Object? {
        handle.map { Unmanaged<Object>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }
}
