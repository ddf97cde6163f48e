import RestwayHTTP
import RestwaySQLite

/// Reads and writes the rows of items.
enum ItemRow {
    /// The values of the column `mayHaveArrived`, which says whether the server may know an item.
    /// It is kept for creations only, because nothing depends on it for other items.
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

    /// The columns of the table, in the order in which `read` expects them.
    private static let columns = [
        "id", "lane", "state", "method", "path", "headers", "idempotencyKey", "createdAt",
        "creates", "mayHaveArrived", "attempts", "nextAttemptAt", "askedUntil", "trouble",
        "troubleStatus", "troubleMessage", "name", "route", "entity", "storeKey", "context",
        "answerStatus", "answerHeaders", "answerBody", "body",
    ]
    static let selection = "SELECT \(columns.joined(separator: ", ")) FROM item"

    /// Selects the items behind `?1`, each with its turn (see `turn`).
    static let aheadSelection =
        "SELECT \(columns.joined(separator: ", ")), turn FROM item WHERE id > ?1 ORDER BY id "
        + "LIMIT ?2"

    static func turn(_ row: Statement) -> Int64? { integer(row, Int32(columns.count)) }

    static func insert(
        _ file: JournalConnection, _ entry: OutboxEntry, _ text: LocalIDText, lane: String,
        id: Int64, turn: Int64?
    ) throws(OutboxError) {
        try file.run(
            insertion, .integer(id), .text(lane), .integer(turn), .text(entry.method),
            .text(text.path), .text(text.headers), .text(entry.idempotencyKey),
            .integer(entry.createdAt), .text(entry.creates?.text),
            .integer(entry.mayHaveArrived ? MayHaveArrived.yes : MayHaveArrived.no),
            .integer(Int64(entry.attempts)), .integer(entry.nextAttemptAt),
            .integer(entry.askedUntil), .text(entry.trouble?.code),
            .integer(entry.trouble.map { Int64($0.httpStatus) }),
            .text(entry.trouble?.message), .text(entry.name), .text(entry.route),
            .text(entry.entity), .integer(entry.storeKey), .bytes(entry.context),
            .bytes(text.body))
    }

    private static let insertion =
        "INSERT INTO item (id, lane, turn, method, path, headers, idempotencyKey, createdAt, "
        + "creates, mayHaveArrived, attempts, nextAttemptAt, askedUntil, trouble, troubleStatus, "
        + "troubleMessage, name, route, entity, storeKey, context, body, state) "
        + "VALUES (\(places(22)), 0)"

    private static func places(_ count: Int) -> String {
        (1...count).map { "?\($0)" }.joined(separator: ", ")
    }

    /// Reads an item from a row of `selection`. Its dependencies are in another table.
    static func read(_ row: Statement) -> OutboxItem {
        OutboxItem(
            id: row.integer(0), entry: entry(row),
            state: OutboxItem.State(rawValue: row.integer(2)) == .dead ? .dead : .waiting,
            answer: answer(row))
    }

    /// Makes the entry in one expression: a copy of it would have fourteen references to count.
    private static func entry(_ row: Statement) -> OutboxEntry {
        OutboxEntry(
            lane: Lane(stored: row.string(1) ?? ""), method: row.string(3) ?? "",
            path: row.string(4) ?? "", headers: HeaderText.fields(row.bytes(5)),
            body: bytes(row, 24), idempotencyKey: row.string(6) ?? "", createdAt: row.integer(7),
            creates: row.string(8).flatMap { LocalID($0) },
            mayHaveArrived: row.integer(9) != MayHaveArrived.no,
            attempts: Int(clamping: row.integer(10)), nextAttemptAt: row.integer(11),
            askedUntil: row.integer(12), trouble: trouble(row), name: row.string(16),
            route: row.string(17), entity: row.string(18), storeKey: integer(row, 19),
            context: bytes(row, 20) ?? [])
    }

    private static func trouble(_ row: Statement) -> OutboxTrouble? {
        row.string(13).map { code in
            OutboxTrouble(
                code: code, httpStatus: Int(clamping: row.integer(14)),
                message: row.string(15) ?? "")
        }
    }

    private static func answer(_ row: Statement) -> OutboxAnswer? {
        guard row.storage(21) == .integer else { return nil }
        return OutboxAnswer(
            status: Int(clamping: row.integer(21)),
            headers: HeaderText.fields(row.bytes(22)), body: bytes(row, 23) ?? [])
    }

    private static func integer(_ row: Statement, _ column: Int32) -> Int64? {
        row.storage(column) == .integer ? row.integer(column) : nil
    }

    private static func bytes(_ row: Statement, _ column: Int32) -> [UInt8]? {
        row.storage(column) == .blob ? Array(row.bytes(column)) : nil
    }
}

/// Header fields as the file stores them: one line for each field.
enum HeaderText {
    /// Credentials of one exchange. The next exchange gets new ones.
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

    /// Returns the fields that can be stored, and leaves out the others.
    static func stored(_ fields: [HeaderField]) -> String {
        lines(fields.filter(isStorable))
    }

    private static func lines(_ fields: [HeaderField]) -> String {
        let count = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
        return String(unsafeUninitializedCapacity: count) { text in
            var end = 0
            func put(_ piece: String) {
                var piece = piece
                piece.withUTF8 { end = text[end...].initialize(fromContentsOf: $0) }
            }
            for field in fields {
                put(field.name)
                put(": ")
                put(field.value)
                put("\n")
            }
            return end
        }
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
