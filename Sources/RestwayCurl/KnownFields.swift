import Glibc
import RestwayHTTP

/// The lines of one head, and the fields that were made of them.
///
/// Kept for the next head of the same handle, which most often repeats nearly all of them: what is
/// repeated is not parsed anew.
struct KnownFields {
    /// What a head may leave behind: a longer one is forgotten.
    private static let keptBytesMax = 4 << 10
    private static let keptLinesMax = 64

    /// The lines with their ends, one behind the other.
    private var text: [UInt8] = []
    /// Where each line ends in it.
    private var ends: [Int] = []
    /// One for each line.
    private var fields: [HeaderField] = []
    /// How many of them belong to the head that is read.
    private(set) var count = 0
    /// Which of them is the `Content-Length`.
    private var length: Int?
    /// The fields as they were handed out last; `nil` when they have changed since.
    private var headers: Headers?

    /// Another head begins.
    mutating func begin() {
        count = 0
    }

    mutating func forgetWhenLarge() {
        if text.count > Self.keptBytesMax || ends.count > Self.keptLinesMax {
            self = KnownFields()
        }
    }

    /// Whether the next line is the one that stood there before, which it is then again.
    mutating func repeats(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count < ends.count else { return false }
        let start = start(of: count)
        guard ends[count] - start == line.count else { return false }
        let isSame = text.withUnsafeBufferPointer { text in
            memcmp(text.baseAddress! + start, line.baseAddress!, line.count) == 0
        }
        if isSame { count += 1 }
        return isSame
    }

    /// Takes the next line, in the place of what stood there before.
    ///
    /// - Parameter isLength: It is called `Content-Length`.
    mutating func append(
        _ field: HeaderField, isLength: Bool, of line: UnsafeBufferPointer<UInt8>
    ) {
        headers = nil
        if count < ends.count {
            let start = start(of: count)
            // What is known of lengths holds for the lines as they stood.
            if ends[count] - start == line.count, isLength == (length == count) {
                text.withUnsafeMutableBytes { text in
                    _ = memcpy(text.baseAddress! + start, line.baseAddress!, line.count)
                }
                fields[count] = field
                count += 1
                return
            }
            truncate()
        }
        text.append(contentsOf: line)
        ends.append(text.count)
        fields.append(field)
        if isLength, length == nil { length = count }
        count += 1
    }

    /// The value of the last line goes on; false when there is none.
    mutating func fold(_ value: String) -> Bool {
        guard count > 0 else { return false }
        headers = nil
        truncate()
        fields[count - 1].value += " " + value
        return true
    }

    /// The first `Content-Length` of the head so far.
    var contentLength: String? {
        guard let length, length < count else { return nil }
        return fields[length].value
    }

    /// The head is complete.
    mutating func end() -> Headers {
        if count < ends.count {
            headers = nil
            truncate()
        }
        if let headers { return headers }
        // An array of their own, so that what changes here is nobody else's.
        var copy: [HeaderField] = []
        copy.reserveCapacity(fields.count)
        for field in fields { copy.append(field) }
        let ended = Headers(copy)
        headers = ended
        return ended
    }

    private func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

    /// Drops what stood behind the lines of this head.
    private mutating func truncate() {
        text.removeSubrange(start(of: count)...)
        ends.removeSubrange(count...)
        fields.removeSubrange(count...)
        if let length, length >= count { self.length = nil }
    }
}
