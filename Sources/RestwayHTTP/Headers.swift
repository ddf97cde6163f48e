import RestwayText

/// One header line: a case-insensitive name and its value.
package struct HeaderField: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Compares bytes, which is what a server sees. As texts, U+00E9 and "e" with U+0301 behind it
    /// would be equal, because both are an "e" with an acute accent.
    package static func == (left: HeaderField, right: HeaderField) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
            && left.value.utf8.elementsEqual(right.value.utf8)
    }

    /// Whether this field is called `name`, without regard to case.
    package func isNamed(_ name: String) -> Bool {
        isNamed(name, ofCount: name.utf8.count)
    }

    /// Most names differ in length or are equal, and these checks call no function of another
    /// module.
    fileprivate func isNamed(_ name: String, ofCount count: Int) -> Bool {
        self.name.utf8.count == count
            && (self.name == name || ASCII.areEqualIgnoringCase(self.name, name))
    }
}

/// The header fields of a message, in order.
package struct Headers: Equatable, Sendable {
    package var fields: [HeaderField]

    package init(_ fields: [HeaderField] = []) {
        self.fields = fields
    }

    /// The value of the first field called `name`.
    package subscript(first name: String) -> String? {
        index(of: name, from: 0).map { fields[$0].value }
    }

    /// The values of all fields called `name`, separated by ", ", as RFC 9110, 5.3 allows for every
    /// field that is a list (`Set-Cookie` is not); nil if there is no field.
    package func joined(_ name: String) -> String? {
        guard var index = index(of: name, from: 0) else { return nil }
        var result = fields[index].value
        while let next = self.index(of: name, from: index + 1) {
            result += ", " + fields[next].value
            index = next
        }
        return result
    }

    /// The value of the field called `name`; nil if there is no field, or if there are several with
    /// different values.
    package func single(_ name: String) -> String? {
        guard var index = index(of: name, from: 0) else { return nil }
        let value = fields[index].value
        while let next = self.index(of: name, from: index + 1) {
            guard fields[next].value == value else { return nil }
            index = next
        }
        return value
    }

    private func index(of name: String, from start: Int) -> Int? {
        let count = name.utf8.count
        for index in start..<fields.count where fields[index].isNamed(name, ofCount: count) {
            return index
        }
        return nil
    }

    /// Replaces all fields called `name` with one field. The new field takes the place of the first
    /// replaced field, or stands at the end if no field was replaced.
    package mutating func set(_ name: String, _ value: String) {
        let field = HeaderField(name: name, value: value)
        guard let index = index(of: name, from: 0) else {
            fields.append(field)
            return
        }
        fields[index] = field
        remove(name, from: index + 1)
    }

    package mutating func remove(_ name: String) {
        remove(name, from: 0)
    }

    /// Returns the fields that have none of these names.
    package func without(_ names: [String]) -> Headers {
        var left = self
        left.fields.removeAll { field in names.contains { field.isNamed($0) } }
        return left
    }

    /// Most fields that are to be removed are not there, and the array is then not copied.
    private mutating func remove(_ name: String, from start: Int) {
        var start = start
        while let index = index(of: name, from: start) {
            fields.remove(at: index)
            start = index
        }
    }

    /// Whether `name` is a token (RFC 9110, 5.6.2).
    package static func isValidName(_ name: String) -> Bool {
        ASCII.isToken(name)
    }

    /// Whether `value` is a field value (RFC 9110, 5.5). It has no control character except the
    /// tab, so that it cannot add a line, and no white space at its ends. An empty value is valid.
    package static func isValidValue(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { bytes in
            guard let first = bytes.first, let last = bytes.last else { return true }
            guard !isBlank(first), !isBlank(last) else { return false }
            return bytes.allSatisfy(isValueByte)
        }
    }

    private static func isValueByte(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == 0x09
    }

    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The text without the white space that may stand at its ends (RFC 9110, section 5.6.3).
    package static func trimmed(_ text: Substring) -> Substring {
        guard let first = text.utf8.first, let last = text.utf8.last else { return text }
        // Most texts have none.
        guard isBlank(first) || isBlank(last) else { return text }
        let start = text.utf8.drop(while: isBlank)
        let end = start.lastIndex { !isBlank($0) }
        return end.map { Substring(start[...$0]) } ?? ""
    }

    /// A number of digits alone, without a sign; `nil` for anything else.
    package static func wholeNumber(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy(ASCII.isDigit) ? Int64(text) : nil
    }
}

extension HeaderField {
    /// Makes a field of a received message. White space at the ends of a value is no part of the
    /// value (RFC 9110, section 5.5); `nil` for a name or a value that no field can have.
    package init?(received name: String, _ value: String) {
        let value = String(Headers.trimmed(value[...]))
        guard Headers.isValidName(name), Headers.isValidValue(value) else { return nil }
        self.init(name: name, value: value)
    }

    /// Reads a header line from C; nil if it is not valid.
    package init?(name: UnsafePointer<CChar>, value: UnsafePointer<CChar>) {
        self.init(name: String(cString: name), value: String(cString: value))
        guard Headers.isValidName(self.name), Headers.isValidValue(self.value) else { return nil }
    }
}
