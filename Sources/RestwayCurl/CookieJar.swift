import CCurl
import Glibc
package import RestwayHTTP
import RestwayThreads

/// The cookies of one transport, in memory and, if the options name a file, in that file.
///
/// libcurl keeps them. The easy handles of exchanges use the jar on the I/O thread, and the program
/// lists and changes it on any thread.
package final class CookieJar: Sendable {
    private let file: StateFile?
    private let countMax: Int
    /// The cookies of the file, until libcurl has taken them.
    private let loaded: [Cookie]
    /// The cookies and the TLS sessions of the handles. The object is made when it is needed,
    /// because a client that has sent nothing does not need libcurl.
    private let made = Lock<ShareObject?>(nil)
    private let listing: Lock<Listing>

    /// The cookies as libcurl has listed them last.
    private struct Listing {
        /// `nil` if libcurl may have others by now.
        var cookies: [Cookie]?
        /// How often the cookies may have changed.
        var changes = 0
        /// Whether a cookie may have a path that ends with a slash.
        var hasFolderPaths = false
        /// The number of changes after which the number of cookies is checked.
        var nextCheck = changesUnchecked
    }

    /// How often cookies may come until their number is checked.
    private static let changesUnchecked = 256

    /// - Parameters:
    ///   - path: The file of the cookies, which are loaded from it; `nil` keeps them in memory
    ///     alone.
    ///   - countMax: The largest number of cookies that are kept.
    package static func open(
        path: String?, countMax: Int = Cookie.countMax
    ) throws(NetworkSettingError) -> CookieJar {
        guard let path else { return CookieJar(nil, [], countMax: countMax) }
        let file = StateFile(path: path, field: "cookie_file")
        let content = try file.read()
        let now = Int64(time(nil))
        var cookies: [Cookie]
        do {
            cookies = try Cookie.cookies(file: content.text)
            for index in cookies.indices where cookies[index].expires != 0 {
                cookies[index].expires = content.expiry(cookies[index].expires, now: now)
            }
            cookies = cookies.filter(isCurrent)
        } catch {
            throw file.error(error.message)
        }
        // This save fails if the file cannot be written, and it sets the permissions of the file.
        try file.save { Cookie.file(cookies.map(\.line)) }
        return CookieJar(file, cookies, countMax: countMax)
    }

    private init(_ file: StateFile?, _ loaded: [Cookie], countMax: Int) {
        self.file = file
        self.countMax = countMax
        self.loaded = loaded
        listing = Lock(
            Listing(cookies: loaded, hasFolderPaths: loaded.contains(where: \.hasFolderPath)))
    }

    /// The share object of libcurl; `nil` if there is no memory. All handles that use it must have
    /// been freed before the jar is.
    var share: UnsafeMutableRawPointer? {
        made.withLock { made in
            if let made { return made.share }
            let fill: (UnsafeMutableRawPointer) -> Void = { [loaded] easy in
                for cookie in loaded { Self.add(cookie, easy) }
            }
            guard let new = ShareObject(sharesCookies: true),
                Self.lendHandle(new.share, fill) != nil
            else { return nil }
            made = new
            return new.share
        }
    }

    // MARK: The program's side

    /// The cookies that have not expired; `nil` if there is no memory.
    package var cookies: [Cookie]? {
        lendHandle { easy in
            Self.lines(easy).compactMap { Cookie(line: $0[...]) }.filter(Self.isCurrent)
        }
    }

    /// Sets a cookie. Returns false if libcurl does not keep the cookie, because it has expired or
    /// breaks the rules for its name. Returns `nil` if there is no memory.
    package func set(_ cookie: Cookie) -> Bool? {
        noteFolderPath(cookie.hasFolderPath)
        let isKept = lendHandle { easy in
            Self.add(cookie, easy)
            return Self.lines(easy).contains { line in
                guard let kept = Cookie(line: line[...]), Self.isCurrent(kept) else { return false }
                return kept.name == cookie.name && kept.value == cookie.value
                    && kept.domain == cookie.domain && kept.path == cookie.path
            }
        }
        learned()
        removeExcess()
        changed()
        return isKept
    }

    /// Clears the cookies for which `isWanted` returns true. Returns their number; `nil` if there
    /// is no memory.
    package func clear(where isWanted: (Cookie) -> Bool) -> Int? {
        guard let cookies = cookies?.filter(isWanted) else { return nil }
        if !cookies.isEmpty {
            remove(cookies)
            learned()
            changed()
        }
        return cookies.count
    }

    private func remove(_ cookies: [Cookie]) {
        _ = lendHandle { easy in
            for var cookie in cookies {
                // libcurl removes a cookie when it is set with a time that has passed.
                cookie.expires = 1
                Self.add(cookie, easy)
            }
        }
    }

    /// Removes cookies if there are too many.
    private func removeExcess() {
        guard let cookies, cookies.count > countMax else { return }
        remove(Cookie.excess(of: cookies, countMax: countMax))
        listing.withLock { $0.cookies = nil }
    }

    // MARK: What is sent

    /// Takes note that libcurl may have got other cookies.
    func learned() {
        listing.withLock { listing in
            listing.cookies = nil
            listing.changes += 1
        }
    }

    /// Removes cookies from time to time if there are too many. Call it when no function of libcurl
    /// runs.
    func checkCount() {
        let isDue = listing.withLock { listing in
            guard listing.changes >= listing.nextCheck else { return false }
            listing.nextCheck = listing.changes + Self.changesUnchecked
            return true
        }
        if isDue { removeExcess() }
    }

    /// Takes note that a cookie may have a path that ends with a slash.
    func noteFolderPath(_ mayHaveOne: Bool) {
        if mayHaveOne { listing.withLock { $0.hasFolderPaths = true } }
    }

    /// Returns the cookies for a request if libcurl would choose others; `nil` if libcurl chooses
    /// them. libcurl sends a cookie with the path "/p/" to "/p" as well, against RFC 6265, section
    /// 5.1.4.
    func chosen(for url: String, at now: Int64 = Int64(time(nil))) -> [Cookie]? {
        guard listing.withLock({ $0.hasFolderPaths }), let place = try? CookiePlace(url: url),
            !place.path.hasSuffix("/"), let all = known
        else { return nil }
        let folder = place.path + "/"
        guard all.contains(where: { $0.path == folder }) else { return nil }
        return all.filter { ($0.expires == 0 || $0.expires >= now) && $0.isSent(to: place) }
    }

    /// Returns the number of bytes of the longest cookie that a request to `url` may send; 0 if it
    /// sends no cookie.
    func longest(for url: String, at now: Int64 = Int64(time(nil))) -> Int {
        guard let all = known, !all.isEmpty, var place = try? CookiePlace(url: url) else {
            return 0
        }
        place.isSecure = true
        return all.lazy.filter { ($0.expires == 0 || $0.expires >= now) && $0.isSent(to: place) }
            .map(\.bytes).max() ?? 0
    }

    /// Takes over the cookies of an exchange that had `given` and was left with `kept`.
    func merge(_ kept: [String], insteadOf given: [Cookie]) {
        let before = Set(given.map(\.line))
        let new = kept.filter { !before.contains($0) }.compactMap { Cookie(line: $0[...]) }
        let keys = Set(kept.compactMap { Cookie(line: $0[...])?.key })
        let gone = given.filter { !keys.contains($0.key) }
        guard !new.isEmpty || !gone.isEmpty else { return }
        noteFolderPath(new.contains(where: \.hasFolderPath))
        remove(gone)
        _ = lendHandle { easy in
            for cookie in new { Self.add(cookie, easy) }
        }
        learned()
        changed()
    }

    /// Returns the cookies that a request to `url` may send now. The text is the same for the same
    /// cookies, in whatever order they are sent. Returns `nil` if the cookies are not known.
    ///
    /// - Parameter now: The time in seconds since 1970.
    package func sent(to url: String, at now: Int64 = Int64(time(nil))) -> String? {
        guard let all = known else { return nil }
        // A client without cookies does not look at the URL.
        guard !all.isEmpty else { return "" }
        guard var place = try? CookiePlace(url: url) else { return nil }
        // HSTS may turn the request into one with TLS.
        place.isSecure = true
        // libcurl still sends a cookie in the second in which it expires.
        let sent = all.filter { ($0.expires == 0 || $0.expires >= now) && $0.isSent(to: place) }
        return sent.map { $0.name + "=" + $0.value }.sorted().joined(separator: "; ")
    }

    /// The cookies, which are listed only if they may have changed; `nil` if there is no memory.
    private var known: [Cookie]? {
        let (known, changes) = listing.withLock { ($0.cookies, $0.changes) }
        if let known { return known }
        guard let all = cookies else { return nil }
        listing.withLock { listing in
            if listing.changes == changes { listing.cookies = all }
        }
        return all
    }

    // MARK: The file

    /// Whether the cookies have a file.
    var hasFile: Bool { file != nil }

    /// Has a worker save the cookies, if they differ from the cookies in the file.
    func changed() {
        file?.saveSoon { [self] in text }
    }

    /// Saves the cookies for the last time.
    func close() {
        file?.saveOrWarn(isLast: true) { text }
    }

    private var text: String {
        let all = cookies ?? []
        let excess = Set(Cookie.excess(of: all, countMax: countMax).map(\.line))
        return Cookie.file(all.map(\.line).filter { !excess.contains($0) })
    }

    // MARK: libcurl

    /// Runs `body` with a handle that shares the cookies; returns `nil` if there is no memory.
    private func lendHandle<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result? {
        share.flatMap { Self.lendHandle($0, body) }
    }

    private static func lendHandle<Result>(
        _ share: UnsafeMutableRawPointer, _ body: (UnsafeMutableRawPointer) -> Result
    ) -> Result? {
        CurlGlobal.gate.pass {
            guard let easy = curl_easy_init() else { return nil }
            defer { curl_easy_cleanup(easy) }
            rw_easy_set_pointer(easy, CURLOPT_SHARE, share)
            return body(easy)
        }
    }

    static func add(_ cookie: Cookie, _ easy: UnsafeMutableRawPointer) {
        rw_easy_set_string(easy, CURLOPT_COOKIELIST, cookie.line)
    }

    static func lines(_ easy: UnsafeMutableRawPointer) -> [String] {
        var list: UnsafeMutablePointer<curl_slist>?
        rw_easy_get_list(easy, CURLINFO_COOKIELIST, &list)
        defer { curl_slist_free_all(list) }
        var lines: [String] = []
        var next = list
        while let item = next {
            lines.append(String(cString: item.pointee.data))
            next = item.pointee.next
        }
        return lines
    }

    private static func isCurrent(_ cookie: Cookie) -> Bool {
        cookie.expires == 0 || cookie.expires > Int64(time(nil))
    }
}
