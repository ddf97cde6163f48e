import RestwayHTTP
import RestwayText

/// `Vary`: which entry of several with one key belongs to a request (RFC 9111, section 4.1).
enum Selecting {
    private static let language = "accept-language"
    /// The prefix of the names of the header fields that say which form of an answer is wanted.
    private static let negotiation = "accept"

    static let cookie = "cookie"

    /// The field of an entry whose answer came from a URL to which redirects have led. No header
    /// field has this name.
    static let redirected = HeaderField(name: ":redirected", value: "")

    /// The request's fields that `Vary` names, normalised. A field that the request does not have
    /// is left out.
    ///
    /// The answer behind a redirect has one field more, so that it has a place beside the redirect,
    /// which may be kept, too.
    static func fields(_ answer: Headers, _ request: CacheRequest) -> [HeaderField] {
        let own = request.isBehindRedirect ? [redirected] : []
        guard let vary = answer.joined("Vary") else { return own }
        return own
            + FieldList.names(vary).compactMap { name in
                value(of: name, request).map { HeaderField(name: name, value: $0) }
            }
    }

    /// The value of a field, to which cookies of the client belong that are sent in it. Unknown
    /// cookies get a value that no request has.
    static func value(of name: String, _ request: CacheRequest) -> String? {
        guard name == cookie else { return value(of: name, request.headers) }
        guard let added = request.addedCookies else { return "" }
        guard !added.isEmpty else { return value(of: name, request.headers) }
        let own = request.headers.joined(cookie).map { $0 + "; " } ?? ""
        return CacheKey.digest(Array((own + added).utf8))
    }

    /// The value of a field without differences that mean nothing: fields of one name are joined,
    /// and white space around the members is left out. Fields that negotiate nothing may hold a
    /// credential (`Authorization`, `Cookie`, `X-Api-Key`), which no file may have: a digest stands
    /// for their values.
    static func value(of name: String, _ headers: Headers) -> String? {
        guard let text = headers.joined(name) else { return nil }
        let members = FieldList.members(text)
        if name == language { return languages(members) }
        let value = members.joined(separator: ",")
        return name.hasPrefix(negotiation) ? value : CacheKey.digest(Array(value.utf8))
    }

    /// The order and the case of languages mean nothing (RFC 9110, section 12.5.4).
    private static func languages(_ members: [Substring]) -> String {
        members.filter { !$0.isEmpty }
            .map { member in
                let spaces: [UInt8] = [0x20, 0x09]
                let bytes = member.utf8.filter { !spaces.contains($0) }
                return ASCII.lowercased(String(decoding: bytes, as: UTF8.self))
            }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .joined(separator: ",")
    }

    /// Returns the language that a request prefers to all others; `nil` if it states no preference,
    /// or prefers several languages equally.
    static func preferredLanguage(_ headers: Headers) -> String? {
        guard let text = value(of: language, headers) else { return nil }
        var best: (name: Substring, quality: Int)?
        var isAlone = false
        for member in text.split(separator: ",") {
            let parts = member.split(separator: ";", maxSplits: 1)
            guard let name = parts.first, let quality = quality(parts.dropFirst().first) else {
                return nil
            }
            if let best, quality <= best.quality {
                if quality == best.quality { isAlone = false }
                continue
            }
            best = (name, quality)
            isAlone = true
        }
        guard let best, isAlone, best.quality > 0, best.name != "*" else { return nil }
        return String(best.name)
    }

    /// Reads a weight in thousandths (RFC 9110, section 12.4.2); `nil` if it is not valid.
    private static func quality(_ text: Substring?) -> Int? {
        guard let text else { return 1_000 }
        guard text.hasPrefix("q=") else { return nil }
        var digits = Array(text.utf8.dropFirst(2))
        if digits.count > 1 {
            guard digits[1] == ASCII.dot else { return nil }
            digits.remove(at: 1)
        }
        guard (1...4).contains(digits.count), digits.allSatisfy(ASCII.isDigit) else { return nil }
        digits += Array(repeating: UInt8(ascii: "0"), count: 4 - digits.count)
        let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return value <= 1_000 ? value : nil
    }
}

extension StoredHead {
    /// Whether the answer came from a URL to which redirects have led. It is found by the URL
    /// before them.
    var isBehindRedirect: Bool { selecting.first?.name == Selecting.redirected.name }

    /// Whether the entry came from the URL to which a request is sent, so that what the server at
    /// this URL says about its answer also concerns the entry.
    func isOfURL(of request: CacheRequest) -> Bool {
        guard isBehindRedirect == request.isBehindRedirect else { return false }
        return !isBehindRedirect || CacheKey.target(url) == CacheKey.target(request.url)
    }

    /// Whether the selecting fields of a request are those of the entry.
    package func matches(_ request: CacheRequest) -> Bool {
        differingName(request) == nil
    }

    /// Whether the entry belongs to a request although the selecting fields may differ: the request
    /// prefers the language that the entry is written in.
    func suits(_ request: CacheRequest) -> Bool {
        guard let name = differingName(request) else { return true }
        guard name == "accept-language", statements.varyingNames == [name],
            let language = headers.joined("Content-Language"),
            let preferred = Selecting.preferredLanguage(request.headers)
        else { return false }
        return ASCII.areEqualIgnoringCase(preferred, language)
    }

    private func isHidden(_ name: String, _ request: CacheRequest) -> Bool {
        name == Selecting.cookie && request.addedCookies == nil
    }

    /// Whether the answer to a request varies with something that cannot be known.
    func variesWithTheUnknown(_ request: CacheRequest) -> Bool {
        statements.varyingNames.contains { $0 == "*" || isHidden($0, request) }
    }

    private func differingName(_ request: CacheRequest) -> String? {
        statements.varyingNames.first { name in
            if name == "*" || isHidden(name, request) { return true }
            let kept = selecting.first { $0.name == name }?.value
            let value = Selecting.value(of: name, request)
            switch (kept, value) {
            case (nil, nil): return false
            case (let kept?, let value?): return !kept.utf8.elementsEqual(value.utf8)
            default: return true
            }
        }
    }
}
