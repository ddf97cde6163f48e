import RestwayObjects
import RestwaySQLite

/// The way in which the cells of one attribute or relationship are stored in its column.
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

    /// The type of the attribute; `nil` for a relationship.
    let type: AttributeType?
    let affinity: Affinity
    /// The kinds of an integer and of a text without a letter.
    private let integerKind: Cell.Kind
    private let textKind: Cell.Kind
    /// The kinds that the column stores unchanged.
    private let unchanged: Cell.KindSet
    /// The kinds that reading gives without a letter.
    private let implied: Cell.KindSet

    static let ofRelationship = ColumnCoding(nil)

    init(_ type: AttributeType?) {
        let values: [Cell.Kind]
        switch type {
        case .any, .bytes:
            affinity = .none
            values = [.bool, .int64, .double, .date, .string, .bytes, .json]
        case .bool, .int, .date, nil:
            affinity = .integer
            values = [.bool, .int64, .date]
        case .double:
            affinity = .real
            values = [.double]
        case .string, .json:
            affinity = .text
            values = [.string, .json]
        }
        let integerKind: Cell.Kind = type == .bool ? .bool : type == .date ? .date : .int64
        let textKind: Cell.Kind = type == .json ? .json : .string
        let ownKinds: [Cell.Kind] = [.double, .bytes, integerKind, textKind]
        self.type = type
        self.integerKind = integerKind
        self.textKind = textKind
        unchanged = Cell.KindSet(values + [.null, .absent, .object, .list])
        implied = Cell.KindSet(values.filter(ownKinds.contains) + [.absent, .object, .list])
    }

    /// The type of a column as it stands in `CREATE TABLE`.
    var declaration: String {
        switch type {
        case .any: ""
        case .bool: "BOOLEAN"
        case .int, nil: "INTEGER"
        case .double: "REAL"
        case .string, .json: "TEXT"
        case .date: "MICROSECONDS"
        case .bytes: "BLOB"
        }
    }

    // MARK: Writing

    /// Returns the letter in `_kinds` for a cell.
    func letter(_ cell: Cell) -> UInt8 {
        let kind = cell.kind
        switch kind {
        case .double where cell.double.isNaN: return Letter.notANumber
        case .double where cell.isMinusZero && unchanged.contains(kind): return Letter.minusZero
        case .object: return Letter.link
        case .list: return Letter.list
        default:
            let letter = Self.letters[Int(kind.rawValue)]
            return unchanged.contains(kind) ? letter : letter & ~Letter.wrapping
        }
    }

    /// Returns whether reading gives the kind of a cell without its letter.
    func isImplied(_ cell: Cell) -> Bool {
        let kind = cell.kind
        guard implied.contains(kind) else { return false }
        return switch kind {
        // SQLite may return both of these values as something else.
        case .double: !cell.double.isNaN && !cell.isMinusZero
        case .list: cell.length > 0
        default: true
        }
    }

    /// Binds a cell. Its text has to stay in place until the statement is reset.
    func bind(_ cell: Cell, _ statement: Statement, _ index: Int32) {
        let kind = cell.kind
        guard unchanged.contains(kind) else { return bindWrapped(cell, statement, index) }
        switch kind {
        case .absent, .null, .list: statement.bindNull(index)
        case .bool, .int64, .date, .object: statement.bind(index, cell.integer)
        // NaN becomes null.
        case .double: statement.bind(index, cell.double)
        case .string, .json: statement.bindText(index, cell.text)
        case .bytes: statement.bindBytes(index, cell.text)
        }
    }

    private func bindWrapped(_ cell: Cell, _ statement: Statement, _ index: Int32) {
        if cell.isText { return statement.bindBytes(index, cell.text) }
        if case .double = cell.kind, cell.double.isNaN { return statement.bindNull(index) }
        withUnsafeBytes(of: cell.bits.littleEndian) { bits in
            statement.bindBytes(index, bits, isCopied: true)
        }
    }

    func bind(_ identity: Identity, _ statement: Statement, _ index: Int32) {
        switch identity {
        case .integer(let integer):
            bind(.int64(integer), statement, index)
        case .string(let string) where unchanged.contains(.string):
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
        guard type != nil else { return Self.link(statement, column, letter) }
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

    private static func link(
        _ statement: Statement, _ column: Int32, _ letter: UInt8?
    ) -> Cell {
        if statement.storage(column) == .integer, statement.integer(column) > 0 {
            return .link(statement.integer(column))
        }
        return letter == nil || letter == Letter.absent ? .absent : .null
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

    /// The letters by the numbers of the kinds of cells.
    private static let letters: [UInt8] = [
        Letter.null, Letter.bool, Letter.int64, Letter.double, Letter.date, Letter.string,
        Letter.bytes, Letter.json, Letter.absent, Letter.absent, Letter.absent,
    ]

    /// Returns the kind of a value; `nil` for the letters of null and of an absent value.
    private static func kind(_ letter: UInt8) -> Cell.Kind? {
        guard letter != Letter.null, letter != Letter.absent else { return nil }
        return letters.firstIndex(of: letter).flatMap { Cell.Kind(rawValue: UInt32($0)) }
    }
}

extension Cell {
    fileprivate var isMinusZero: Bool { bits == (-0.0).bitPattern }
}
