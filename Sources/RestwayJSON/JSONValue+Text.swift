package import CJansson
import Glibc

/// Reading and writing JSON text.
extension JSONValue {
    /// What nests deeper Jansson refuses to read.
    package static var nestingDepthMax: Int { 2_048 }

    /// Reads one JSON value of any kind from UTF-8 text (RFC 8259); a byte order mark is skipped.
    package static func parse(
        _ text: UnsafeRawBufferPointer, _ options: ParseOptions = ParseOptions()
    ) throws(JSONError) -> JSONValue {
        let text = withoutByteOrderMark(text)
        let start = text.bindMemory(to: CChar.self).baseAddress
        guard let start, !text.isEmpty else { throw .empty }
        var flags = JSON_DECODE_ANY | JSON_ALLOW_NUL
        if options.rejectsDuplicateKeys { flags |= JSON_REJECT_DUPLICATES }

        var failure = json_error_t()
        if let tree = load(start, text.count, flags, &failure) {
            let value = JSONValue(owning: tree)
            try refuseNUL(text)
            return value
        }
        guard options.keepsOutOfRangeNumbers,
            rw_json_error_code(&failure) == json_error_numeric_overflow.rawValue
        else {
            throw error(failure)
        }
        let marked = OutOfRangeNumber.marking(text)
        let tree = marked.withUnsafeBytes { marked in
            let start = marked.bindMemory(to: CChar.self).baseAddress
            return start.flatMap { load($0, marked.count, flags, &failure) }
        }
        guard let tree else { throw error(failure) }
        let value = JSONValue(owning: tree, hasOutOfRangeNumbers: true)
        try refuseNUL(text)
        return value
    }

    /// Jansson passes over a NUL behind a number or a word; JSON has none anywhere.
    static func refuseNUL(_ text: UnsafeRawBufferPointer) throws(JSONError) {
        guard let start = text.baseAddress, let found = memchr(start, 0, text.count) else { return }
        let offset = UnsafeRawPointer(found) - start
        let before = text[..<offset]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        throw .malformed(
            line: line, column: offset - lineStart + 1, byteOffset: offset, reason: "NUL byte")
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

    /// Compact JSON text of a tree, with its marked numbers as numbers.
    package static func text(
        of pointer: UnsafeMutablePointer<json_t>, hasOutOfRangeNumbers: Bool,
        sortsKeys: Bool = false
    ) -> [UInt8] {
        let flags = JSON_COMPACT | JSON_ENCODE_ANY | (sortsKeys ? JSON_SORT_KEYS : 0)
        guard let dump = CLocale.run({ json_dumps(pointer, Int(flags)) }) else {
            preconditionFailure("out of memory")
        }
        defer { free(dump) }
        // A NUL in a string is escaped, so the first one ends the text.
        let text = Array(UnsafeRawBufferPointer(start: dump, count: strlen(dump)))
        return hasOutOfRangeNumbers ? OutOfRangeNumber.unmarking(text) : text
    }

    /// The digits of a marked number; `nil` for every other string. Ask only for strings of a tree
    /// that `hasOutOfRangeNumbers`.
    package static func outOfRangeNumber(
        _ bytes: UnsafePointer<CChar>, _ count: Int
    ) -> UnsafeRawBufferPointer? {
        let mark = OutOfRangeNumber.mark
        guard count > mark.count, memcmp(bytes, mark, mark.count) == 0 else { return nil }
        return UnsafeRawBufferPointer(start: bytes + mark.count, count: count - mark.count)
    }

    private static func load(
        _ start: UnsafePointer<CChar>, _ count: Int, _ flags: Int32, _ failure: inout json_error_t
    ) -> UnsafeMutablePointer<json_t>? {
        CLocale.run { json_loadb(start, count, Int(flags), &failure) }
    }

    static func error(_ failure: json_error_t) -> JSONError {
        var failure = failure
        switch UInt32(rw_json_error_code(&failure)) {
        case json_error_out_of_memory.rawValue:
            return .outOfMemory
        case json_error_stack_overflow.rawValue:
            return .tooDeep(max: nestingDepthMax)
        default:
            // Jansson ends its sentence with what stands near the error; that may be a secret.
            let sentence = String(cString: rw_json_error_text(&failure))
            let end = sentence.utf8ViewRange(of: " near ") ?? sentence.endIndex
            return .malformed(
                line: Int(max(1, failure.line)), column: Int(max(0, failure.column)) + 1,
                byteOffset: Int(failure.position), reason: String(sentence[..<end]))
        }
    }
}

extension String {
    /// Where `needle` first starts.
    fileprivate func utf8ViewRange(of needle: String) -> String.Index? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(needle) { return start }
            start = index(after: start)
        }
        return nil
    }
}
