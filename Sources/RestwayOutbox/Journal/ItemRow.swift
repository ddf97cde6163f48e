import RestwayHTTP
import RestwaySQLite

/// Reads and writes the rows of items.
enum ItemRow {
    typealias Value = JournalConnection.Value

    /// The columns of the table, in the order in which `read` expects them.
    private static let columns = [
        "id", "lane", "state", "method", "path", "headers", "idempotencyKey", "createdAt",
        "creates", "mayHaveArrived", "attempts", "nextAttemptAt", "askedUntil", "trouble",
        "troubleStatus", "troubleMessage", "name", "route", "entity", "storeKey", "context",
        "answerStatus", "answerHeaders", "answerBody", "body",
    ]
    static let selection = "SELECT \(columns.joined(separator: ", ")) FROM item"

    /// Selects an item that waits.
    static let waitingSelection = SQL(selection + " WHERE id = ?1 AND state = 0")
    static let manyWaitingSelection = SQL(
        selection + " WHERE \(ItemNumbers.condition) AND state = 0 ORDER BY id")

    /// Selects the items behind `?1`, each with its turn (see `turn`).
    static let aheadSelection = SQL(
        "SELECT \(columns.joined(separator: ", ")), turn FROM item WHERE id > ?1 ORDER BY id "
            + "LIMIT ?2")

    static func turn(_ row: Statement) -> Int64? {
        let column = Int32(columns.count)
        return row.storage(column) == .integer ? row.integer(column) : nil
    }

    static func insert(
        _ file: JournalConnection, _ entry: OutboxEntry, _ text: LocalIDText, lane: String,
        id: Int64, turn: Int64?
    ) throws(OutboxError) {
        let common: [Value] = [
            .integer(turn), .integer(id), .text(lane), .text(entry.method), .text(text.path),
            .text(text.headers), .text(entry.idempotencyKey), .integer(entry.createdAt),
            .text(entry.name), .text(entry.route), .bytes(entry.context), .bytes(text.body),
        ]
        if isFresh(entry) { return try file.insert(common, freshInsertion) }
        try file.run(
            insertion,
            common + [
                .text(entry.creates?.text), .integer(Arrival.of(entry)),
                .integer(Int64(entry.attempts)), .integer(entry.nextAttemptAt),
                .integer(entry.askedUntil), .text(entry.trouble?.code),
                .integer(entry.trouble.map { Int64($0.httpStatus) }),
                .text(entry.trouble?.message), .text(entry.entity), .integer(entry.storeKey),
            ])
    }

    /// Returns whether the item is about no object and was never sent, as most are. Such a row
    /// needs fewer columns.
    private static func isFresh(_ entry: OutboxEntry) -> Bool {
        entry.creates == nil && entry.entity == nil && entry.storeKey == nil
            && entry.trouble == nil && !entry.mayHaveArrived && entry.attempts == 0
            && entry.nextAttemptAt == 0 && entry.askedUntil == 0
    }

    private static let freshInsertion = RowInsertion(
        "item (turn, id, lane, method, path, headers, idempotencyKey, createdAt, name, route, "
            + "context, body, state, mayHaveArrived, attempts, nextAttemptAt, askedUntil)",
        row: "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0)")
    private static let insertion = SQL(
        "INSERT INTO item (turn, id, lane, method, path, headers, idempotencyKey, createdAt, "
            + "name, route, context, body, creates, mayHaveArrived, attempts, nextAttemptAt, "
            + "askedUntil, trouble, troubleStatus, troubleMessage, entity, storeKey, state) "
            + "VALUES (\(places(22)), 0)")

    private static func places(_ count: Int) -> String {
        (1...count).map { "?\($0)" }.joined(separator: ", ")
    }

    /// Reads an item from a row of `selection`. Its dependencies are in another table.
    static func read(_ row: Statement) -> OutboxItem {
        var headers = HeaderText.Last()
        return read(row, &headers)
    }

    /// Reads one of several items.
    static func read(_ row: Statement, _ headers: inout HeaderText.Last) -> OutboxItem {
        OutboxItem(
            id: row.integer(0), entry: entry(row, &headers),
            state: OutboxItem.State(rawValue: row.integer(2)) == .dead ? .dead : .waiting,
            answer: answer(row))
    }

    /// Makes the entry in one expression: a copy of it would have fourteen references to count.
    private static func entry(_ row: Statement, _ headers: inout HeaderText.Last) -> OutboxEntry {
        OutboxEntry(
            lane: Lane(stored: row.string(1) ?? ""), method: row.string(3) ?? "",
            path: row.string(4) ?? "", headers: headers.fields(row.bytes(5)),
            body: bytes(row, 24), idempotencyKey: row.string(6) ?? "", createdAt: row.integer(7),
            creates: row.string(8).flatMap { LocalID($0) },
            mayHaveArrived: row.integer(9) != Arrival.none,
            attempts: Int(clamping: row.integer(10)), nextAttemptAt: row.integer(11),
            askedUntil: row.integer(12), trouble: trouble(row), name: row.string(16),
            route: row.string(17), entity: row.string(18),
            storeKey: row.storage(19) == .integer ? row.integer(19) : nil,
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

    private static func bytes(_ row: Statement, _ column: Int32) -> [UInt8]? {
        row.storage(column) == .blob ? Array(row.bytes(column)) : nil
    }
}
