package import CJansson
import Glibc

/// One value of a tree of Jansson, without reference counting. The creator of the tree releases it,
/// or the arena that holds it does.
package struct JSONTree {
    package let pointer: UnsafeMutablePointer<json_t>
    /// Whether the tree contains marked numbers; see `JSONValue.outOfRangeNumber`.
    package let hasOutOfRangeNumbers: Bool

    func release() { json_decref(pointer) }
}

extension JSONTree {
    /// Parses one JSON value of any kind from UTF-8 text (RFC 8259). A byte order mark is skipped.
    static func parse(
        _ text: UnsafeRawBufferPointer, _ options: JSONValue.ParseOptions
    ) throws(JSONError) -> JSONTree {
        let text = JSONValue.withoutByteOrderMark(text)
        let start = text.bindMemory(to: CChar.self).baseAddress
        guard let start, !text.isEmpty else { throw .empty }
        var flags = JSON_DECODE_ANY | JSON_ALLOW_NUL
        if options.rejectsDuplicateKeys { flags |= JSON_REJECT_DUPLICATES }

        var failure = json_error_t()
        if options.keepsDigits, let tree = loadMarked(text, options, flags, &failure) {
            return try tree.refusingNUL(of: text)
        }
        if let pointer = load(start, text.count, flags, &failure) {
            return try JSONTree(pointer: pointer, hasOutOfRangeNumbers: false)
                .refusingNUL(of: text)
        }
        if isRefusedByJanssonAlone(failure, options),
            let tree = loadMarked(text, options, flags, &failure)
        {
            return try tree.refusingNUL(of: text)
        }
        if options.repairsText, let tree = repaired(text, options) { return tree }
        throw error(failure)
    }

    /// Parses a copy of a text in which U+FFFD replaces what is not Unicode; `nil` if the copy is
    /// not valid either.
    private static func repaired(
        _ text: UnsafeRawBufferPointer, _ options: JSONValue.ParseOptions
    ) -> JSONTree? {
        guard let repaired = RepairedText(text) else { return nil }
        var options = options
        options.repairsText = false
        return repaired.bytes.withUnsafeBytes { try? parse($0, options) }
    }

    /// Parses a text in whose copy the numbers and keys are marked that Jansson cannot hold.
    private static func loadMarked(
        _ text: UnsafeRawBufferPointer, _ options: JSONValue.ParseOptions, _ flags: Int32,
        _ failure: inout json_error_t
    ) -> JSONTree? {
        let marked = OutOfRangeNumber.marking(text, options)
        let pointer = marked.withUnsafeBytes { marked in
            let start = marked.bindMemory(to: CChar.self).baseAddress
            return start.flatMap { load($0, marked.count, flags, &failure) }
        }
        guard let pointer else { return nil }
        NULKey.restore(in: pointer)
        return JSONTree(
            pointer: pointer, hasOutOfRangeNumbers: options.keepsOutOfRangeNumbers)
    }

    /// Whether the text may be valid for `options` although Jansson refuses it. The reason is a
    /// number that neither an int64 nor a double can hold, or a key with a NUL.
    private static func isRefusedByJanssonAlone(
        _ failure: json_error_t, _ options: JSONValue.ParseOptions
    ) -> Bool {
        var failure = failure
        switch UInt32(rw_json_error_code(&failure)) {
        case json_error_numeric_overflow.rawValue: return options.keepsOutOfRangeNumbers
        case json_error_null_byte_in_key.rawValue: return options.keepsNULInKeys
        default: return false
        }
    }

    /// Refuses a NUL after a number or a word, which Jansson skips. JSON allows no NUL anywhere.
    private func refusingNUL(of text: UnsafeRawBufferPointer) throws(JSONError) -> JSONTree {
        guard let start = text.baseAddress, let found = memchr(start, 0, text.count) else {
            return self
        }
        release()
        let offset = UnsafeRawPointer(found) - start
        let before = text[..<offset]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        throw .malformed(
            line: line, column: offset - lineStart + 1, byteOffset: offset, reason: "NUL byte")
    }

    private static func load(
        _ start: UnsafePointer<CChar>, _ count: Int, _ flags: Int32, _ failure: inout json_error_t
    ) -> UnsafeMutablePointer<json_t>? {
        _ = JSONArena.isServing
        return CLocale.run { json_loadb(start, count, Int(flags), &failure) }
    }

    private static func error(_ failure: json_error_t) -> JSONError {
        var failure = failure
        switch UInt32(rw_json_error_code(&failure)) {
        case json_error_out_of_memory.rawValue:
            return .outOfMemory
        case json_error_stack_overflow.rawValue:
            return .tooDeep(max: JSONValue.nestingDepthMax)
        default:
            // Jansson's message ends with the text near the error, which may be a secret.
            let reason = withUnsafeMutablePointer(to: &failure) { failure in
                let sentence = rw_json_error_text(failure)!
                let end = strstr(sentence, " near ").map { UnsafePointer($0) }
                return String(
                    decoding: UnsafeRawBufferPointer(
                        start: sentence, count: end.map { $0 - sentence } ?? strlen(sentence)),
                    as: UTF8.self)
            }
            return .malformed(
                line: Int(max(1, failure.line)), column: Int(max(0, failure.column)) + 1,
                byteOffset: Int(failure.position), reason: reason)
        }
    }
}

/// Sets the "C" locale for the current thread. Jansson uses the current locale to read and write
/// numbers.
enum CLocale {
    /// The locale, made once and kept for the life of the process; `nil` if the system could not
    /// make it.
    nonisolated(unsafe) private static let locale = newlocale(LC_ALL_MASK, "C", nil)

    static func run<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = uselocale(locale)
        defer { _ = uselocale(before) }
        return try body()
    }

    private static var LC_ALL_MASK: Int32 { 0x1FBF }
}
