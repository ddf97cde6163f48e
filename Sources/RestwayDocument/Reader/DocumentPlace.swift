import RestwayText

/// The place of a value in its document.
///
/// It is text only in an error: most documents have none, and a text for each of their values would
/// take more time than everything else that the reader does with them.
indirect enum DocumentPlace: Sendable {
    /// A whole document, or a part that stands in no document.
    case root
    /// A file that a document includes, by its path from the document.
    case file(String)
    case member(of: DocumentPlace, key: String)
    case element(of: DocumentPlace, index: Int)

    /// The place as text: `$.routes.enterprise`, `$.responses[2]`, or `$.headers['X-Debug']` for a
    /// key that is no identifier. The name of an included file stands in front:
    /// `shared/routes.json: $.routes.enterprise`.
    var text: String {
        var steps: [String] = []
        var place = self
        while true {
            switch place {
            case .root:
                return "$" + steps.reversed().joined()
            case .file(let name):
                return "\(name): $" + steps.reversed().joined()
            case .member(let object, let key):
                steps.append(Self.step(key))
                place = object
            case .element(let array, let index):
                steps.append("[\(index)]")
                place = array
            }
        }
    }

    private static func step(_ key: String) -> String {
        let isIdentifier = key.utf8.allSatisfy { byte in
            ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
        let startsWithLetter = key.first.map { $0.isLetter || $0 == "_" } ?? false
        return isIdentifier && startsWithLetter ? ".\(key)" : "['\(escaped(key))']"
    }

    /// Returns `key` as a JSON path writes it between single quotes (RFC 9535, section 2.3.1.1).
    private static func escaped(_ key: String) -> String {
        var text = ""
        for scalar in key.unicodeScalars {
            switch scalar {
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
