import RestwayClient
import RestwayObjects
import RestwayThreads
import Synchronization

/// An object to which a handle of the program can point.
///
/// In a forked child, a thread of the parent may have left the lock of such an object held for
/// ever. So each object knows in which process it was made, and the child refuses the parent's
/// objects.
protocol HandleObject: AnyObject, Sendable {
    /// `ProcessGeneration.current` when the object was made.
    var generation: Int { get }
}

extension HandleObject {
    /// Whether the object was made in this process, and not in the parent before a fork.
    var isOfThisProcess: Bool { generation == ProcessGeneration.current }
}

extension Call: HandleObject {}
extension ChangeList: HandleObject {}
extension ManualClock: HandleObject {}
extension RefreshTicket: HandleObject {}
extension Snapshot: HandleObject {}

/// Passes Swift objects through the C boundary as opaque handles.
///
/// Only this type and `UserData` use `Unmanaged`. The reference counts include the references that
/// the program owns, but not handles that the library lends.
enum Handle {
    private static let liveCount = Atomic<Int64>(0)

    static var live: Int64 { liveCount.load(ordering: .relaxed) }

    /// Returns a handle that the program owns (+1).
    static func give<Object: HandleObject>(_ object: Object) -> OpaquePointer {
        liveCount.add(1, ordering: .relaxed)
        return OpaquePointer(Unmanaged.passRetained(object).toOpaque())
    }

    /// Returns a handle that lives as long as the owner of `object` keeps it.
    static func lend<Object: HandleObject>(_ object: Object) -> OpaquePointer {
        OpaquePointer(Unmanaged.passUnretained(object).toOpaque())
    }

    /// Adds a reference of the program to the object of `handle`, also in a forked child.
    static func retain<Object: HandleObject>(
        _ type: Object.Type, _ handle: OpaquePointer?
    ) -> OpaquePointer? {
        inherited(type, handle).map(give)
    }

    /// Releases one reference of the program.
    ///
    /// In a forked child, the parent's object is never destroyed: this could wait for a lock that
    /// no thread of the child will ever release, or close something that the parent still uses.
    static func release<Object: HandleObject>(_ type: Object.Type, _ handle: OpaquePointer?) {
        guard let handle else { return }
        liveCount.subtract(1, ordering: .relaxed)
        let object = Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle))
        if object._withUnsafeGuaranteedRef({ $0.isOfThisProcess }) { object.release() }
    }

    /// Returns the object of a handle; nil for NULL and, in a forked child, for a handle of the
    /// parent.
    static func object<Object: HandleObject>(
        _ type: Object.Type, _ handle: OpaquePointer?
    ) -> Object? {
        guard let object = inherited(type, handle), object.isOfThisProcess else { return nil }
        return object
    }

    /// Returns the object of a handle, whichever process made it; nil for NULL.
    static func inherited<Object: HandleObject>(
        _ type: Object.Type, _ handle: OpaquePointer?
    ) -> Object? {
        handle.map { Unmanaged<Object>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }
}
