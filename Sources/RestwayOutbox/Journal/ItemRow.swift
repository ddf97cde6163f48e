import RestwayHTTP
import RestwaySQLite

/// Reads and writes the rows of items.
enum ItemRow {
    /// The values of the column `mayHaveArrived`, which says whether the server may know an item.
    /// Only creations get it before they are sent; for other items the file of the lock says which
    /// were sent (`SenderLock.Flight`).
    enum MayHaveArrived {
        static let no: Int64 = 0
        /// The attempt in progress is the first that may have reached the server. The process that
        /// made the attempt may have died or forgotten it.
        static let firstAttempt: Int64 = 1
        static let yes: Int64 = 2

        /// The new value before an attempt. If an earlier attempt never reported its end, the item
        /// may have arrived.
        static let beforeAttempt =
            "CASE mayHaveArrived WHEN \(no) THEN \(firstAttempt) ELSE \(yes) END"

        /// Returns the new value after an attempt that brought no final answer.
        static func afterAttempt(_ mayHaveArrived: Bool) -> String {
            mayHaveArrived
                ? "\(yes)"
                : "CASE mayHaveArrived WHEN \(firstAttempt) THEN \(no) ELSE mayHaveArrived END"
        }
    }

    /// The values of the column `state`.
    enum State {
        static let waiting: Int64 = 0
        static let dead: Int64 = 1
        /// The item waits, and the last sender may not send it, because it goes in the name of
        /// somebody else.
        static let ofOthers: Int64 = 3
        /// The item waits until the program decides a conflict. Its lane does not wait for it,
        /// unless the column `blocks` is 1.
        static let parked: Int64 = 4
    }

    /// The columns of the table, in the order in which `read` expects them.
    private static let columns = [
        "id", "lane", "state", "method", "path", "headers", "idempotencyKey", "createdAt",
        "creates", "mayHaveArrived", "attempts", "nextAttemptAt", "askedUntil", "trouble",
        "troubleStatus", "troubleMessage", "route", "entity", "storeKey", "context",
        "answerStatus", "answerHeaders", "answerBody", "body", "discriminator", "owner", "edit",
        "conflict",
    ]
    static let selection = "SELECT \(columns.joined(separator: ", ")) FROM item"

    /// Selects the items behind `?1`, each with its turn (see `turn`).
    static let aheadSelection =
        "SELECT \(columns.joined(separator: ", ")), turn FROM item WHERE id > ?1 AND state = 0 "
        + "ORDER BY id LIMIT ?2"

    static func turn(_ row: Statement) -> Int64? { row.integerIfAny(Int32(columns.count)) }

    static func insert(
        _ file: JournalConnection, _ entry: OutboxEntry, _ text: LocalIDText, lane: String,
        id: Int64, turn: Int64?, state: Int64
    ) throws(OutboxError) {
        let progress = entry.progress
        try file.run(
            insertion, .integer(id), .text(lane), .integer(turn), .text(entry.method),
            .text(text.path), .text(text.headers), .text(entry.idempotencyKey),
            .integer(entry.createdAt), .text(entry.creates?.text),
            .integer(progress.mayHaveArrived ? MayHaveArrived.yes : MayHaveArrived.no),
            .integer(Int64(progress.attempts)), .integer(progress.nextAttemptAt),
            .integer(progress.askedUntil), .text(progress.trouble?.code),
            .integer(progress.trouble.map { Int64($0.httpStatus) }),
            .text(progress.trouble?.message), .text(entry.origin.route),
            .text(entry.origin.entity), .integer(entry.origin.storeKey),
            .bytes(entry.origin.context), .bytes(text.body), .text(entry.origin.discriminator),
            .text(entry.origin.owner.text), .integer(state), .integer(entry.change?.edit),
            .text(entry.conflict?.text))
    }

    private static let insertion =
        "INSERT INTO item (id, lane, turn, method, path, headers, idempotencyKey, createdAt, "
        + "creates, mayHaveArrived, attempts, nextAttemptAt, askedUntil, trouble, troubleStatus, "
        + "troubleMessage, route, entity, storeKey, context, body, discriminator, owner, state, "
        + "edit, conflict) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
        + "?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)"

    /// Reads an item from a row of `selection`. Its dependencies are in another table.
    static func read(_ row: Statement) -> OutboxItem {
        OutboxItem(
            id: row.integer(0), entry: entry(row), state: state(row.integer(2)),
            answer: answer(row))
    }

    private static func state(_ stored: Int64) -> OutboxItem.State {
        switch stored {
        case State.dead: .dead
        case State.parked: .parked
        default: .waiting
        }
    }

    /// Makes the entry in one expression: a copy of it would have many references to count.
    private static func entry(_ row: Statement) -> OutboxEntry {
        OutboxEntry(
            lane: Lane(stored: row.string(1) ?? ""), method: row.string(3) ?? "",
            path: row.string(4) ?? "", headers: HeaderText.fields(row.bytes(5)),
            body: row.bytesIfAny(23), idempotencyKey: row.string(6) ?? "",
            createdAt: row.integer(7), creates: row.string(8).flatMap { LocalID($0) },
            edit: row.integerIfAny(26), conflict: row.string(27).map { ItemConflict(text: $0) },
            progress: .init(
                mayHaveArrived: row.integer(9) != MayHaveArrived.no,
                attempts: Int(clamping: row.integer(10)), nextAttemptAt: row.integer(11),
                askedUntil: row.integer(12), trouble: trouble(row)),
            origin: .init(
                route: row.string(16), entity: row.string(17), storeKey: row.integerIfAny(18),
                context: row.bytesIfAny(19) ?? [], discriminator: row.string(24),
                owner: ItemOwner(text: row.string(25))))
    }

    private static func trouble(_ row: Statement) -> OutboxTrouble? {
        row.string(13).map { code in
            OutboxTrouble(
                code: code, httpStatus: Int(clamping: row.integer(14)),
                message: row.string(15) ?? "")
        }
    }

    private static func answer(_ row: Statement) -> OutboxAnswer? {
        row.integerIfAny(20).map { status in
            OutboxAnswer(
                status: Int(clamping: status), headers: HeaderText.fields(row.bytes(21)),
                body: row.bytesIfAny(22) ?? [])
        }
    }
}

extension JournalConnection {
    /// Returns the item as its row has it, even if it has been delivered.
    func row(of id: Int64) throws(OutboxError) -> OutboxItem? {
        try first(ItemRow.selection + " WHERE id = ?1", .integer(id), read: ItemRow.read)
    }
}

/// Header fields as the file stores them: one line for each field.
enum HeaderText {
    /// Headers with the credentials of one exchange. The next exchange gets new credentials.
    static let secretNames = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2",
    ]

    /// - Parameter secrets: The names whose fields are left out.
    /// - Throws: If a field could not be told from other fields later.
    static func text(
        _ fields: [HeaderField], without secrets: [String]
    ) throws(OutboxError) -> String {
        let fields = fields.filter { !isSecret($0, secrets) }
        if let field = fields.first(where: { !isStorable($0) }) {
            throw .invalidHeader(field.name)
        }
        return lines(fields)
    }

    static func isSecret(_ field: HeaderField, _ secrets: [String]) -> Bool {
        secrets.contains { field.isNamed($0) }
    }

    /// Returns the fields that can be stored, and leaves out all other fields.
    static func stored(_ fields: [HeaderField]) -> String { lines(fields.filter(isStorable)) }

    private static func lines(_ fields: [HeaderField]) -> String {
        var text = ""
        text.reserveCapacity(fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 })
        for field in fields {
            text += field.name
            text += ": "
            text += field.value
            text += "\n"
        }
        return text
    }

    private static func isStorable(_ field: HeaderField) -> Bool {
        Headers.isValidName(field.name) && Headers.isValidValue(field.value)
    }

    static func fields(of text: String) -> [HeaderField] {
        var text = text
        return text.withUTF8 { fields(UnsafeRawBufferPointer($0)) }
    }

    static func fields(_ bytes: UnsafeRawBufferPointer) -> [HeaderField] {
        var fields: [HeaderField] = []
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            if let colon = bytes[start..<end].firstIndex(of: UInt8(ascii: ":")) {
                fields.append(
                    HeaderField(
                        name: string(bytes[start..<colon]),
                        value: string(bytes[min(colon + 2, end)..<end])))
            }
            start = end + 1
        }
        return fields
    }

    private static func string(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
    }
}
