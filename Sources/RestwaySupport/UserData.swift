/// Swift objects as the `void *` that C hands back to its callbacks.
///
/// Together with the handles of the C boundary this is the only place of `Unmanaged`.
package enum UserData {
    /// Keeps `object` alive until `take` is called with the pointer.
    package static func retain(_ object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(object).toOpaque()
    }

    /// Gives back what `retain` kept alive. Call it exactly once for each `retain`.
    package static func take<Object: AnyObject>(
        _ type: Object.Type, _ pointer: UnsafeMutableRawPointer
    ) -> Object {
        Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }

    /// A pointer to `object`, which somebody else keeps alive for as long as it is used.
    package static func borrow(_ object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque()
    }

    /// The object behind a pointer from `retain` or `borrow`, which stays as it is.
    package static func object<Object: AnyObject>(
        _ type: Object.Type, _ pointer: UnsafeMutableRawPointer
    ) -> Object {
        Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Lends the object behind a pointer from `retain` or `borrow`, without counting references:
    /// for what happens for each event.
    package static func lend(
        _ pointer: UnsafeMutableRawPointer, _ body: (_ object: AnyObject) -> Void
    ) {
        Unmanaged<AnyObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
    }
}
