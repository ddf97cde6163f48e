import CCurl

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
