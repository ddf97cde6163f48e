import RestwayHTTP
import RestwayText

/// One range of bytes that a request asks for (RFC 9110, section 14.1.2).
enum ByteRange: Equatable {
    case from(Int64, through: Int64?)
    case last(Int64)

    /// Reads the value of `Range`; `nil` if it is anything but one range of bytes.
    init?(_ text: String) {
        guard ASCII.lowercased(text).hasPrefix("bytes=") else { return nil }
        let range = Headers.trimmed(text.dropFirst(6))
        guard let dash = range.utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let end = range[range.utf8.index(after: dash)...]
        if dash == range.startIndex {
            guard !end.isEmpty, let count = Headers.wholeNumber(end), count > 0 else { return nil }
            self = .last(count)
            return
        }
        guard let first = Headers.wholeNumber(range[..<dash]) else { return nil }
        if end.isEmpty {
            self = .from(first, through: nil)
            return
        }
        guard let last = Headers.wholeNumber(end), last >= first else { return nil }
        self = .from(first, through: last)
    }

    /// Returns the part of a representation with `length` bytes that the range asks for; `nil` if
    /// the range lies outside of it.
    func part(of length: Int64) -> StoredRange? {
        switch self {
        case .from(let first, let last):
            guard first < length else { return nil }
            return StoredRange(
                first: first, last: min(last ?? .max, length - 1), completeLength: length)
        case .last(let count):
            guard length > 0 else { return nil }
            return StoredRange(
                first: max(0, length - count), last: length - 1, completeLength: length)
        }
    }

    /// The bytes of an incomplete representation; `nil` if it does not have all that are asked for.
    func part(of kept: StoredRange) -> StoredRange? {
        let wanted: StoredRange?
        if let length = kept.completeLength {
            wanted = part(of: length)
        } else if case .from(let first, let last?) = self {
            wanted = StoredRange(first: first, last: last, completeLength: nil)
        } else {
            wanted = nil
        }
        guard let wanted, kept.first <= wanted.first, wanted.last <= kept.last else { return nil }
        return wanted
    }
}

/// How an entry serves the range that a request asks for.
enum ServedBody: Equatable {
    /// The body as it is kept.
    case all
    case part(StoredRange)
    /// The entry does not have what is asked for.
    case missing

    init(_ head: StoredHead, _ request: CacheRequest) {
        let asked = request.method == "GET" ? request.headers[first: "Range"] : nil
        if let kept = head.range {
            guard let asked, request.headers[first: "If-Range"] == nil else {
                self = .missing
                return
            }
            let part = ByteRange(asked)?.part(of: kept)
            self = kept.asked == asked ? .all : part.map { .part($0) } ?? .missing
            return
        }
        guard let asked, head.status == 200 else {
            self = .all
            return
        }
        if let condition = request.headers[first: "If-Range"], !head.isNamed(by: condition) {
            self = .all
            return
        }
        // A range counts the bytes of the coded body.
        guard let range = ByteRange(asked), head.headers[first: "Content-Encoding"] == nil,
            let part = range.part(of: head.bodyLength ?? 0)
        else {
            self = .missing
            return
        }
        self = .part(part)
    }
}

extension StoredHead {
    /// The part of the kept body that a request gets; `nil` for all of it.
    package func part(for request: CacheRequest) -> StoredRange? {
        if case .part(let range) = ServedBody(self, request) { range } else { nil }
    }

    /// Whether the value of `If-Range` names this version of the body (RFC 9110, section 13.1.5).
    fileprivate func isNamed(by condition: String) -> Bool {
        if let strongTag, condition == strongTag { return true }
        guard let modified = headers[first: "Last-Modified"], let date = headers[first: "Date"],
            modified != date
        else { return false }
        return condition == modified
    }
}
