package import RestwayRouting
import RestwayText

/// A cookie that a client keeps.
package struct Cookie: Equatable, Sendable {
    /// The largest number of bytes of a name and its value together (RFC 6265, section 6.1).
    /// libcurl keeps no longer cookie of an answer.
    package static let bytesMax = 4_096
    /// The largest number of cookies that are kept. The cost of libcurl for each cookie grows with
    /// their number.
    package static let countMax = 3_000

    package var name: String
    package var value: String
    /// The host, without a leading dot. An IPv6 address has no brackets.
    package var domain: String
    package var path: String
    /// The time at which the cookie expires, in seconds since 1970; 0 for a cookie that does not
    /// expire.
    package var expires: Int64
    package var includesSubdomains: Bool
    package var isSecure: Bool
    package var isHTTPOnly: Bool

    package init(
        name: String, value: String, domain: String, path: String, expires: Int64 = 0,
        includesSubdomains: Bool = false, isSecure: Bool = false, isHTTPOnly: Bool = false
    ) {
        (self.name, self.value, self.domain, self.path) = (name, value, domain, path)
        (self.expires, self.includesSubdomains) = (expires, includesSubdomains)
        (self.isSecure, self.isHTTPOnly) = (isSecure, isHTTPOnly)
    }

    /// Whether a request to `place` sends the cookie (RFC 6265, section 5.4).
    package func isSent(to place: CookiePlace) -> Bool {
        if isSecure, !place.isSecure { return false }
        return isOf(host: place) && isOf(path: place.path)
    }

    private func isOf(host place: CookiePlace) -> Bool {
        if ASCII.areEqualIgnoringCase(place.host, domain) { return true }
        guard includesSubdomains, !HostName.isAddress(place.host) else { return false }
        return ASCII.lowercased(place.host).hasSuffix("." + ASCII.lowercased(domain))
    }

    private func isOf(path: String) -> Bool {
        guard path.hasPrefix(self.path) else { return false }
        if path.utf8.count == self.path.utf8.count || self.path.hasSuffix("/") { return true }
        return path.utf8.dropFirst(self.path.utf8.count).first == ASCII.slash
    }

    /// The key of the cookie: a cookie replaces the cookie with the same key.
    package var key: [String] { [name, ASCII.lowercased(domain), path] }

    /// The number of bytes of the name and the value together.
    package var bytes: Int { name.utf8.count + value.utf8.count }

    package var isTooLong: Bool { bytes > Self.bytesMax }

    /// Whether the path ends with a slash, so that the path without this slash does not get the
    /// cookie.
    package var hasFolderPath: Bool { path.utf8.count > 1 && path.hasSuffix("/") }

    /// Whether a line `Set-Cookie` may set a cookie for a path that ends with a slash.
    package static func mayHaveFolderPath(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        line.indices.contains { (index: Int) -> Bool in
            guard line[index] == ASCII.slash, index > 0, line[index - 1] != UInt8(ascii: "=") else {
                return false
            }
            let next = line[(index + 1)...].first { $0 != UInt8(ascii: " ") }
            guard let next else { return true }
            return ASCII.isControl(next) || next == UInt8(ascii: ";") || next == UInt8(ascii: "\"")
        }
    }

    /// Returns the cookies that are too many: those of the hosts that have the most cookies, and of
    /// these the cookies that expire first.
    package static func excess(of cookies: [Cookie], countMax: Int) -> [Cookie] {
        var left = cookies.count - countMax
        guard left > 0 else { return [] }
        func end(of cookie: Cookie) -> Int64 { cookie.expires == 0 ? .max : cookie.expires }
        var groups = Dictionary(grouping: cookies, by: \.domain).values.map { group in
            group.sorted { end(of: $0) < end(of: $1) }[...]
        }
        groups.sort { $0.count > $1.count }
        var excess: [Cookie] = []
        // All groups that are larger than `size` shrink to it.
        var size = groups[0].count
        while left > 0 {
            size -= 1
            for (index, group) in groups.enumerated() where left > 0 && group.count > size {
                excess.append(group[group.startIndex])
                groups[index].removeFirst()
                left -= 1
            }
        }
        return excess
    }

    /// Returns the part that cannot be sent or written into a file; `nil` if all parts can.
    package var wrongPart: String? {
        let semicolon = UInt8(ascii: ";")
        func has(_ text: String, _ isWrong: (UInt8) -> Bool) -> Bool {
            text.utf8.contains { ASCII.isControl($0) || $0 == semicolon || isWrong($0) }
        }
        if name.isEmpty || has(name, { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: " ") }) {
            return "name"
        }
        if has(value, { _ in false }) { return "value" }
        if domain.isEmpty || domain.hasPrefix(".") || has(domain, { $0 == UInt8(ascii: " ") }) {
            return "domain"
        }
        if !path.hasPrefix("/") || has(path, { _ in false }) { return "path" }
        return expires < 0 ? "expires" : nil
    }
}

/// A line of a file of cookies, as browsers, curl and Python's `cookiejar` write it.
extension Cookie {
    /// The possible first lines of a file of cookies.
    private static let titles = ["# Netscape HTTP Cookie File", "# HTTP Cookie File"]
    private static let httpOnlyMark = "#HttpOnly_"

    /// - Parameter line: A line without its line break; the result is `nil` if the line is no
    ///   cookie.
    package init?(line: Substring) {
        let isHTTPOnly = line.hasPrefix(Self.httpOnlyMark)
        let rest = isHTTPOnly ? line.dropFirst(Self.httpOnlyMark.count) : line
        let fields = rest.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 7, let includesSubdomains = Self.bool(fields[1]),
            let isSecure = Self.bool(fields[3]), let expires = Int64(fields[4])
        else { return nil }
        let domain = fields[0].hasPrefix(".") ? fields[0].dropFirst() : fields[0]
        self.init(
            name: String(fields[5]), value: String(fields[6]), domain: String(domain),
            path: String(fields[2]), expires: expires, includesSubdomains: includesSubdomains,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly)
        guard wrongPart == nil else { return nil }
    }

    package var line: String {
        let mark = isHTTPOnly ? Self.httpOnlyMark : ""
        let host = includesSubdomains ? "." + domain : domain
        return [
            mark + host, Self.text(includesSubdomains), path, Self.text(isSecure),
            String(expires), name, value,
        ].joined(separator: "\t")
    }

    /// Returns the text of a file with these lines, in an order that depends on the lines alone.
    package static func file(_ lines: [String]) -> String {
        "\(titles[0])\n# A client of Restway writes this file.\n\n"
            + lines.sorted().map { $0 + "\n" }.joined()
    }

    /// Returns the cookies of a file, which may be empty. The error is a description that quotes
    /// nothing from the file.
    package static func cookies(file: String) throws(StateFileError) -> [Cookie] {
        guard !file.isEmpty else { return [] }
        let lines = file.lines
        guard let title = lines.first, titles.contains(where: { title.hasPrefix($0) }) else {
            throw StateFileError(
                "it is no file of cookies: its first line is not \"\(titles[0])\"")
        }
        var cookies: [Cookie] = []
        for (index, line) in lines.enumerated() {
            if line.isEmpty || line.hasPrefix("#") && !line.hasPrefix(httpOnlyMark) { continue }
            guard let cookie = Cookie(line: line) else {
                throw StateFileError("line \(index + 1) is no cookie")
            }
            if cookie.isTooLong {
                throw StateFileError(
                    "the cookie of line \(index + 1) has more than \(bytesMax) bytes")
            }
            if cookies.count == countMax {
                throw StateFileError("it has more than \(countMax) cookies")
            }
            cookies.append(cookie)
        }
        return cookies
    }

    private static func bool(_ text: Substring) -> Bool? {
        switch text {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }

    private static func text(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }
}

extension Cookie: CustomStringConvertible {
    /// The name and the place. The value is a secret.
    package var description: String { "\(name) of \(domain)\(path)" }
}

extension String {
    /// The lines, without their line breaks (LF, or CR and LF).
    var lines: [Substring] {
        utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
    }
}

/// The reason why a text is no file of cookies, or of hosts.
package struct StateFileError: Error, Equatable {
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// The place of a request, which decides what cookies it sends.
package struct CookiePlace: Equatable, Sendable {
    /// The host in lower case. An IPv6 address has no brackets.
    package let host: String
    package let path: String
    /// Whether nobody can intercept the connection, as libcurl judges it: the connection uses TLS,
    /// or stays within the machine.
    package var isSecure: Bool

    package init(url: String) throws(RoutingError) {
        let text = try URLText.normalizedAbsolute(url)
        let origin = try Origin(url: text)
        let isBracketed = origin.host.hasPrefix("[")
        host = isBracketed ? String(origin.host.dropFirst().dropLast()) : origin.host
        let rest = text.dropFirst(origin.description.count)
        path = String(rest.prefix { $0 != "?" })
        isSecure =
            origin.scheme == "https" || ["localhost", "127.0.0.1", "::1"].contains(host)
    }
}
