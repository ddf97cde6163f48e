/// The part of a body that was received, and how its rest is asked for (RFC 9110, sections 13.1.5
/// and 14).
///
/// It does no I/O: its owner asks it for the header fields of a request, tells it the head of the
/// answer, and stores the bytes as it says.
package struct PartialBody: Equatable, Sendable {
    /// The relation of the body of an answer to the part that was received before.
    package enum Answer: Equatable, Sendable {
        /// The whole body. The part that was received before is dropped.
        case whole
        /// The bytes from this position on.
        case rest(from: Int64)
        /// An answer that cannot continue the part. The whole body must be asked for.
        case mismatch
        /// The body of an error.
        case other
    }

    /// The number of bytes that were received.
    package var length: Int64 = 0
    /// The strong validator of the body: an entity tag or a date; `nil` if it cannot be resumed.
    package private(set) var validator: String?
    /// The number of bytes of the whole body; `nil` if it is not known.
    package private(set) var total: Int64?
    /// The position from which the rest was asked for; `nil` if the whole body was.
    package private(set) var asked: Int64?

    package init() {}

    package init(length: Int64, validator: String, total: Int64?) {
        self.length = length
        self.validator = validator
        self.total = total
    }

    /// Returns the header fields that ask for the rest; empty if the whole body is asked for.
    ///
    /// If all bytes are there already, the last byte is asked for again: a server refuses a range
    /// that begins at the end, and its answer must confirm that the body has not changed.
    package mutating func ask() -> [HeaderField] {
        asked = nil
        guard let validator, length > 0, length <= total ?? .max else { return [] }
        let start = length == total ? length - 1 : length
        asked = start
        return [
            HeaderField(name: "Range", value: "bytes=\(start)-"),
            HeaderField(name: "If-Range", value: validator),
        ]
    }

    /// Takes the head of an answer. `length` is then the position of the first byte of its body.
    package mutating func begin(_ head: ResponseHead) -> Answer {
        if let start = asked, head.status == 206 {
            guard let range = ContentRange(head.headers), range.first == start,
                let newTotal = range.total, range.last == newTotal - 1,
                total ?? newTotal == newTotal, isUnchanged(head.headers),
                head.headers.joined("Content-Encoding") == nil
            else { return .mismatch }
            length = start
            total = newTotal
            return .rest(from: start)
        }
        if asked != nil {
            // `Content-Range` has no meaning in a 200 (RFC 9110, section 14.4): the body may be the
            // whole body or a part of it.
            let isUnclear = head.status == 200 && head.headers[first: "Content-Range"] != nil
            if head.status == 416 || isUnclear { return .mismatch }
        }
        guard head.isSuccess else { return .other }
        self = PartialBody()
        guard head.status == 200, head.headers.joined("Content-Encoding") == nil else {
            return .whole
        }
        total = head.headers[first: "Content-Length"].flatMap { Int64($0) }
        validator = Self.validator(head.headers)
        return .whole
    }

    /// Forgets what was received.
    package mutating func drop() {
        self = PartialBody()
    }

    /// Whether all bytes are there, as far as it is known.
    package var isComplete: Bool { length == total ?? length }

    /// Whether the fields of a 206 answer name the same version of the body. An answer without
    /// validators says nothing against it.
    private func isUnchanged(_ headers: Headers) -> Bool {
        guard let validator else { return false }
        let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
        return headers[first: name] ?? validator == validator
    }

    /// Returns the strong validator of an answer. A date is strong if it is not the time of the
    /// answer, because the body may change twice within a second (RFC 9110, section 8.8.2.2).
    private static func validator(_ headers: Headers) -> String? {
        if headers.joined("Accept-Ranges")?.lowercased() == "none" { return nil }
        if let tag = headers[first: "ETag"] {
            return tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count >= 2 ? tag : nil
        }
        guard let modified = headers[first: "Last-Modified"], let date = headers[first: "Date"],
            modified != date
        else { return nil }
        return modified
    }
}

/// The value of `Content-Range` for one range (RFC 9110, section 14.4).
package struct ContentRange: Equatable {
    package let first: Int64
    package let last: Int64
    /// The length of the whole body; `nil` if the server does not know it.
    package let total: Int64?

    package init?(_ headers: Headers) {
        guard let text = headers.joined("Content-Range") else { return nil }
        self.init(text)
    }

    /// Reads "bytes 0-9/100"; `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let sides = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Headers.wholeNumber(ends[0]),
            let last = Headers.wholeNumber(ends[1]),
            first <= last
        else { return nil }
        let total = Headers.wholeNumber(sides[1])
        guard sides[1] == "*" || total.map({ last < $0 }) == true else { return nil }
        (self.first, self.last, self.total) = (first, last, total)
    }
}
