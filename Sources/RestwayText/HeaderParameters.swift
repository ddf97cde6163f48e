/// The parameters of a header value, as in `text/plain; charset=utf-8` (RFC 9110, section 5.6.6).
package enum HeaderParameters {
    /// Reads the parameters behind the first semicolon, their names in lower case. If a name is
    /// repeated, its first value counts.
    package static func read(_ value: String) -> [String: String] {
        var parameters: [String: String] = [:]
        var rest = value.drop { $0 != ";" }
        while rest.first == ";" {
            rest = rest.dropFirst()
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            let text = rest.first == "\"" ? quoted(&rest) : token(&rest)
            let key = String(trimmed(name)).lowercased()
            if parameters[key] == nil { parameters[key] = text }
            rest = rest.drop { $0 != ";" }
        }
        return parameters
    }

    private static func quoted(_ rest: inout Substring) -> String {
        var text = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", let escaped = rest.popFirst() {
                text.append(escaped)
            } else {
                text.append(character)
            }
        }
        return text
    }

    private static func token(_ rest: inout Substring) -> String {
        let text = rest.prefix { $0 != ";" }
        rest = rest.dropFirst(text.count)
        return String(trimmed(text))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
