import CLinux
import Glibc

/// A descriptor that is readable while it is set (eventfd(2)). Set and clear it under one lock.
package final class EventDescriptor: Sendable {
    package let descriptor: Int32

    /// Creates a descriptor; `nil` if the process has none left.
    package init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    package func set() {
        eventfd_write(descriptor, 1)
    }

    package func clear() {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
    }
}
