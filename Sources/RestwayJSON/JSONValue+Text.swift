package import CJansson
import Glibc

/// Reads and writes JSON text.
extension JSONValue {
    /// The nesting depth beyond which Jansson refuses a text.
    package static var nestingDepthMax: Int { 2_048 }

    /// Chooses the seed of Jansson's hash tables, as the first object of a process does anyway.
    /// Later calls do nothing.
    package static func chooseSeed() {
        json_object_seed(0)
    }

    /// Parses one JSON value of any kind from UTF-8 text (RFC 8259). A byte order mark is skipped.
    package static func parse(
        _ text: UnsafeRawBufferPointer, _ options: ParseOptions = ParseOptions()
    ) throws(JSONError) -> JSONValue {
        JSONValue(owning: try JSONTree.parse(text, options))
    }

    package static func withoutByteOrderMark(
        _ text: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        text.starts(with: [0xEF, 0xBB, 0xBF]) ? .init(rebasing: text.dropFirst(3)) : text
    }

    package static func parse(
        _ text: String, _ options: ParseOptions = ParseOptions()
    ) throws(JSONError) -> JSONValue {
        let bytes = Array(text.utf8)
        let result: Result<JSONValue, JSONError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try parse(bytes, options) }
        }
        return try result.get()
    }

    /// Writes a tree as compact JSON text, with its marked numbers as numbers.
    package static func text(
        of pointer: UnsafeMutablePointer<json_t>, hasOutOfRangeNumbers: Bool,
        sortsKeys: Bool = false
    ) -> [UInt8] {
        let flags = JSON_COMPACT | JSON_ENCODE_ANY | (sortsKeys ? JSON_SORT_KEYS : 0)
        guard let dump = CLocale.run({ json_dumps(pointer, Int(flags)) }) else {
            preconditionFailure("out of memory")
        }
        defer { free(dump) }
        // A NUL in a string is escaped, so the first NUL ends the text.
        let text = Array(UnsafeRawBufferPointer(start: dump, count: strlen(dump)))
        return hasOutOfRangeNumbers ? OutOfRangeNumber.unmarking(text) : text
    }

    /// The digits of a marked number; `nil` for every other string. Call this only for strings of a
    /// tree that `hasOutOfRangeNumbers`.
    package static func outOfRangeNumber(
        _ bytes: UnsafePointer<CChar>, _ count: Int
    ) -> UnsafeRawBufferPointer? {
        let mark = OutOfRangeNumber.mark
        guard count > mark.count, memcmp(bytes, mark, mark.count) == 0 else { return nil }
        return UnsafeRawBufferPointer(start: bytes + mark.count, count: count - mark.count)
    }
}
