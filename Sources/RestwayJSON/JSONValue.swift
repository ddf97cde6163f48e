package import CJansson

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

        /// Options that accept everything that a server may send.
        package static let anyJSON = ParseOptions(
            keepsOutOfRangeNumbers: true, keepsNULInKeys: true)

        package init(
            rejectsDuplicateKeys: Bool = false, keepsOutOfRangeNumbers: Bool = false,
            keepsNULInKeys: Bool = false
        ) {
            self.rejectsDuplicateKeys = rejectsDuplicateKeys
            self.keepsOutOfRangeNumbers = keepsOutOfRangeNumbers
            self.keepsNULInKeys = keepsNULInKeys
        }
    }

    /// Jansson's value. It is valid while this object lives.
    package let pointer: UnsafeMutablePointer<json_t>
    /// Whether the tree contains marked numbers; see `outOfRangeNumber`.
    package let hasOutOfRangeNumbers: Bool

    /// Takes ownership of one reference to `pointer`.
    package init(owning pointer: UnsafeMutablePointer<json_t>, hasOutOfRangeNumbers: Bool = false) {
        self.pointer = pointer
        self.hasOutOfRangeNumbers = hasOutOfRangeNumbers
    }

    /// Takes ownership of `tree`, which was made with `malloc`.
    convenience init(owning tree: JSONTree) {
        self.init(owning: tree.pointer, hasOutOfRangeNumbers: tree.hasOutOfRangeNumbers)
    }

    /// Adds a reference to `pointer`.
    convenience init(sharing pointer: UnsafeMutablePointer<json_t>, of tree: JSONValue) {
        json_incref(pointer)
        self.init(owning: pointer, hasOutOfRangeNumbers: tree.hasOutOfRangeNumbers)
    }

    deinit {
        json_decref(pointer)
    }

    package var kind: Kind {
        switch pointer.pointee.type {
        case JSON_OBJECT: .object
        case JSON_ARRAY: .array
        case JSON_STRING: .string
        case JSON_INTEGER: .integer
        case JSON_REAL: .real
        case JSON_TRUE, JSON_FALSE: .boolean
        default: .null
        }
    }

    package var string: String? {
        guard let bytes = json_string_value(pointer) else { return nil }
        let buffer = UnsafeRawBufferPointer(start: bytes, count: json_string_length(pointer))
        return String(decoding: buffer, as: UTF8.self)
    }

    package var integer: Int64? {
        kind == .integer ? json_integer_value(pointer) : nil
    }

    package var double: Double? {
        kind == .integer || kind == .real ? json_number_value(pointer) : nil
    }

    package var bool: Bool? {
        switch pointer.pointee.type {
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: nil
        }
    }

    package var isNull: Bool { kind == .null }

    /// The elements of an array; `nil` for anything else.
    package var elements: [JSONValue]? {
        guard kind == .array else { return nil }
        return (0..<json_array_size(pointer)).compactMap { index in
            json_array_get(pointer, index).map { JSONValue(sharing: $0, of: self) }
        }
    }

    /// The members of an object in the order of the text; `nil` for anything else.
    package var members: [(key: String, value: JSONValue)]? {
        guard kind == .object else { return nil }
        var members: [(key: String, value: JSONValue)] = []
        members.reserveCapacity(json_object_size(pointer))
        var iterator = json_object_iter(pointer)
        while let current = iterator {
            if let key = json_object_iter_key(current),
                let value = json_object_iter_value(current)
            {
                let bytes = UnsafeRawBufferPointer(
                    start: key, count: json_object_iter_key_len(current))
                members.append(
                    (String(decoding: bytes, as: UTF8.self), JSONValue(sharing: value, of: self)))
            }
            iterator = json_object_iter_next(pointer, current)
        }
        return members
    }

    /// The member called `key` of an object.
    package subscript(key: String) -> JSONValue? {
        var key = key
        let value = key.withUTF8 { key in
            key.withMemoryRebound(to: CChar.self) { key in
                json_object_getn(pointer, key.baseAddress ?? Self.emptyText, key.count)
            }
        }
        return value.map { JSONValue(sharing: $0, of: self) }
    }

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
    package func text(sortsKeys: Bool = false) -> [UInt8] {
        Self.text(
            of: pointer, hasOutOfRangeNumbers: hasOutOfRangeNumbers, sortsKeys: sortsKeys)
    }
}
