import RestwayHTTP
import RestwayJSON
import RestwayRouting
import RestwayText

/// Writes items as JSON, for people and for support. Values with secret names are replaced.
struct OutboxExport {
    /// Tells whether the name of a header or a parameter is secret.
    let isSecret: (String) -> Bool
    /// Replaces the secrets of bodies and queries.
    let redaction: BodyRedaction

    /// Returns the item as JSON. A body that is neither JSON nor a form is given by its size only,
    /// because secrets in it cannot be found.
    func json(_ item: OutboxItem) -> JSONValue {
        let entry = item.entry
        var members: [(key: String, value: JSONValue)] = [
            ("id", .integer(item.id)), ("state", .string(item.state.name)),
            ("lane", .string(entry.lane.name)), ("method", .string(entry.method)),
            ("path", .string(path(entry.path))), ("headers", headers(entry.headers)),
            ("idempotencyKey", .string(entry.idempotencyKey)),
            ("createdAt", .integer(entry.createdAt)),
            ("attempts", .integer(Int64(entry.progress.attempts))),
            ("nextAttemptAt", .integer(entry.progress.nextAttemptAt)),
        ]
        members += body(entry.body, entry.headers)
        let texts = [
            ("route", entry.origin.route), ("entity", entry.origin.entity),
            ("creates", entry.creates?.text), ("discriminator", entry.origin.discriminator),
        ]
        for (key, text) in texts {
            if let text { members.append((key, .string(text))) }
        }
        if !item.dependencies.isEmpty {
            members.append(("waitsFor", .array(item.dependencies.map { .string($0.text) })))
        }
        if let trouble = entry.progress.trouble { members.append(("lastError", json(trouble))) }
        if let conflict = item.conflict { members.append(("conflict", conflict.json)) }
        if let answer = item.answer { members.append(("answer", json(answer))) }
        return .object(members)
    }

    private func json(_ trouble: OutboxTrouble) -> JSONValue {
        .object([
            ("code", .string(trouble.code)),
            ("httpStatus", .integer(Int64(trouble.httpStatus))),
            ("message", .string(trouble.message)),
        ])
    }

    private func json(_ answer: OutboxAnswer) -> JSONValue {
        .object(
            [("status", .integer(Int64(answer.status))), ("headers", headers(answer.headers))]
                + body(answer.body, answer.headers))
    }

    private func headers(_ fields: [HeaderField]) -> JSONValue {
        .object(
            fields.map { field in
                (field.name, .string(isSecret(field.name) ? BodyRedaction.mark : field.value))
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
        let count = ("bodyByteCount", JSONValue.integer(Int64(bytes.count)))
        switch BodyForm(Headers(fields)) {
        case .json:
            guard let text = String(validating: bytes, as: UTF8.self),
                let value = try? JSONValue.parse(text)
            else { return [count] }
            return [("body", redaction.json(value))]
        case .urlEncoded:
            let text = String(decoding: bytes, as: UTF8.self)
            return [("body", .string(redaction.form(text[...])))]
        case .multipart:
            guard let text = redaction.body(bytes, Headers(fields)),
                let text = String(validating: text, as: UTF8.self)
            else { return [count] }
            return [("body", .string(text))]
        case .plain: return [count]
        }
    }
}
