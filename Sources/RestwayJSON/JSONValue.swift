package import CJansson
import Glibc

/// One value of a JSON tree. It owns a reference to Jansson's tree and never changes it.
///
/// `@unchecked Sendable`: a finished tree is never changed, and Jansson counts references
/// atomically.
package final class JSONValue: @unchecked Sendable {
    package enum Kind: String, Sendable {
        case null, boolean, integer, real, string, array, object

        /// The kind with its article, for messages: "expected a string, is an array".
        package var withArticle: String {
            switch self {
            case .null: "null"
            case .boolean: "a boolean"
            case .integer: "a whole number"
            case .real: "a number with a fraction"
            case .string: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        }
    }

    package struct ParseOptions: Sendable {
        /// Whether a key that occurs twice in one object is an error. Otherwise the later one is
        /// kept.
        package var rejectsDuplicateKeys = false
        /// Whether numbers that neither an int64 nor a double can hold are kept as marked strings.
        /// Otherwise they are an error. A reader with this option must distinguish them from
        /// strings.
        package var keepsOutOfRangeNumbers = false
        /// Whether a key may contain a NUL. Otherwise it is an error.
        package var keepsNULInKeys = false
        /// Whether numbers with a fraction or an exponent are kept as marked strings, too, so that
        /// all their digits are known.
        package var keepsDigits = false

        /// Whether text that is not Unicode is repaired (`RepairedText`). Otherwise it is an error.
        package var repairsText = false

        /// Options that accept everything that a server may send.
        package static let anyJSON: ParseOptions = {
            var options = validJSON(keepsDigits: false)
            options.repairsText = true
            return options
        }()

        /// Options that accept all JSON that is Unicode.
        ///
        /// - Parameter keepsDigits: Whether the digits of all numbers are kept.
        package static func validJSON(keepsDigits: Bool) -> ParseOptions {
            var options = ParseOptions(keepsOutOfRangeNumbers: true, keepsNULInKeys: true)
            options.keepsDigits = keepsDigits
            return options
        }

        package init(
            rejectsDuplicateKeys: Bool = false, keepsOutOfRangeNumbers: Bool = false,
            keepsNULInKeys: Bool = false
        ) {
            self.rejectsDuplicateKeys = rejectsDuplicateKeys
            self.keepsOutOfRangeNumbers = keepsOutOfRangeNumbers
            self.keepsNULInKeys = keepsNULInKeys
        }
    }

    /// The value, valid while this object lives.
    private let tree: JSONTree

    /// Takes ownership of one reference to `pointer`.
    package init(owning pointer: UnsafeMutablePointer<json_t>, hasOutOfRangeNumbers: Bool = false) {
        tree = JSONTree(pointer: pointer, hasOutOfRangeNumbers: hasOutOfRangeNumbers)
    }

    /// Adds a reference to `part`.
    private convenience init(sharing part: JSONTree) {
        json_incref(part.pointer)
        self.init(owning: part.pointer, hasOutOfRangeNumbers: part.hasOutOfRangeNumbers)
    }

    deinit {
        tree.release()
    }

    /// Calls `body` with the value without its reference count. `body` must not keep it.
    package func withTree<Result, Failure>(
        _ body: (JSONTree) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(tree)
    }

    /// The value without its reference count. It is valid while this object lives.
    package var borrowedTree: JSONTree { tree }

    /// Jansson's value. It is valid while this object lives.
    package var pointer: UnsafeMutablePointer<json_t> { tree.pointer }
    /// Whether the tree contains marked numbers; see `outOfRangeNumber`.
    package var hasOutOfRangeNumbers: Bool { tree.hasOutOfRangeNumbers }

    package var kind: Kind { tree.kind }
    package var string: String? { tree.string }
    package var integer: Int64? { tree.integer }
    package var double: Double? { tree.double }
    package var bool: Bool? { tree.bool }
    package var isNull: Bool { kind == .null }

    /// The elements of an array; `nil` for anything else.
    package var elements: [JSONValue]? { tree.elements?.map(JSONValue.init) }

    /// The members of an object in the order of the text; `nil` for anything else.
    package var members: [(key: String, value: JSONValue)]? {
        tree.members?.map { ($0, JSONValue(sharing: $1)) }
    }

    /// The member called `key` of an object.
    package subscript(key: String) -> JSONValue? { tree[key].map(JSONValue.init) }

    /// The value at the dotted `keyPath`, which leads through objects.
    package func value(atKeyPath keyPath: [String]) -> JSONValue? {
        var current = self
        for key in keyPath {
            guard let next = current[key] else { return nil }
            current = next
        }
        return current
    }

    /// The value as compact JSON text, with the members in their original order.
    ///
    /// - Parameter sortsKeys: Whether members are sorted by key instead.
    package func text(sortsKeys: Bool = false) -> [UInt8] { tree.text(sortsKeys: sortsKeys) }
}

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
        let tree = try JSONTree.parse(text, options)
        return JSONValue(
            owning: tree.pointer, hasOutOfRangeNumbers: tree.hasOutOfRangeNumbers)
    }

    package static func withoutByteOrderMark(
        _ text: UnsafeRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        text.starts(with: [0xEF, 0xBB, 0xBF]) ? .init(rebasing: text.dropFirst(3)) : text
    }

    package static func parse(
        _ text: String, _ options: ParseOptions = ParseOptions()
    ) throws(JSONError) -> JSONValue {
        try Array(text.utf8).withUnsafeBufferPointer { bytes throws(JSONError) in
            try parse(UnsafeRawBufferPointer(bytes), options)
        }
    }

    /// Parses JSON in which numbers may have any size.
    package static func parseAnySize(_ text: String) throws(JSONError) -> JSONValue {
        try Array(text.utf8).withUnsafeBufferPointer { bytes throws(JSONError) in
            try parseAnySize(UnsafeRawBufferPointer(bytes))
        }
    }

    package static func parseAnySize(
        _ text: UnsafeRawBufferPointer
    ) throws(JSONError) -> JSONValue {
        do {
            return try parse(text)
        } catch {
            let options = ParseOptions(keepsOutOfRangeNumbers: true)
            guard let value = try? parse(text, options) else { throw error }
            return value
        }
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

/// Builds trees for request bodies.
extension JSONValue {
    package static var null: JSONValue { JSONValue(owning: json_null()) }

    package static func bool(_ value: Bool) -> JSONValue {
        JSONValue(owning: value ? json_true() : json_false())
    }

    package static func integer(_ value: Int64) -> JSONValue {
        JSONValue(owning: made(json_integer(value)))
    }

    /// A number; `nil` for infinities and not-a-number, which JSON cannot express.
    package static func real(_ value: Double) -> JSONValue? {
        json_real(value).map { JSONValue(owning: $0) }
    }

    package static func string(_ value: String) -> JSONValue {
        JSONValue(owning: made(value.withCString { json_stringn($0, value.utf8.count) }))
    }

    /// A number that neither an int64 nor a double can hold, given by its digits.
    package static func outOfRange(_ digits: String) -> JSONValue {
        let marked = String(decoding: OutOfRangeNumber.mark, as: UTF8.self) + digits
        let pointer = made(marked.withCString { json_stringn($0, marked.utf8.count) })
        return JSONValue(owning: pointer, hasOutOfRangeNumbers: true)
    }

    package static func array(_ elements: [JSONValue]) -> JSONValue {
        let array = made(json_array())
        for element in elements {
            json_incref(element.pointer)
            precondition(json_array_append_new(array, element.pointer) == 0, "out of memory")
        }
        return JSONValue(
            owning: array, hasOutOfRangeNumbers: elements.contains { $0.hasOutOfRangeNumbers })
    }

    /// An object. If two members have the same key, the later one is kept.
    package static func object(_ members: [(key: String, value: JSONValue)]) -> JSONValue {
        let object = made(json_object())
        for member in members {
            json_incref(member.value.pointer)
            let result = member.key.withCString { key in
                json_object_setn_new_nocheck(
                    object, key, member.key.utf8.count, member.value.pointer)
            }
            precondition(result == 0, "out of memory")
        }
        return JSONValue(
            owning: object,
            hasOutOfRangeNumbers: members.contains { $0.value.hasOutOfRangeNumbers })
    }

    private static func made(
        _ make: @autoclosure () -> UnsafeMutablePointer<json_t>?
    ) -> UnsafeMutablePointer<json_t> {
        _ = JSONArena.isServing
        guard let pointer = make() else { preconditionFailure("out of memory") }
        return pointer
    }
}

/// Why a text is not valid or not usable JSON.
package enum JSONError: Error, Equatable, Sendable {
    /// Lines and columns count from 1, bytes from 0. The reason never quotes the text.
    case malformed(line: Int, column: Int, byteOffset: Int, reason: String)
    case tooDeep(max: Int)
    case empty
    case outOfMemory

    package var message: String {
        switch self {
        case .malformed(let line, let column, let byteOffset, let reason):
            "not valid JSON: \(reason) at line \(line), column \(column) (byte \(byteOffset))"
        case .tooDeep(let max):
            "JSON nested deeper than \(max) levels"
        case .empty:
            "no JSON: the text is empty"
        case .outOfMemory:
            "out of memory while reading JSON"
        }
    }
}
