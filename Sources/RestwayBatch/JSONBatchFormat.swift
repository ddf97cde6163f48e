import RestwayCalls
import RestwayHTTP
import RestwayJSON

/// The built-in format. The request is `{"batch": [{"method", "uri", "body", "headers"}]}`. The
/// answer is an array of `{"code", "body", "headers"}` by position.
///
/// A body is a string in the request and in the answer. In an answer `body` and `headers` may be
/// missing or null. An answer of any other form is an error.
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

    func decode(_ body: BatchBody, count: Int) throws(BatchError) -> [BatchAnswer] {
        var arena = JSONArena()
        let answers: Result<[BatchAnswer], BatchError>
        do throws(JSONError) {
            answers = try unsafe body.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                let text = UnsafeRawBufferPointer(bytes)
                return try unsafe arena.withTree(text, .init(keepsNULInKeys: true)) { tree in
                    Result { () throws(BatchError) in try Self.answers(tree, count: count) }
                }
            }
        } catch {
            throw BatchError("the answer is no JSON: \(error.message)")
        }
        return try answers.get()
    }

    private static func answers(
        _ tree: JSONTree, count: Int
    ) throws(BatchError) -> [BatchAnswer] {
        guard let elements = tree.elements else {
            throw BatchError("the answer is \(tree.kind.withArticle), not an array")
        }
        // This check comes first: with another count the answers cannot be assigned to the items.
        guard elements.count == count else {
            throw BatchError("\(elements.count) answers came for \(count) requests")
        }
        return try elements.enumerated().map { index, element throws(BatchError) in
            try answer(element, index)
        }
    }

    private static func answer(_ value: JSONTree, _ index: Int) throws(BatchError) -> BatchAnswer {
        guard value.kind == .object else { throw mismatch(value, "an object", "[\(index)]") }
        guard let code = value["code"] else {
            throw BatchError("[\(index)] has no code", field: "[\(index)].code")
        }
        guard let integer = code.integer else {
            throw mismatch(code, "a whole number", "[\(index)].code")
        }
        var answer = BatchAnswer(code: Int(clamping: integer))
        if let body = value["body"], body.kind != .null {
            guard let text = body.stringBytes else {
                throw mismatch(body, "a string", "[\(index)].body")
            }
            answer.body = text
        }
        if let headers = value["headers"], headers.kind != .null {
            answer.headers = try fields(headers, index)
        }
        return answer
    }

    private static func fields(
        _ value: JSONTree, _ index: Int
    ) throws(BatchError) -> [HeaderField] {
        let place = { "[\(index)].headers" }
        guard let members = value.members else { throw mismatch(value, "an object", place()) }
        var fields: [HeaderField] = []
        fields.reserveCapacity(members.count)
        for (name, value) in members {
            guard Headers.isValidName(name) else {
                throw BatchError("\(place()) has an invalid header name", field: place())
            }
            guard let text = value.string else {
                throw mismatch(value, "a string", "\(place()).\(name)")
            }
            guard Headers.isValidValue(text) else {
                throw BatchError(
                    "\(place()).\(name) is not a valid header value",
                    field: "\(place()).\(name)")
            }
            fields.append(HeaderField(name: name, value: text))
        }
        return fields
    }

    private static func mismatch(
        _ value: JSONTree, _ expected: String, _ place: String
    ) -> BatchError {
        BatchError("\(place) is \(value.kind.withArticle), not \(expected)", field: place)
    }
}
