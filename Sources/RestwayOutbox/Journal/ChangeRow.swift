import RestwayObjects
import RestwaySQLite

/// Stores what an item changed in the object store: a row for each attribute and relationship, and
/// a row without a name for an object that the item made.
enum ChangeRow {
    /// Says what is to be done with a row.
    enum Fate: Int64 {
        /// Nothing: its item is still stored.
        case kept = 0
        /// The change is to be undone: its item was dropped, and the object store has not undone it
        /// yet.
        case due = 1
        /// The change is to be undone unless a server has answered for the object.
        case dueUnlessSent = 2
    }

    /// The name of the row that says that the item made the object. No attribute has this name.
    static let object = ""

    static func insert(
        _ file: JournalConnection, _ change: OutboxChange, item: Int64
    ) throws(OutboxError) {
        for subject in change.made {
            try insert(file, change.life, subject, madeBy: item)
        }
        for cell in change.cells {
            let (beforeKind, before) = coded(cell.before)
            let (afterKind, after) = coded(cell.after)
            try file.run(
                insertion, .text(change.life ?? ""), .text(cell.subject.entity),
                .integer(cell.subject.storeKey), .text(cell.name), .integer(item), beforeKind,
                before, afterKind, after)
        }
    }

    static func insert(
        _ file: JournalConnection, _ life: String?, _ subject: OutboxChange.Subject,
        madeBy item: Int64
    ) throws(OutboxError) {
        let (absent, nothing) = coded(.absent)
        try file.run(
            insertion, .text(life ?? ""), .text(subject.entity), .integer(subject.storeKey),
            .text(object), .integer(item), absent, nothing, absent, nothing)
    }

    private static let insertion = SQL(
        "INSERT OR REPLACE INTO change (life, entity, storeKey, name, item, beforeKind, "
            + "beforeValue, afterKind, afterValue) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")

    // MARK: Values

    private typealias Column = JournalConnection.Value

    /// Returns a letter for the type of the value, and the value as SQLite stores it.
    private static func coded(_ value: Value) -> (kind: Column, value: Column) {
        switch value {
        case .absent: (.text("-"), .null)
        case .null: (.text("0"), .null)
        case .bool(let value): (.text("b"), .integer(value ? 1 : 0))
        case .int64(let value): (.text("i"), .integer(value))
        // The bits are stored because SQLite keeps neither NaN nor the sign of zero.
        case .double(let value): (.text("d"), .integer(Int64(bitPattern: value.bitPattern)))
        case .date(let value): (.text("t"), .integer(value))
        case .string(let text): (.text("s"), .text(text))
        case .bytes(let bytes): (.text("x"), .bytes(bytes))
        case .json(let text): (.text("j"), .text(text))
        case .link(let key): (.text("o"), .integer(key))
        case .links(let keys):
            (.text("l"), .text(keys.map { String($0) }.joined(separator: " ")))
        }
    }

    static func parameters(_ value: Value) -> [JournalConnection.Value] {
        let (kind, value) = coded(value)
        return [kind, value]
    }

    /// Returns the value in two columns of a row. The first of them has the letter of its type.
    static func value(_ row: Statement, _ column: Int32) -> Value {
        let next = column + 1
        return switch row.string(column) {
        case "0": .null
        case "b": .bool(row.integer(next) != 0)
        case "i": .int64(row.integer(next))
        case "d": .double(Double(bitPattern: UInt64(bitPattern: row.integer(next))))
        case "t": .date(row.integer(next))
        case "s": .string(row.string(next) ?? "")
        case "x": .bytes(Array(row.bytes(next)))
        case "j": .json(row.string(next) ?? "")
        case "o": .link(row.integer(next))
        case "l": .links((row.string(next) ?? "").split(separator: " ").compactMap { Int64($0) })
        default: .absent
        }
    }
}
