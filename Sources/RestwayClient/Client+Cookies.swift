import RestwayCalls
import RestwayCurl
package import RestwayHTTP
package import RestwayOutcome
import RestwayPlugins
import RestwayRouting

/// The cookies that the built-in transport keeps.
extension Client {
    /// Lists the cookies that a request to `url` would send. Without a URL, lists all cookies.
    package func listCookies(url: String?) throws(Failure) -> [Cookie] {
        let isWanted = try Self.selection(url: url, name: nil)
        guard let cookies = try requireCookies().cookies else { throw Self.noMemory }
        return cookies.filter(isWanted)
    }

    /// Sets a cookie. A domain of `nil` is the host of `url`, and a `url` of `nil` is the base URL.
    package func setCookie(_ given: Cookie, domain: String?, url: String?) throws(Failure) {
        let jar = try requireCookies()
        var cookie = given
        if let domain {
            cookie.domain = domain
        } else {
            cookie.domain = try Self.place(url ?? calls.environment.baseURL.text).host
        }
        if let part = cookie.wrongPart {
            throw Failure(
                .invalidArgument,
                "the \(part) of the cookie is missing or has a character that cannot be sent",
                field: "cookie.\(part)")
        }
        if cookie.isTooLong {
            throw Failure(
                .invalidArgument,
                "the name and the value of the cookie have more than \(Cookie.bytesMax) bytes",
                field: "cookie.value")
        }
        guard let isKept = jar.set(cookie) else { throw Self.noMemory }
        guard isKept else {
            throw Failure(
                .invalidArgument,
                "the cookie \"\(cookie.name)\" is not kept: it has ended, or it "
                    + "breaks a rule of its name (__Secure-, __Host-)", field: "cookie")
        }
    }

    /// Clears the cookies that a request to `url` would send. Without a URL, clears the cookies of
    /// all hosts.
    ///
    /// - Parameter name: The name of the cookies; `nil` for any name.
    package func clearCookies(url: String?, name: String?) throws(Failure) -> Int {
        let isWanted = try Self.selection(url: url, name: name)
        guard let count = try requireCookies().clear(where: isWanted) else { throw Self.noMemory }
        return count
    }

    /// Throws if a file of cookies is set, and the transport is a plugin's.
    static func refuseCookieFile(
        _ network: NetworkSettings, _ transports: TransportTable
    ) throws(Failure) {
        guard network.cookieFile != nil, !transports.isStandardBuiltIn else { return }
        throw Failure(.config, "cookie_file: \(pluginText)", field: "options.network.cookie_file")
    }

    private static let pluginText =
        "the client's transport is a plugin's, whose cookies the library does not keep"

    private static var noMemory: Failure {
        Failure(.outOfMemory, "no memory is left for the cookies")
    }

    private func requireCookies() throws(Failure) -> CookieJar {
        try calls.refuseWhenClosed()
        guard transports.isStandardBuiltIn else {
            throw Failure(.invalidArgument, Self.pluginText, field: "client")
        }
        guard let cookies else {
            throw Failure(.invalidArgument, "the client keeps no cookies", field: "client")
        }
        return cookies
    }

    private static func selection(
        url: String?, name: String?
    ) throws(Failure) -> (Cookie) -> Bool {
        var place: CookiePlace?
        if let url { place = try Self.place(url) }
        return { [place] cookie in
            (name == nil || cookie.name == name) && (place.map(cookie.isSent) ?? true)
        }
    }

    private static func place(_ url: String) throws(Failure) -> CookiePlace {
        do {
            return try CookiePlace(url: url)
        } catch {
            throw Failure(error)
        }
    }
}
