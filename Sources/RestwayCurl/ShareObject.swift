import CCurl
import Glibc

/// A share object of libcurl: data that several easy handles use, on any threads. libcurl takes the
/// lock of the object for each use.
///
/// Every object shares the sessions of TLS, and an easy handle always uses an object. A handle that
/// keeps sessions of its own before it shares others loses the memory of its own (libcurl 7.88).
///
/// `@unchecked Sendable`: libcurl changes the shared data only while it holds the lock.
final class ShareObject: @unchecked Sendable {
    let share: UnsafeMutableRawPointer
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Returns `nil` if there is no memory.
    ///
    /// - Parameter sharesCookies: Whether the handles share their cookies too.
    init?(sharesCookies: Bool) {
        guard CurlGlobal.isReady, let new = curl_share_init() else { return nil }
        share = new
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        precondition(pthread_mutex_init(mutex, nil) == 0)
        rw_share_set_lock_functions(
            new,
            { _, _, _, mutex in
                pthread_mutex_lock(mutex!.assumingMemoryBound(to: pthread_mutex_t.self))
            },
            { _, _, mutex in
                pthread_mutex_unlock(mutex!.assumingMemoryBound(to: pthread_mutex_t.self))
            }, mutex)
        guard shares(CURL_LOCK_DATA_SSL_SESSION),
            !sharesCookies || shares(CURL_LOCK_DATA_COOKIE)
        else { return nil }
    }

    /// All handles that use the object must have been freed before.
    deinit {
        curl_share_cleanup(share)
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    private func shares(_ data: curl_lock_data) -> Bool {
        rw_share_set_int(share, CURLSHOPT_SHARE, Int32(data.rawValue)) == CURLSHE_OK
    }
}
