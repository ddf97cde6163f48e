/// Passes Swift objects as the `void *` that C passes to its callbacks.
///
/// `Unmanaged` is used only here and in the handles of the C boundary.
package enum UserData {
    /// Keeps `object` alive until `take` is called with the pointer.
    package static func retain(_ object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(object).toOpaque()
    }

    /// Releases an object that `retain` kept alive. Call it exactly once for each `retain`.
    package static func take<Object: AnyObject>(
        _ type: Object.Type, _ pointer: UnsafeMutableRawPointer
    ) -> Object {
        Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }

    /// A pointer to `object`. The caller keeps the object alive while the pointer is used.
    package static func borrow(_ object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque()
    }

    /// The object behind a pointer from `retain` or `borrow`. Its ownership does not change.
    package static func object<Object: AnyObject>(
        _ type: Object.Type, _ pointer: UnsafeMutableRawPointer
    ) -> Object {
        Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Lends the object behind a pointer from `retain` or `borrow` without counting references, for
    /// calls that are made for each event.
    package static func lend(
        _ pointer: UnsafeMutableRawPointer, _ body: (_ object: AnyObject) -> Void
    ) {
        Unmanaged<AnyObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
    }
}

/// A pointer that a function of the host attaches to a failure. The host finds it in the error. The
/// library never dereferences the pointer.
package protocol HostCause: AnyObject, Sendable {
    /// The pointer. It is valid as long as this object lives.
    var pointer: UnsafeMutableRawPointer? { get }
}

/// How a function of the host has failed.
package struct HostRefusal: Error, Equatable, Sendable {
    /// The reason, for a message.
    package let reason: String
    /// The pointer that the function attached to its failure.
    package let cause: (any HostCause)?

    package init(_ reason: String, cause: (any HostCause)? = nil) {
        self.reason = reason
        self.cause = cause
    }

    package static func == (left: HostRefusal, right: HostRefusal) -> Bool {
        left.reason == right.reason && left.cause === right.cause
    }
}
