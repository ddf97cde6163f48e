import CCurl

/// The cookies of one transport, in memory. All its easy handles look into it, on the I/O thread
/// alone, so it needs no lock.
final class CookieJar {
    let share: UnsafeMutableRawPointer

    init?() {
        guard let share = curl_share_init() else { return nil }
        self.share = share
        let code = rw_share_set_int(
            share, CURLSHOPT_SHARE, Int32(CURL_LOCK_DATA_COOKIE.rawValue))
        // From here on deinit cleans up.
        guard code == CURLSHE_OK else { return nil }
    }

    /// Every handle that shares the cookies must be gone by now.
    deinit {
        curl_share_cleanup(share)
    }
}
