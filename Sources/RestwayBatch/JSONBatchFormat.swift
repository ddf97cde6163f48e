import RestwayCalls
import RestwayHTTP
import RestwayJSON
import RestwayText

/// The built-in format. The request is `{"batch": [{"method", "uri", "body", "headers"}]}`. The
/// answer is an array of `{"code", "body", "headers"}` by position.
///
/// A body is a string in the request and in the answer. In an answer `body` and `headers` may be
/// missing or null. Servers with this format differ, so more is read than is written: a code as
/// text, a body as a JSON value, and headers as a list. The element null is the answer to a request
/// that the server has not carried out. An element of any other form is an answer that cannot be
/// read, and fails its request alone.
struct JSONBatchFormat: BatchFormat {
    var takesBinaryBodies: Bool { false }

    // MARK: Requests

    func encode(_ items: [BatchItem]) throws(BatchError) -> BatchBody {
        var text = JSONText(capacity: items.reduce(16) { $0 + 256 + 2 * ($1.body?.count ?? 0) })
        text.append("{\"batch\":[")
        for (index, item) in items.enumerated() {
            if index > 0 { text.append(",") }
            try Self.write(item, index, &text)
        }
        text.append("]}")
        return BatchBody(text.bytes, mediaType: "application/json")
    }

    private static func write(
        _ item: BatchItem, _ index: Int, _ text: inout JSONText
    ) throws(BatchError) {
        text.append("{\"method\":")
        text.append(string: item.method)
        text.append(",\"uri\":")
        text.append(string: item.uri)
        if let body = item.body {
            text.append(",\"body\":")
            guard text.append(text: body) else {
                throw BatchError("the body of request \(index) is not text in UTF-8")
            }
        }
        if !item.headers.isEmpty {
            text.append(",\"headers\":{")
            write(item.headers, &text)
            text.append("}")
        }
        text.append("}")
    }

    /// Joins fields of the same name, because each key of an object occurs once.
    private static func write(_ fields: [HeaderField], _ text: inout JSONText) {
        for (index, field) in fields.enumerated() {
            if fields[..<index].contains(where: { $0.isNamed(field.name) }) { continue }
            let isAlone = !fields[(index + 1)...].contains { $0.isNamed(field.name) }
            if index > 0 { text.append(",") }
            text.append(string: field.name)
            text.append(":")
            text.append(
                string: isAlone
                    ? field.value : Headers(fields).joined(field.name) ?? field.value)
        }
    }

    // MARK: Answers

    func decode(
        _ body: BatchBody, count: Int
    ) throws(BatchError) -> [Result<BatchAnswer, BatchError>] {
        var arena = JSONArena()
        let answers: Result<[Result<BatchAnswer, BatchError>], BatchError>
        do throws(JSONError) {
            answers = try unsafe body.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                let text = UnsafeRawBufferPointer(bytes)
                return try unsafe arena.withTree(text, .init(keepsNULInKeys: true)) { tree in
                    Result { () throws(BatchError) in try Self.answers(tree, count: count) }
                }
            }
        } catch {
            let error = BatchError("the answer is no JSON: \(error.message)")
            guard Self.beginsList(body.bytes) else { throw error }
            // The server has answered the requests, but nobody can tell the answers apart.
            return Array(repeating: .failure(error), count: count)
        }
        return try answers.get()
    }

    private static func beginsList(_ bytes: [UInt8]) -> Bool {
        let marks: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: marks) ? bytes.dropFirst(marks.count) : bytes[...]
        return text.first { !ASCII.isJSONSpace($0) } == UInt8(ascii: "[")
    }

    private static func answers(
        _ tree: JSONTree, count: Int
    ) throws(BatchError) -> [Result<BatchAnswer, BatchError>] {
        guard let elements = tree.elements else {
            throw BatchError("the answer is \(tree.kind.withArticle), not an array")
        }
        // This check comes first: with another count the answers cannot be assigned to the items.
        guard elements.count == count else {
            throw BatchError("\(elements.count) answers came for \(count) requests")
        }
        return elements.enumerated().map { index, element in
            Result { () throws(BatchError) in try answer(element, index) }
        }
    }

    private static func answer(_ value: JSONTree, _ index: Int) throws(BatchError) -> BatchAnswer {
        if value.kind == .null {
            throw BatchError(
                "[\(index)] is null: the server has not answered the request",
                field: "[\(index)]", isMissing: true)
        }
        guard value.kind == .object else { throw mismatch(value, "an object", "[\(index)]") }
        guard let code = value["code"] else {
            throw BatchError("[\(index)] has no code", field: "[\(index)].code")
        }
        guard let status = code.integer ?? code.string.flatMap(Self.status) else {
            throw mismatch(code, "a whole number", "[\(index)].code")
        }
        var answer = BatchAnswer(code: Int(clamping: status))
        if let headers = value["headers"] { answer.headers = fields(headers) }
        if let body = value["body"], body.kind != .null {
            answer.body = body.stringBytes ?? body.text()
            let hasType = answer.headers.contains { $0.isNamed("Content-Type") }
            if body.kind != .string, !hasType {
                answer.headers.append(
                    HeaderField(name: "Content-Type", value: "application/json"))
            }
        }
        return answer
    }

    /// Reads a code that is a text, perhaps with a reason phrase: "200" or "200 OK".
    private static func status(_ text: String) -> Int64? {
        let digits = text.utf8.prefix { $0 != UInt8(ascii: " ") }
        guard digits.count == 3, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
            return nil
        }
        return Int64(Substring(digits))
    }

    // MARK: Header fields

    /// Reads an object of names and values, a list of `{"name", "value"}`, or a list of pairs. A
    /// field that no header can have is left out: the answer counts without it. White space at the
    /// ends of a value is no part of it.
    private static func fields(_ value: JSONTree) -> [HeaderField] {
        if let members = value.members {
            return members.flatMap { name, value in fields(name, value) }
        }
        return (value.elements ?? []).flatMap { element -> [HeaderField] in
            if let pair = element.elements {
                guard pair.count == 2, let name = pair[0].string else { return [] }
                return fields(name, pair[1])
            }
            guard let name = element["name"]?.string else { return [] }
            return element["value"].map { fields(name, $0) } ?? []
        }
    }

    /// Returns the fields of a name whose value is a text, a number, a Boolean, or a list of these.
    private static func fields(_ name: String, _ value: JSONTree) -> [HeaderField] {
        let texts: [String] =
            switch value.kind {
            case .string: value.string.map { [$0] } ?? []
            case .integer, .real, .boolean: [String(decoding: value.text(), as: UTF8.self)]
            case .array: (value.elements ?? []).flatMap { fields(name, $0).map(\.value) }
            case .null, .object: []
            }
        return texts.compactMap { HeaderField(received: name, $0) }
    }

    private static func mismatch(
        _ value: JSONTree, _ expected: String, _ place: String
    ) -> BatchError {
        BatchError("\(place) is \(value.kind.withArticle), not \(expected)", field: place)
    }
}
