import CCurl
import RestwayHTTP

/// The cookies that an easy handle sends and keeps: those of a jar, or cookies that were chosen
/// from it for one exchange.
struct HandleCookies {
    let easy: UnsafeMutableRawPointer
    /// The jar that the handle shares.
    private(set) var jar: CookieJar?
    /// The jar and the cookies that were chosen from it.
    private var chosen: (jar: CookieJar, given: [Cookie])?

    init(easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    /// Sets the cookies for an exchange with `url`.
    ///
    /// - Parameter jar: `nil` to send and keep no cookies.
    mutating func use(_ jar: CookieJar?, for url: String) {
        guard let jar, let given = jar.chosen(for: url) else { return share(jar) }
        share(nil)
        // The handle gets a jar of its own.
        rw_easy_set_string(easy, CURLOPT_COOKIEFILE, "")
        for cookie in given { CookieJar.add(cookie, easy) }
        chosen = (jar, given)
    }

    /// The exchange has ended. Gives the jar the cookies that came while the handle had its own. No
    /// function of libcurl may run meanwhile.
    mutating func release() {
        jar?.checkCount()
        guard let (jar, given) = chosen else { return }
        chosen = nil
        jar.merge(CookieJar.lines(easy), insteadOf: given)
        disable()
    }

    private mutating func share(_ jar: CookieJar?) {
        guard jar !== self.jar else { return }
        guard let jar else { return disable() }
        // In any other order the handle would get a jar of its own or empty the shared jar.
        rw_easy_set_pointer(easy, CURLOPT_SHARE, jar.share)
        rw_easy_set_string(easy, CURLOPT_COOKIEFILE, "")
        self.jar = jar
    }

    private mutating func disable() {
        rw_easy_set_pointer(easy, CURLOPT_SHARE, nil)
        rw_easy_set_string(easy, CURLOPT_COOKIEFILE, nil)
        jar = nil
    }
}
