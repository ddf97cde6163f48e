import CJansson
import Glibc

/// Reads a part of a list.
extension JSONTree {
    /// Makes an array of the values in `text`. The text has the form of an array without its
    /// brackets, so that a long list can be read in pieces. Numbers out of range and keys with a
    /// NUL are kept.
    ///
    /// Positions in errors count from an opening bracket that is not in the text.
    static func parse(
        elements text: UnsafeRawBufferPointer
    ) throws(JSONError) -> JSONTree {
        var failure = json_error_t()
        if let array = loadElements(text, &failure) {
            return try JSONTree(array, hasOutOfRangeNumbers: false).refusingNUL(of: text)
        }
        guard isRefusedByJanssonAlone(failure, .anyJSON) else { throw error(failure) }
        let marked = OutOfRangeNumber.marking(text, .anyJSON)
        let array = marked.withUnsafeBytes { loadElements($0, &failure) }
        guard let array else { throw error(failure) }
        NULKey.restore(in: array)
        return try JSONTree(array, hasOutOfRangeNumbers: true).refusingNUL(of: text)
    }

    private static func loadElements(
        _ text: UnsafeRawBufferPointer, _ failure: inout json_error_t
    ) -> UnsafeMutablePointer<json_t>? {
        _ = JSONArena.isServing
        var source = BracketedText(rest: text)
        return withUnsafeMutablePointer(to: &source) { source in
            CLocale.run {
                json_load_callback(readBracketedText, source, Int(JSON_ALLOW_NUL), &failure)
            }
        }
    }
}

/// Text between brackets that are not in memory.
private struct BracketedText {
    var rest: UnsafeRawBufferPointer
    var isOpened = false
    var isClosed = false

    /// Fills `buffer`, which is not empty. Returns 0 at the end.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var written = 0
        if !isOpened {
            buffer[0] = UInt8(ascii: "[")
            isOpened = true
            written = 1
        }
        let count = min(rest.count, buffer.count - written)
        if let start = rest.baseAddress, let target = buffer.baseAddress, count > 0 {
            memcpy(target + written, start, count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            written += count
        }
        if rest.isEmpty, !isClosed, written < buffer.count {
            buffer[written] = UInt8(ascii: "]")
            isClosed = true
            written += 1
        }
        return written
    }
}

private func readBracketedText(
    _ buffer: UnsafeMutableRawPointer?, _ count: Int, _ source: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let source, count > 0 else { return 0 }
    return source.assumingMemoryBound(to: BracketedText.self).pointee
        .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
}
