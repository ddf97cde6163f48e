import RestwayObjects
import RestwaySQLite

/// The way in which the cells of one attribute are stored in its column.
///
/// A value that the column can hold unchanged is stored as people expect it. One letter for each
/// attribute, in the row's `_kinds`, says the facts that a column cannot hold: null or absent, bool
/// or number, JSON or string. The column comes first: a letter that does not fit the column's
/// value, for example after a manual edit, is ignored.
///
/// A value that SQLite would convert in this column ("007" as an integer) is stored as a blob, with
/// the letter in upper case.
struct ColumnCoding: Sendable {
    /// Says how a column converts values.
    enum Affinity: Sendable {
        /// The column stores all values unchanged.
        case none
        case integer
        case real
        case text
    }

    /// The letters of `_kinds`.
    enum Letter {
        static let absent = UInt8(ascii: "-")
        static let null = UInt8(ascii: "0")
        static let bool = UInt8(ascii: "b")
        static let int64 = UInt8(ascii: "i")
        static let date = UInt8(ascii: "t")
        static let double = UInt8(ascii: "d")
        static let string = UInt8(ascii: "s")
        static let json = UInt8(ascii: "j")
        static let bytes = UInt8(ascii: "x")
        /// NaN, which SQLite stores as null. The next letter is for -0.0, which SQLite stores as
        /// 0.0.
        static let notANumber = UInt8(ascii: "n")
        static let minusZero = UInt8(ascii: "z")
        /// A link of a relationship to one object. The next letter is for the list of a
        /// relationship to many.
        static let link = UInt8(ascii: "o")
        static let list = UInt8(ascii: "l")

        static let wrapping: UInt8 = 0x20
    }

    /// An entry in `_kinds`: the letter for the kind of a cell, and whether reading gives the same
    /// kind without the letter.
    struct Entry {
        let letter: UInt8
        var isImplied = false
    }

    let type: AttributeType

    var affinity: Affinity {
        switch type {
        case .any, .bytes: .none
        case .bool, .int, .date: .integer
        case .double: .real
        case .string, .json: .text
        }
    }

    /// The type of a column as it stands in `CREATE TABLE`.
    var declaration: String {
        switch type {
        case .any: ""
        case .bool: "BOOLEAN"
        case .int: "INTEGER"
        case .double: "REAL"
        case .string, .json: "TEXT"
        case .date: "MICROSECONDS"
        case .bytes: "BLOB"
        }
    }

    /// Returns whether the column stores a value of this kind unchanged.
    func takes(_ kind: Cell.Kind) -> Bool {
        switch (affinity, kind) {
        case (.none, _), (_, .null), (_, .absent), (_, .object), (_, .list): true
        case (.integer, .bool), (.integer, .int64), (.integer, .date): true
        case (.real, .double): true
        case (.text, .string), (.text, .json): true
        default: false
        }
    }

    // MARK: Writing

    /// Returns the entry in `_kinds` for a cell.
    func entry(_ cell: Cell) -> Entry {
        let kind = cell.kind
        if kind == .double {
            // SQLite may return both of these values as something else.
            if cell.double.isNaN { return Entry(letter: Letter.notANumber) }
            if cell.double == 0, cell.double.sign == .minus, takes(kind) {
                return Entry(letter: Letter.minusZero)
            }
        }
        guard takes(kind) else { return Entry(letter: Self.letter(kind) & ~Letter.wrapping) }
        let isImplied =
            switch kind {
            case .absent, .object, .list, .double, .bytes: true
            case .null: false
            case .bool, .int64, .date: kind == integerKind
            case .string, .json: kind == textKind
            }
        return Entry(letter: Self.letter(kind), isImplied: isImplied)
    }

    /// Binds a cell. Its text has to stay in place until the statement is reset.
    func bind(_ cell: Cell, _ statement: Statement, _ index: Int32) {
        let kind = cell.kind
        guard takes(kind) || kind == .double && cell.double.isNaN else {
            return bindWrapped(cell, statement, index)
        }
        switch kind {
        case .absent, .null, .object, .list: statement.bindNull(index)
        case .bool, .int64, .date: statement.bind(index, cell.integer)
        // NaN becomes null.
        case .double: statement.bind(index, cell.double)
        case .string, .json: statement.bindText(index, cell.text)
        case .bytes: statement.bindBytes(index, cell.text)
        }
    }

    private func bindWrapped(_ cell: Cell, _ statement: Statement, _ index: Int32) {
        if cell.isText { return statement.bindBytes(index, cell.text) }
        withUnsafeBytes(of: cell.bits.littleEndian) { bits in
            statement.bindBytes(index, bits, isCopied: true)
        }
    }

    func bind(_ identity: Identity, _ statement: Statement, _ index: Int32) {
        switch identity {
        case .integer(let integer):
            bind(.int64(integer), statement, index)
        case .string(let string) where takes(.string):
            statement.bind(index, string)
        case .string(var string):
            string.withUTF8 { text in
                statement.bindBytes(index, UnsafeRawBufferPointer(text), isCopied: true)
            }
        }
    }

    // MARK: Reading

    /// - Parameter letter: The letter of the column; `nil` if the row has fewer letters.
    func read(_ statement: Statement, _ column: Int32, _ letter: UInt8?) -> Cell {
        switch statement.storage(column) {
        case .null:
            switch letter {
            case nil, Letter.absent: return .absent
            case Letter.notANumber: return .double(.nan)
            default: return .null
            }
        case .integer:
            let integer = statement.integer(column)
            var kind = letter.flatMap(Self.kind) ?? integerKind
            if ![.bool, .int64, .date].contains(kind) { kind = integerKind }
            if kind == .bool { return .bool(integer != 0) }
            return Cell(kind, bits: UInt64(bitPattern: integer))
        case .real:
            let double = statement.real(column)
            return .double(letter == Letter.minusZero && double == 0 ? -0.0 : double)
        case .text:
            let isJSON = letter == Letter.json || letter != Letter.string && textKind == .json
            return Self.cell(isJSON ? .json : .string, statement.bytes(column))
        case .blob:
            return Self.unwrapped(statement.bytes(column), letter)
        }
    }

    private static func unwrapped(_ bytes: UnsafeRawBufferPointer, _ letter: UInt8?) -> Cell {
        guard let letter, letter & Letter.wrapping == 0, let kind = kind(letter | Letter.wrapping)
        else { return cell(.bytes, bytes) }
        if kind == .string || kind == .json || kind == .bytes { return cell(kind, bytes) }
        guard bytes.count == MemoryLayout<UInt64>.size else { return cell(.bytes, bytes) }
        let bits = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        return kind == .bool ? .bool(bits != 0) : Cell(kind, bits: bits)
    }

    private static func cell(_ kind: Cell.Kind, _ bytes: UnsafeRawBufferPointer) -> Cell {
        Cell(kind, length: UInt32(clamping: bytes.count)).withAddress(bytes.baseAddress!)
    }

    /// The kind of an integer that has no letter. The property below is for text.
    private var integerKind: Cell.Kind {
        type == .bool ? .bool : type == .date ? .date : .int64
    }

    private var textKind: Cell.Kind { type == .json ? .json : .string }

    /// The letters by the numbers of the kinds of cells.
    private static let letters: [UInt8] = [
        Letter.null, Letter.bool, Letter.int64, Letter.double, Letter.date, Letter.string,
        Letter.bytes, Letter.json, Letter.absent, Letter.absent, Letter.absent,
    ]

    private static func letter(_ kind: Cell.Kind) -> UInt8 { letters[Int(kind.rawValue)] }

    /// Returns the kind of a value; `nil` for the letters of null and of an absent value.
    private static func kind(_ letter: UInt8) -> Cell.Kind? {
        guard letter != Letter.null, letter != Letter.absent else { return nil }
        return letters.firstIndex(of: letter).flatMap { Cell.Kind(rawValue: UInt32($0)) }
    }
}
