import Glibc
import RestwayRouting
import RestwayText

/// The hosts that may be reached only over TLS (RFC 6797, HTTP Strict Transport Security).
package struct SecureHosts: Equatable, Sendable {
    private struct Entry: Equatable {
        /// The time at which the entry expires, in seconds since 1970.
        var expires: Int64
        var includesSubdomains: Bool
    }

    /// The largest number of hosts that are kept. A server can name only itself, so a client
    /// reaches this number only after it has used as many hosts.
    private static let hostsMax = 10_000
    /// Times beyond this, the end of the year 9999, are written as "unlimited".
    private static let expiresMax: Int64 = 253_402_300_799

    private var entries: [String: Entry] = [:]

    package init() {}

    /// Takes the header of an answer that came over a connection whose certificate was checked.
    /// Returns whether the hosts have changed. A malformed header is ignored, and so is a header
    /// from a host that is an IP address.
    package mutating func learn(_ header: String, from url: String, now: Int64) -> Bool {
        guard let host = Self.name(of: url), let policy = Self.policy(header) else { return false }
        let old = entries[host]
        if policy.age <= 0 {
            entries[host] = nil
        } else if old != nil || entries.count < Self.hostsMax {
            let (end, isBeyond) = now.addingReportingOverflow(policy.age)
            entries[host] = Entry(
                expires: isBeyond ? Self.expiresMax : min(end, Self.expiresMax),
                includesSubdomains: policy.includesSubdomains)
        }
        return entries[host] != old
    }

    /// Replaces the times at which the hosts of a file expire, in seconds since 1970. Hosts that
    /// never expire stay as they are.
    package mutating func changeExpiries(_ expiry: (Int64) -> Int64) {
        for (host, entry) in entries where entry.expires < Self.expiresMax {
            entries[host]?.expires = expiry(entry.expires)
        }
    }

    /// Returns the https URL to use in place of an http URL; `nil` if the URL stays.
    package func secured(_ url: String, now: Int64) -> String? {
        guard url.hasPrefix("http://"), !entries.isEmpty, let host = Self.name(of: url) else {
            return nil
        }
        guard isKnown(host, now) else { return nil }
        let rest = url.dropFirst("http://".count)
        let place = rest.prefix { $0 != "/" && $0 != "?" }
        guard place.hasSuffix(":80") else { return "https://" + rest }
        return "https://" + place.dropLast(":80".count) + rest.dropFirst(place.count)
    }

    private func isKnown(_ host: String, _ now: Int64) -> Bool {
        var name = host[...]
        while true {
            let isHost = name.utf8.count == host.utf8.count
            if let entry = entries[String(name)], entry.expires > now,
                isHost || entry.includesSubdomains
            {
                return true
            }
            guard let dot = name.utf8.firstIndex(of: ASCII.dot) else { return false }
            name = name[name.utf8.index(after: dot)...]
        }
    }

    /// Returns the name of the host in lower case, without a dot at its end; `nil` for an address.
    private static func name(of url: String) -> String? {
        guard let host = try? Origin(url: url).host else { return nil }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return HostName.isAddress(name) ? nil : name
    }

    /// Reads the directives of a header.
    private static func policy(_ header: String) -> (age: Int64, includesSubdomains: Bool)? {
        var age: Int64?
        var includesSubdomains = false
        for directive in header.split(separator: ";") {
            let parts = directive.split(separator: "=", maxSplits: 1).map(Headers.trimmed)
            switch parts.first.map({ ASCII.lowercased(String($0)) }) {
            case "max-age":
                guard age == nil, parts.count == 2 else { return nil }
                let isQuoted = parts[1].hasPrefix("\"") && parts[1].hasSuffix("\"")
                let digits = isQuoted ? parts[1].dropFirst().dropLast() : parts[1]
                guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
                age = Int64(digits) ?? expiresMax
            case "includesubdomains":
                includesSubdomains = true
            default:
                break
            }
        }
        return age.map { ($0, includesSubdomains) }
    }
}

/// The file of hosts, in the format of libcurl: a line for each host, with a dot before it if its
/// subdomains count, and the end in UTC.
extension SecureHosts {
    private static let title = "# Your HSTS cache. https://curl.se/docs/hsts.html"

    /// - Parameter file: The text of a file, which may be empty.
    package init(file: String) throws(StateFileError) {
        for (index, line) in file.lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            guard let (host, entry) = Self.entry(line) else {
                throw StateFileError("line \(index + 1) is no host of HSTS")
            }
            entries[host] = entry
        }
    }

    private static func entry(_ line: Substring) -> (String, Entry)? {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[1].hasPrefix("\""), parts[1].hasSuffix("\"") else {
            return nil
        }
        let includesSubdomains = parts[0].hasPrefix(".")
        let host = includesSubdomains ? parts[0].dropFirst() : parts[0]
        let text = parts[1].dropFirst().dropLast()
        guard !host.isEmpty, let expires = text == "unlimited" ? expiresMax : time(text) else {
            return nil
        }
        return (
            ASCII.lowercased(String(host)),
            Entry(expires: expires, includesSubdomains: includesSubdomains)
        )
    }

    /// Reads a time like "20231114 22:15:00".
    private static func time(_ text: Substring) -> Int64? {
        let bytes = Array(text.utf8)
        let isWhole = bytes.indices.allSatisfy { index in
            switch index {
            case 8: bytes[index] == UInt8(ascii: " ")
            case 11, 14: bytes[index] == ASCII.colon
            default: ASCII.isDigit(bytes[index])
            }
        }
        guard bytes.count == 17, isWhole else { return nil }
        func number(_ places: Range<Int>) -> Int32 {
            bytes[places].reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
        }
        var parts = tm()
        parts.tm_year = number(0..<4) - 1_900
        parts.tm_mon = number(4..<6) - 1
        parts.tm_mday = number(6..<8)
        parts.tm_hour = number(9..<11)
        parts.tm_min = number(12..<14)
        parts.tm_sec = number(15..<17)
        return Int64(timegm(&parts))
    }

    private static func text(_ seconds: Int64) -> String {
        guard seconds < expiresMax else { return "unlimited" }
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y%m%d %H:%M:%S", &parts)
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The text of a file with the hosts whose time has not passed.
    package func file(now: Int64) -> String {
        let lines = entries.filter { $0.value.expires > now }.map { host, entry in
            "\(entry.includesSubdomains ? "." : "")\(host) \"\(Self.text(entry.expires))\"\n"
        }
        return "\(Self.title)\n# A client of Restway writes this file.\n" + lines.sorted().joined()
    }
}
