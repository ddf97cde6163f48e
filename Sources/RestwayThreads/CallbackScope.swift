import Glibc

/// Tells whether the current thread is inside a callback of the host.
///
/// Blocking functions check this: a callback that waited for another callback would never end.
package enum CallbackScope {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0)
        return key
    }()

    package static var isActive: Bool { depth > 0 }

    /// Runs `body`, which calls into the host.
    package static func run<Result>(_ body: () -> Result) -> Result {
        let outer = depth
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: outer + 1))
        defer { pthread_setspecific(key, UnsafeRawPointer(bitPattern: outer)) }
        return body()
    }

    /// The value of the thread is a count, not an address.
    private static var depth: Int { Int(bitPattern: pthread_getspecific(key)) }
}
