import RestwayText

/// Checks that a text is JSON (RFC 8259) without reading its values.
///
/// It takes every number, also one that no type of the library holds, and every byte above 0x7F in
/// a string.
package struct JSONSyntax {
    private let bytes: [UInt8]
    private var index = 0
    /// Whether each container that is open is an object, and not an array.
    private var open: [Bool] = []

    /// Throws the first place at which `bytes` are no JSON.
    package static func check(_ bytes: [UInt8]) throws(JSONError) {
        if bytes.isEmpty { throw .empty }
        var syntax = JSONSyntax(bytes)
        try syntax.text()
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func text() throws(JSONError) {
        // A byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        var isValueNext = true
        while true {
            if isValueNext {
                isValueNext = try value()
            } else if let isObject = open.last {
                isValueNext = try endOfElement(isObject)
            } else {
                skipSpace()
                guard index == bytes.count else { throw malformed("end of text expected") }
                return
            }
        }
    }

    /// Reads a value, or the beginning of a container.
    ///
    /// - Returns: Whether a value follows, the first one of the container.
    private mutating func value() throws(JSONError) -> Bool {
        skipSpace()
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = byte == UInt8(ascii: "{")
            index += 1
            skipSpace()
            if byte == UInt8(ascii: isObject ? "}" : "]") {
                index += 1
                return false
            }
            open.append(isObject)
            if isObject { try key() }
            return true
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: try number()
        }
        return false
    }

    /// Reads what stands behind an element of a container: a comma, or the end of the container.
    ///
    /// - Returns: Whether another value follows.
    private mutating func endOfElement(_ isObject: Bool) throws(JSONError) -> Bool {
        skipSpace()
        if byte == UInt8(ascii: ",") {
            index += 1
            if isObject { try key() }
            return true
        }
        guard byte == UInt8(ascii: isObject ? "}" : "]") else {
            throw malformed(isObject ? "',' or '}' expected" : "',' or ']' expected")
        }
        index += 1
        open.removeLast()
        return false
    }

    private mutating func key() throws(JSONError) {
        skipSpace()
        guard byte == UInt8(ascii: "\"") else {
            throw malformed("a key in quotation marks expected")
        }
        try string()
        skipSpace()
        guard byte == UInt8(ascii: ":") else { throw malformed("':' expected") }
        index += 1
    }

    private mutating func string() throws(JSONError) {
        index += 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"):
                index += 1
                if byte == UInt8(ascii: "u") {
                    for _ in 0..<4 {
                        index += 1
                        guard ASCII.hexValue(byte) != nil else { throw malformed("invalid escape") }
                    }
                } else if !"\"\\/bfnrt".utf8.contains(byte) {
                    throw malformed("invalid escape")
                }
                index += 1
            case 0..<0x20: throw malformed("control character in a string")
            default: index += 1
            }
        }
        throw malformed("end of a string expected")
    }

    private mutating func number() throws(JSONError) {
        if byte == UInt8(ascii: "-") { index += 1 }
        if byte == UInt8(ascii: "0") { index += 1 } else { try digits("a value expected") }
        if byte == UInt8(ascii: ".") {
            index += 1
            try digits("a digit expected")
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            index += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { index += 1 }
            try digits("a digit expected")
        }
    }

    private mutating func digits(_ reason: String) throws(JSONError) {
        guard ASCII.isDigit(byte) else { throw malformed(reason) }
        while ASCII.isDigit(byte) { index += 1 }
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        for expected in word.description.utf8 {
            guard byte == expected else { throw malformed("a value expected") }
            index += 1
        }
    }

    private mutating func skipSpace() {
        while ASCII.isJSONSpace(byte) { index += 1 }
    }

    /// The next byte; 0, which no JSON text has, at the end.
    private var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

    private func malformed(_ reason: String) -> JSONError {
        let before = bytes[..<min(index, bytes.count)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return .malformed(
            line: line, column: before.count - start + 1, byteOffset: before.count, reason: reason)
    }
}
