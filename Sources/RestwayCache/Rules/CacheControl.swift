import RestwayHTTP
import RestwayText

/// The directives of `Cache-Control` (RFC 9111, section 5.2; RFC 5861; RFC 8246).
struct CacheControl: Sendable, Equatable {
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt16

        static let noStore = Flags(rawValue: 1)
        static let noCache = Flags(rawValue: 2)
        static let mustRevalidate = Flags(rawValue: 4)
        static let mustUnderstand = Flags(rawValue: 8)
        static let immutable = Flags(rawValue: 16)
        static let `public` = Flags(rawValue: 32)
        static let `private` = Flags(rawValue: 64)
        static let onlyIfCached = Flags(rawValue: 128)
        /// `max-stale` without a value: any staleness is accepted.
        static let anyStaleness = Flags(rawValue: 256)
    }

    /// The largest number of seconds that counts (RFC 9111, section 1.2.2).
    static let secondsMax: Int64 = 1 << 31

    var flags: Flags = []
    var maxAge: Int64?
    var maxStale: Int64?
    var minFresh: Int64?
    var staleWhileRevalidate: Int64?
    var staleIfError: Int64?
    /// The names of the fields that must be validated before they are given, in lower case.
    var unvalidatedNames: [String] = []

    init() {}

    /// Reads the directives of a message. `Pragma: no-cache` in a request without `Cache-Control`
    /// is `no-cache` (RFC 9111, section 5.4); it has no meaning in an answer.
    init(_ headers: Headers, isRequest: Bool = false) {
        guard let text = headers.joined("Cache-Control") else {
            if isRequest, let pragma = headers.joined("Pragma") {
                flags = FieldList.names(pragma).contains("no-cache") ? .noCache : []
            }
            return
        }
        for member in FieldList.members(text) where !member.isEmpty { take(member) }
    }

    private mutating func take(_ member: Substring) {
        let end = member.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = ASCII.lowercased(String(Headers.trimmed(member[..<(end ?? member.endIndex)])))
        let argument = end.map { FieldList.unquoted(member[member.utf8.index(after: $0)...]) }
        switch name {
        case "no-store": flags.insert(.noStore)
        case "no-cache":
            if let argument, !argument.isEmpty {
                unvalidatedNames += FieldList.names(argument)
            } else {
                flags.insert(.noCache)
            }
        case "must-revalidate": flags.insert(.mustRevalidate)
        case "must-understand": flags.insert(.mustUnderstand)
        case "immutable": flags.insert(.immutable)
        case "public": flags.insert(.public)
        // Names of fields behind `private` concern shared caches only.
        case "private": flags.insert(.private)
        case "only-if-cached": flags.insert(.onlyIfCached)
        case "max-age": Self.restrict(&maxAge, Self.seconds(argument) ?? 0)
        case "min-fresh": minFresh = Self.seconds(argument) ?? Self.secondsMax
        case "max-stale":
            if argument == nil { flags.insert(.anyStaleness) }
            maxStale = Self.seconds(argument)
        case "stale-while-revalidate": Self.restrict(&staleWhileRevalidate, Self.seconds(argument))
        case "stale-if-error": Self.restrict(&staleIfError, Self.seconds(argument))
        default: break
        }
    }

    /// Adds a lifetime that the header states. If it differs from an earlier one or is invalid, the
    /// lifetime becomes 0, so that the answer counts as stale (RFC 9111, section 4.2.1).
    private static func restrict(_ value: inout Int64?, _ new: Int64?) {
        value = value == nil || value == new ? new ?? 0 : 0
    }

    /// Reads a number of seconds; `nil` if `text` is not a number. A number that is too large
    /// becomes `secondsMax`.
    static func seconds(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return min(Int64(text) ?? secondsMax, secondsMax)
    }
}
