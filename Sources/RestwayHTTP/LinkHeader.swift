import RestwayText

/// The links in the headers of an answer (RFC 8288).
package enum LinkHeader {
    private struct Link {
        let target: Substring
        /// The parameters, from the first semicolon on.
        let parameters: Substring
    }

    /// Returns the target of the first link with this relation, as the server wrote it; `nil` if
    /// there is no such link.
    ///
    /// A link with an anchor is a link of another resource, and does not count.
    package static func target(of relation: String, in headers: Headers) -> String? {
        for field in headers.fields where field.isNamed("Link") {
            var rest = field.value[...]
            while let link = next(in: &rest) {
                let parameters = HeaderParameters.read(String(link.parameters))
                guard parameters["anchor"] == nil, let relations = parameters["rel"] else {
                    continue
                }
                let names = relations.split(separator: " ")
                if names.contains(where: { ASCII.areEqualIgnoringCase(String($0), relation) }) {
                    return String(Headers.trimmed(link.target))
                }
            }
        }
        return nil
    }

    /// Removes and returns the first link of a list. Elements that are no links are left out.
    private static func next(in rest: inout Substring) -> Link? {
        while !rest.isEmpty {
            let element = Headers.trimmed(rest)
            guard element.utf8.first == UInt8(ascii: "<"),
                let end = element.utf8.firstIndex(of: UInt8(ascii: ">"))
            else {
                rest = behindComma(element, from: element.startIndex)
                continue
            }
            let start = element.utf8.index(after: element.startIndex)
            let behind = element.utf8.index(after: end)
            let next = behindComma(element, from: behind)
            rest = next
            return Link(
                target: element[start..<end], parameters: element[behind..<next.startIndex])
        }
        return nil
    }

    /// Returns the text behind the first comma that stands in no quoted string.
    private static func behindComma(_ text: Substring, from start: String.Index) -> Substring {
        let utf8 = text.utf8
        var index = start
        var isQuoted = false
        while index < utf8.endIndex {
            let byte = utf8[index]
            index = utf8.index(after: index)
            switch byte {
            case UInt8(ascii: "\""):
                isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted && index < utf8.endIndex:
                index = utf8.index(after: index)
            case UInt8(ascii: ",") where !isQuoted:
                return text[index...]
            default: break
            }
        }
        return text[index...]
    }
}
