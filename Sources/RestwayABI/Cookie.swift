public import CRestway
import RestwayClient
import RestwayHTTP
import RestwayOutcome
import RestwayThreads

/// A list of cookies, with the texts that C callers borrow from it.
final class CookiesHandle: ArgumentObject, Sendable {
    static let parameter = "cookies"
    let cookies: [Cookie]
    let texts = LentTexts()
    let generation = ProcessGeneration.current

    init(_ cookies: [Cookie]) {
        self.cookies = cookies
    }

    func read(_ index: Int) throws(Failure) -> restway_cookie {
        guard let cookie = cookies.at(index) else {
            throw Argument.wrong(
                "index", "the list has \(cookies.count) cookies, and none at \(index)")
        }
        var flags: UInt32 = 0
        if cookie.includesSubdomains { flags |= RESTWAY_COOKIE_SUBDOMAINS }
        if cookie.isSecure { flags |= RESTWAY_COOKIE_SECURE }
        if cookie.isHTTPOnly { flags |= RESTWAY_COOKIE_HTTP_ONLY }
        return restway_cookie(
            struct_size: MemoryLayout<restway_cookie>.size,
            name: texts.pointer("name \(index)") { cookie.name },
            value: texts.pointer("value \(index)") { cookie.value },
            domain: texts.pointer("domain \(index)") { cookie.domain },
            path: texts.pointer("path \(index)") { cookie.path }, expires: cookie.expires,
            flags: flags, reserved: 0)
    }
}

// cookie.h

@_cdecl("restway_client_cookies") @implementation
public func restway_client_cookies(
    _ client: InHandle, _ url: CString?, _ outCookies: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outCookies, outError, "out_cookies") { client throws(Failure) in
        CookiesHandle(try client.listCookies(url: try Argument.optionalString(url, "url")))
    }
}

@_cdecl("restway_cookies_count") @implementation
public func restway_cookies_count(_ cookies: InHandle) -> Int {
    CookiesHandle.object(cookies)?.cookies.count ?? 0
}

@_cdecl("restway_cookies_read") @implementation
public func restway_cookies_read(
    _ cookies: InHandle, _ index: Int, _ cookie: Out<restway_cookie>?, _ outError: OutHandle?
) -> restway_status {
    CookiesHandle.using(cookies, outError) { cookies throws(Failure) in
        try SizedStructs.cookie.write(try cookies.read(index), to: cookie)
    }
}

@_cdecl("restway_client_set_cookie") @implementation
public func restway_client_set_cookie(
    _ client: InHandle, _ url: CString?, _ cookie: In<restway_cookie>?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        let url = try Argument.optionalString(url, "url")
        let fields = try CookieFields(cookie)
        try client.setCookie(Cookie(fields), domain: fields.domain, url: url)
    }
}

@_cdecl("restway_client_clear_cookies") @implementation
public func restway_client_clear_cookies(
    _ client: InHandle, _ url: CString?, _ name: CString?, _ outCount: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    ClientHandle.writing(client, outCount, 0, outError) { client throws(Failure) in
        try client.clearCookies(
            url: try Argument.optionalString(url, "url"),
            name: try Argument.optionalString(name, "name"))
    }
}

extension Cookie {
    /// Takes all fields of a cookie except its domain.
    fileprivate init(_ fields: CookieFields) {
        self.init(
            name: fields.name, value: fields.value, domain: "", path: fields.path ?? "/",
            expires: fields.expires,
            includesSubdomains: fields.flags & RESTWAY_COOKIE_SUBDOMAINS != 0,
            isSecure: fields.flags & RESTWAY_COOKIE_SECURE != 0,
            isHTTPOnly: fields.flags & RESTWAY_COOKIE_HTTP_ONLY != 0)
    }
}
