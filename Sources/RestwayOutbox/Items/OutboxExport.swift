import RestwayHTTP
package import RestwayJSON
import RestwayRouting
import RestwayText

/// Writes items as JSON, for people and for support. Values with secret names are replaced.
package struct OutboxExport {
    private let isSecret: (String) -> Bool
    private let redaction: BodyRedaction

    /// - Parameter isSecret: Tells whether the name of a header, a query parameter or a member of a
    ///   body is secret.
    package init(isSecret: @escaping (String) -> Bool) {
        self.isSecret = isSecret
        redaction = BodyRedaction(isSecret: isSecret)
    }

    /// Returns the item as JSON. A body that is neither JSON nor a form is given by its size only,
    /// because secrets in it cannot be found.
    package func json(_ item: OutboxItem) -> JSONValue {
        let entry = item.entry
        var members: [(key: String, value: JSONValue)] = [
            (key: "id", value: .integer(item.id)), (key: "state", value: .string(state(item))),
            (key: "lane", value: .string(entry.lane.name)),
            (key: "method", value: .string(entry.method)),
            (key: "path", value: .string(path(entry.path))),
            (key: "headers", value: headers(entry.headers)),
            (key: "idempotencyKey", value: .string(entry.idempotencyKey)),
            (key: "createdAt", value: .integer(entry.createdAt)),
            (key: "attempts", value: .integer(Int64(entry.attempts))),
            (key: "nextAttemptAt", value: .integer(entry.nextAttemptAt)),
        ]
        members += body(entry.body, entry.headers)
        let texts = [
            ("name", entry.name), ("route", entry.route), ("entity", entry.entity),
            ("creates", entry.creates?.text),
        ]
        for (key, text) in texts {
            if let text { members.append((key: key, value: .string(text))) }
        }
        if !item.dependencies.isEmpty {
            let locals = item.dependencies.map { JSONValue.string($0.text) }
            members.append((key: "waitsFor", value: .array(locals)))
        }
        if let trouble = entry.trouble { members.append((key: "lastError", value: json(trouble))) }
        if let answer = item.answer { members.append((key: "answer", value: json(answer))) }
        return .object(members)
    }

    private func state(_ item: OutboxItem) -> String {
        switch item.state {
        case .waiting: "waiting"
        case .inFlight: "inFlight"
        case .dead: "dead"
        }
    }

    private func json(_ trouble: OutboxTrouble) -> JSONValue {
        .object([
            (key: "code", value: .string(trouble.code)),
            (key: "httpStatus", value: .integer(Int64(trouble.httpStatus))),
            (key: "message", value: .string(trouble.message)),
        ])
    }

    private func json(_ answer: OutboxAnswer) -> JSONValue {
        .object(
            [
                (key: "status", value: .integer(Int64(answer.status))),
                (key: "headers", value: headers(answer.headers)),
            ] + body(answer.body, answer.headers))
    }

    private func headers(_ fields: [HeaderField]) -> JSONValue {
        .object(
            fields.map { field in
                let value = isSecret(field.name) ? BodyRedaction.mark : field.value
                return (key: field.name, value: .string(value))
            })
    }

    // MARK: Texts

    private func path(_ path: String) -> String {
        let path = URLText.redacted(path)
        guard let mark = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return path }
        return path[...mark] + redaction.form(path[path.index(after: mark)...])
    }

    private func body(
        _ bytes: [UInt8]?, _ fields: [HeaderField]
    ) -> [(key: String, value: JSONValue)] {
        guard let bytes else { return [] }
        let count = (key: "bodyByteCount", value: JSONValue.integer(Int64(bytes.count)))
        switch BodyForm(Headers(fields)) {
        case .json:
            guard let text = String(validating: bytes, as: UTF8.self),
                let value = try? JSONValue.parse(text)
            else { return [count] }
            return [(key: "body", value: redaction.json(value))]
        case .urlEncoded:
            let text = String(decoding: bytes, as: UTF8.self)
            return [(key: "body", value: .string(redaction.form(text[...])))]
        case .messagePack, .plain: return [count]
        }
    }
}
