import CJansson

/// Reads a value.
extension JSONTree {
    package var kind: JSONValue.Kind {
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

    package var string: String? { text.map { String(decoding: $0, as: UTF8.self) } }

    /// The text of a string in UTF-8; `nil` for anything else.
    package var stringBytes: [UInt8]? { text.map { Array($0) } }

    private var text: UnsafeRawBufferPointer? {
        json_string_value(pointer).map { bytes in
            UnsafeRawBufferPointer(start: bytes, count: json_string_length(pointer))
        }
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

    /// The elements of an array; `nil` for anything else.
    package var elements: [JSONTree]? {
        guard kind == .array else { return nil }
        return (0..<json_array_size(pointer)).compactMap { index in
            json_array_get(pointer, index).map(part)
        }
    }

    /// The members of an object in the order of the text; `nil` for anything else.
    package var members: [(key: String, value: JSONTree)]? {
        guard kind == .object else { return nil }
        return pointer.mapMembers { key, value in
            (String(decoding: key, as: UTF8.self), part(value))
        }
    }

    /// The member called `key` of an object.
    package subscript(key: String) -> JSONTree? {
        key.withCString { json_object_getn(pointer, $0, key.utf8.count) }.map(part)
    }

    /// The value as compact JSON text, with the members in their original order.
    ///
    /// - Parameter sortsKeys: Whether members are sorted by key instead.
    package func text(sortsKeys: Bool = false) -> [UInt8] {
        JSONValue.text(
            of: pointer, hasOutOfRangeNumbers: hasOutOfRangeNumbers, sortsKeys: sortsKeys)
    }

    private func part(_ pointer: UnsafeMutablePointer<json_t>) -> JSONTree {
        JSONTree(pointer: pointer, hasOutOfRangeNumbers: hasOutOfRangeNumbers)
    }
}

extension UnsafeMutablePointer<json_t> {
    /// Returns what `make` makes of each member of an object, in the order of the text. Keys and
    /// values are borrowed.
    func mapMembers<Member>(
        _ make: (UnsafeRawBufferPointer, UnsafeMutablePointer<json_t>) -> Member
    ) -> [Member] {
        var members: [Member] = []
        members.reserveCapacity(json_object_size(self))
        var iterator = json_object_iter(self)
        while let current = iterator {
            let key = UnsafeRawBufferPointer(
                start: json_object_iter_key(current), count: json_object_iter_key_len(current))
            if let value = json_object_iter_value(current) { members.append(make(key, value)) }
            iterator = json_object_iter_next(self, current)
        }
        return members
    }
}
