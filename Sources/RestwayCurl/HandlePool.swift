import CCurl
import RestwayHTTP

/// Easy handles for the exchanges of one transport, and the cookies that they share.
struct HandlePool {
    /// The number of handles kept for later exchanges: as many as servers usually let share one
    /// connection of HTTP/2. Each handle has a buffer, so not all handles are kept.
    private static let idleMax = 128

    private let sockets: SocketSet
    private let settings: CurlTransport.Settings
    let cookies: CookieJar?
    private var idle: [EasyHandle] = []

    init(sockets: SocketSet, _ settings: CurlTransport.Settings) {
        self.sockets = sockets
        self.settings = settings
        cookies = settings.keepsCookies ? CookieJar() : nil
    }

    /// A handle for one exchange; nil if there is no memory.
    mutating func take() -> EasyHandle? {
        idle.popLast() ?? EasyHandle(sockets: sockets, settings)
    }

    mutating func keep(_ handle: EasyHandle) {
        if idle.count < Self.idleMax { idle.append(handle) }
    }

    mutating func removeAll() {
        idle = []
    }
}

/// The cookies of one transport, in memory. All its easy handles use the jar on one thread at a
/// time, so it needs no lock.
final class CookieJar {
    let share: UnsafeMutableRawPointer

    init?() {
        guard let share = curl_share_init() else { return nil }
        self.share = share
        let code = rw_share_set_int(
            share, CURLSHOPT_SHARE, Int32(CURL_LOCK_DATA_COOKIE.rawValue))
        // From here on, deinit cleans up.
        guard code == CURLSHE_OK else { return nil }
    }

    /// All handles that share the cookies must have been freed before.
    deinit {
        curl_share_cleanup(share)
    }
}
