import Glibc
import RestwayJSON
import RestwayText

/// The variables of the process's environment that a text of a document names: `${NAME}`.
///
/// `$${` stands for a literal `${`.
extension DocumentNode {
    /// This node and all below it, whose texts may name variables of the environment.
    var expanding: DocumentNode {
        var node = self
        node.namesVariables = true
        return node
    }

    /// This node and all below it, whose texts may be secrets.
    var secret: DocumentNode {
        var node = self
        node.mayHoldSecrets = true
        return node
    }

    /// Returns `text` with the values of the variables that it names. It reports a variable that is
    /// not set, and a name that is wrong.
    func expanded(_ text: String) -> String? {
        var output: [UInt8] = []
        for part in VariableText.parts(of: text) {
            switch part {
            case .text(let bytes): output += bytes
            case .variable(let name):
                guard let value = getenv(name) else {
                    return refuse("the environment variable \"\(name)\" is not set")
                }
                output += UnsafeRawBufferPointer(start: value, count: strlen(value))
            case .broken:
                return refuse(
                    "\"${\" begins a variable of the environment: write ${NAME}, or $${ for the "
                        + "characters ${")
            }
        }
        guard let text = String(validating: output, as: UTF8.self) else {
            return refuse("the value of a variable is not valid UTF-8")
        }
        return text
    }

    /// Returns `message` without the values of the variables that this node names, because they may
    /// be secret.
    func withoutValues(_ message: String) -> String {
        guard namesVariables, let text = value.string else { return message }
        var bytes = Array(message.utf8)
        for case .variable(let name) in VariableText.parts(of: text) {
            guard let value = getenv(name) else { continue }
            let hidden = Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
            bytes = VariableText.replacing(hidden, with: Array("${\(name)}".utf8), in: bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The parts of a text that may name variables.
private enum VariableText {
    enum Part {
        case text(ArraySlice<UInt8>)
        case variable(String)
        /// A `${` without a name or without its `}`.
        case broken
    }

    private static let dollar = UInt8(ascii: "$")
    private static let brace = UInt8(ascii: "{")

    static func parts(of text: String) -> [Part] {
        let bytes = Array(text.utf8)
        var parts: [Part] = []
        var start = 0
        var index = 0
        while let mark = bytes[index...].firstIndex(of: dollar) {
            index = mark + 1
            if bytes[index...].starts(with: [dollar, brace]) {
                // The first of the two dollars is left out.
                parts.append(.text(bytes[start..<mark]))
                start = index
                index += 2
            } else if bytes[index...].first == brace {
                parts.append(.text(bytes[start..<mark]))
                let name = bytes[(index + 1)...].prefix(while: isNamePart)
                guard let first = name.first, !ASCII.isDigit(first),
                    bytes[name.endIndex...].first == UInt8(ascii: "}")
                else { return parts + [.broken] }
                parts.append(.variable(String(decoding: name, as: UTF8.self)))
                start = name.endIndex + 1
                index = start
            }
        }
        return parts + [.text(bytes[start...])]
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_")
    }

    static func replacing(_ old: [UInt8], with new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        guard !old.isEmpty else { return bytes }
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: old) {
                output += new
                index += old.count
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        return output
    }
}
