package import RestwayHTTP

/// The rate limit that a server states in the headers of an answer.
///
/// It reads, in this order, `RateLimit` and `RateLimit-Policy` (IETF draft
/// draft-ietf-httpapi-ratelimit-headers, versions 8 and later), the dictionary form and the
/// separate fields of earlier versions of that draft, and `X-RateLimit-*` with its usual spellings.
/// `Retry-After` (RFC 9110, section 10.2.3) counts in answers that `AnswerMeaning` calls limits:
/// 403, 429 and 503 with this field. Times of day are compared with the `Date` of the answer.
package struct StatedRate: Equatable, Sendable {
    /// The number of requests in a period, if the server states it.
    package var limit: Int64?
    /// The number of requests that are left.
    package var remaining: Int64
    /// The time in milliseconds after which the full number is available again.
    package var resetMilliseconds: Int64

    /// `nil` if the answer does not say how many requests are left, or until when.
    ///
    /// - Parameter wallMicroseconds: The local time of day, since 1970.
    package init?(_ head: ResponseHead, wallMicroseconds: Int64) {
        let time = ServerTime(head.headers, wallMicroseconds: wallMicroseconds)
        guard let stated = Self.pause(head, time) ?? Self(head.headers, time) else { return nil }
        self = stated
    }

    /// Reads the fields that state a rate, whatever the status is.
    init?(_ headers: Headers, _ time: ServerTime) {
        guard
            let stated = Self.list(headers) ?? Self.dictionary(headers)
                ?? Self.fields(headers, time)
        else { return nil }
        self = stated
    }

    /// Whether the answer says that no request is left, perhaps without saying until when.
    static func isUsedUp(_ headers: Headers, _ time: ServerTime) -> Bool {
        (Self(headers, time)?.remaining ?? number("Remaining", headers)) == 0
    }

    private init(limit: Int64?, remaining: Int64, resetMilliseconds: Int64) {
        self.limit = limit
        self.remaining = max(0, remaining)
        self.resetMilliseconds = max(0, resetMilliseconds)
    }

    private static func pause(_ head: ResponseHead, _ time: ServerTime) -> StatedRate? {
        guard let wait = RetryAfter.milliseconds(head.headers, time),
            AnswerMeaning(AnswerFacts(status: head.status, asksToWait: true)).holdsOrigin
        else { return nil }
        return StatedRate(limit: nil, remaining: 0, resetMilliseconds: wait)
    }

    /// Reads `RateLimit: "burst";r=50;t=30, "day";r=10000;t=3600`. Of several limits, the limit
    /// with the fewest requests left counts; of equal ones, the one that lasts longest.
    private static func list(_ headers: Headers) -> StatedRate? {
        guard let text = headers.joined("RateLimit") else { return nil }
        var least: (name: String, rate: StatedRate)?
        for item in StructuredItem.list(text) {
            guard let remaining = item.numbers["r"], let seconds = item.numbers["t"] else {
                continue
            }
            let rate = StatedRate(
                limit: nil, remaining: remaining, resetMilliseconds: milliseconds(seconds))
            if least.map({ rate.isTighter(than: $0.rate) }) ?? true { least = (item.name, rate) }
        }
        guard let (name, rate) = least else { return nil }
        var stated = rate
        let policies = headers.joined("RateLimit-Policy").map(StructuredItem.list) ?? []
        stated.limit = policies.first { $0.name == name }?.numbers["q"]
        return stated
    }

    /// Reads `RateLimit: limit=100, remaining=50, reset=30`.
    private static func dictionary(_ headers: Headers) -> StatedRate? {
        guard let text = headers.joined("RateLimit") else { return nil }
        var numbers: [String: Int64] = [:]
        for member in text.split(separator: ",") {
            let pair = member.split(separator: "=", maxSplits: 1).map(trimmed)
            if pair.count == 2 { numbers[pair[0]] = Int64(pair[1]) }
        }
        guard let remaining = numbers["remaining"], let seconds = numbers["reset"] else {
            return nil
        }
        return StatedRate(
            limit: numbers["limit"], remaining: remaining,
            resetMilliseconds: milliseconds(seconds))
    }

    /// Reads separate fields. The reset is a number of seconds, or a time since 1970 in seconds or
    /// milliseconds.
    private static func fields(_ headers: Headers, _ time: ServerTime) -> StatedRate? {
        guard let remaining = number("Remaining", headers), let reset = number("Reset", headers)
        else { return nil }
        let wait: Int64 =
            switch reset {
            case ..<1_000_000_000: milliseconds(reset)
            case ..<1_000_000_000_000: time.milliseconds(until: milliseconds(reset))
            default: time.milliseconds(until: reset)
            }
        return StatedRate(
            limit: number("Limit", headers), remaining: remaining, resetMilliseconds: wait)
    }

    private static func number(_ name: String, _ headers: Headers) -> Int64? {
        for prefix in ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"] {
            if let text = headers[first: prefix + name] { return wholeNumber(text) }
        }
        return nil
    }

    private func isTighter(than other: StatedRate) -> Bool {
        (remaining, other.resetMilliseconds) < (other.remaining, resetMilliseconds)
    }

    /// The whole number at the start of `text`; a fraction is rounded up.
    private static func wholeNumber(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        let hasFraction = text.dropFirst(digits.count).first == "."
        return hasFraction ? number.addingReportingOverflow(1).partialValue : number
    }

    private static func milliseconds(_ seconds: Int64) -> Int64 {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? .max : product
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

/// An item of a structured field (RFC 9651) with its parameters that are whole numbers.
private struct StructuredItem {
    let name: String
    var numbers: [String: Int64] = [:]

    /// Reads a list of strings or tokens with parameters. Members of another form are left out.
    static func list(_ text: String) -> [StructuredItem] {
        members(of: text).compactMap { member in
            let parts = split(member, at: ";")
            guard let first = parts.first, first.first == "\"" || !isMember(first) else {
                return nil
            }
            var item = StructuredItem(name: unquoted(first))
            for part in parts.dropFirst() {
                let pair = part.split(separator: "=", maxSplits: 1)
                if pair.count == 2 { item.numbers[String(pair[0])] = Int64(pair[1]) }
            }
            return item
        }
    }

    /// Whether a token is the member of a dictionary.
    private static func isMember(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "="))
    }

    private static func members(of text: String) -> [String] { split(text, at: ",") }

    /// Splits `text` at `separator` outside of quoted strings, and removes white space at the ends.
    private static func split(_ text: String, at separator: Character) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in text {
            if character == separator, !isQuoted {
                parts.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            parts[parts.count - 1].append(character)
        }
        return parts.map { part in
            let start = part.drop { $0 == " " || $0 == "\t" }
            return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return text }
        return String(text.dropFirst().dropLast())
    }
}
