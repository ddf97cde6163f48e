import CCurl
import RestwayHTTP

/// The cookies that an easy handle sends and keeps: those of a jar, or cookies that were chosen
/// from it for one exchange.
struct HandleCookies {
    let easy: UnsafeMutableRawPointer
    /// The object that the handle uses while it shares no jar.
    private let sessions: ShareObject
    /// The jar that the handle shares.
    private(set) var jar: CookieJar?
    /// The jar and the cookies that were chosen from it.
    private var chosen: (jar: CookieJar, given: [Cookie])?

    init(easy: UnsafeMutableRawPointer, _ sessions: ShareObject) {
        self.easy = easy
        self.sessions = sessions
        rw_easy_set_pointer(easy, CURLOPT_SHARE, sessions.share)
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

    /// Whether the cookies have room in the request. If the first cookie has none, libcurl 7.88
    /// writes the name of the field without an end of the line, so that it swallows the next field.
    ///
    /// - Parameter mayUseProxy: Whether a proxy may get a user and a password.
    static func haveRoom(
        in exchange: Exchange, at place: String, mayUseProxy: Bool, _ jar: CookieJar
    ) -> Bool {
        let url = exchange.url.utf8.count
        // libcurl counts everything that it writes before the cookies. A proxy gets the whole URL,
        // and Digest authentication repeats it.
        var before = exchange.method.utf8.count + url + place.utf8.count + fieldBytesMax
        if mayUseProxy { before += proxyBytesMax }
        if exchange.digest != nil { before += url + digestBytesMax }
        guard before + Cookie.bytesMax >= bytesMax else { return true }
        return before + jar.longest(for: exchange.url) < bytesMax
    }

    /// The length of a request up to the end of the cookies.
    private static let bytesMax = 8_190
    /// The length of the fields before the cookies, without the place.
    private static let fieldBytesMax = 100
    /// The length of the field with the user and the password of a proxy.
    private static let proxyBytesMax = 600
    /// The length of the field of Digest authentication, without the URL.
    private static let digestBytesMax = 1_500

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
        rw_easy_set_pointer(easy, CURLOPT_SHARE, sessions.share)
        rw_easy_set_string(easy, CURLOPT_COOKIEFILE, nil)
        jar = nil
    }
}
