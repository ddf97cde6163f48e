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

    /// The digits of a number that is out of range; `nil` for anything else.
    package var digits: String? {
        guard hasOutOfRangeNumbers, let start = json_string_value(pointer) else { return nil }
        return JSONValue.outOfRangeNumber(start, json_string_length(pointer))
            .map { String(decoding: $0, as: UTF8.self) }
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
        var text = JSONText(capacity: 64)
        text.append(self, sortsKeys: sortsKeys)
        return text.bytes
    }

    fileprivate func part(_ pointer: UnsafeMutablePointer<json_t>) -> JSONTree {
        JSONTree(pointer: pointer, hasOutOfRangeNumbers: hasOutOfRangeNumbers)
    }
}

/// Writes a value. Jansson itself would write doubles with up to 17 digits.
extension JSONText {
    fileprivate mutating func append(_ value: JSONTree, sortsKeys: Bool) {
        switch value.pointer.pointee.type {
        case JSON_OBJECT: append(object: value, sortsKeys: sortsKeys)
        case JSON_ARRAY: append(array: value, sortsKeys: sortsKeys)
        case JSON_STRING: append(string: value)
        case JSON_INTEGER: append(integer: json_integer_value(value.pointer))
        case JSON_REAL: append(real: json_real_value(value.pointer))
        case JSON_TRUE: append("true")
        case JSON_FALSE: append("false")
        default: append("null")
        }
    }

    private mutating func append(object: JSONTree, sortsKeys: Bool) {
        var members = object.pointer.mapMembers { (key: $0, value: $1) }
        if sortsKeys { members.sort { $0.key.lexicographicallyPrecedes($1.key) } }
        append("{")
        for (index, member) in members.enumerated() {
            if index > 0 { append(",") }
            append(repairing: member.key)
            append(":")
            append(object.part(member.value), sortsKeys: sortsKeys)
        }
        append("}")
    }

    private mutating func append(array: JSONTree, sortsKeys: Bool) {
        append("[")
        for index in 0..<json_array_size(array.pointer) {
            if index > 0 { append(",") }
            guard let element = json_array_get(array.pointer, index) else { continue }
            append(array.part(element), sortsKeys: sortsKeys)
        }
        append("]")
    }

    private mutating func append(string: JSONTree) {
        guard let start = json_string_value(string.pointer) else { return append("null") }
        let count = json_string_length(string.pointer)
        if string.hasOutOfRangeNumbers, let number = JSONValue.outOfRangeNumber(start, count) {
            append(json: number)
        } else {
            append(repairing: UnsafeRawBufferPointer(start: start, count: count))
        }
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
