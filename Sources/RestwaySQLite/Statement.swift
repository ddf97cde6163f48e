import CSQLite
import RestwayThreads

/// A prepared statement: bind, step, read, reset.
///
/// Parameters are numbered from 1, columns from 0. Text and bytes that are not copied have to stay
/// in place until the statement is reset. An error in binding a parameter is thrown by `step`.
///
/// `@unchecked Sendable`: it is used under the same rule as its connection.
package final class Statement: @unchecked Sendable {
    /// The type of a column's value.
    package enum Storage {
        case null, integer, real, text, blob
    }

    /// A value for a parameter.
    package enum Value {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
        /// Bytes that stay where they are until the statement is reset.
        case memory(UnsafeRawBufferPointer)
        case null

        package static func integer(_ integer: Int64?) -> Value {
            integer.map { .integer($0) } ?? .null
        }
        package static func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
        package static func bytes(_ bytes: [UInt8]?) -> Value {
            bytes.map { .bytes($0) } ?? .null
        }
    }

    private let handle: OpaquePointer
    /// The connection is kept alive because a statement needs it.
    private let connection: Connection
    private let generation = ProcessGeneration.current
    private var bindingCode = SQLITE_OK

    init(_ handle: OpaquePointer, _ connection: Connection) {
        self.handle = handle
        self.connection = connection
    }

    deinit {
        if generation == ProcessGeneration.current { sqlite3_finalize(handle) }
    }

    // MARK: Parameters

    package func bind(_ index: Int32, _ integer: Int64) {
        note(sqlite3_bind_int64(handle, index, integer))
    }

    package func bind(_ index: Int32, _ double: Double) {
        note(sqlite3_bind_double(handle, index, double))
    }

    package func bindNull(_ index: Int32) {
        note(sqlite3_bind_null(handle, index))
    }

    /// - Parameter text: UTF-8 text.
    package func bindText(
        _ index: Int32, _ text: UnsafeRawBufferPointer, isCopied: Bool = false
    ) {
        guard let start = text.baseAddress else {
            return note(sqlite3_bind_text(handle, index, "", 0, Self.copies))
        }
        let characters = start.assumingMemoryBound(to: CChar.self)
        let (length, encoding) = (sqlite3_uint64(text.count), UInt8(SQLITE_UTF8))
        let destructor = isCopied ? Self.copies : nil
        note(sqlite3_bind_text64(handle, index, characters, length, destructor, encoding))
    }

    /// Binds a copy of the text.
    package func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bindText(index, UnsafeRawBufferPointer($0), isCopied: true) }
    }

    package func bindBytes(
        _ index: Int32, _ bytes: UnsafeRawBufferPointer, isCopied: Bool = false
    ) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return note(sqlite3_bind_zeroblob(handle, index, 0))
        }
        let destructor = isCopied ? Self.copies : nil
        note(sqlite3_bind_blob64(handle, index, start, sqlite3_uint64(bytes.count), destructor))
    }

    /// Binds values to the first parameters, and null to the others. Texts are always copied.
    package func bind(_ values: [Value], isCopied: Bool = false) {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .integer(let integer): bind(place, integer)
            case .text(let text): bind(place, text)
            case .bytes(let bytes):
                bytes.withUnsafeBytes { bindBytes(place, $0, isCopied: isCopied) }
            case .memory(let bytes): bindBytes(place, bytes, isCopied: isCopied)
            case .null: bindNull(place)
            }
        }
        var place = Int32(values.count)
        while place < sqlite3_bind_parameter_count(handle) {
            place += 1
            bindNull(place)
        }
    }

    /// The value of `SQLITE_TRANSIENT`, a cast that Swift does not import.
    private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private func note(_ code: Int32) {
        if code != SQLITE_OK, bindingCode == SQLITE_OK { bindingCode = code }
    }

    // MARK: Steps

    /// Moves to the next row. Returns false if no row is left. The statement is reset at the end or
    /// on an error.
    package func step() throws(SQLiteError) -> Bool {
        if bindingCode != SQLITE_OK { throw failure(bindingCode) }
        if let code = connection.faults?.code(.step) { throw failure(code) }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code != SQLITE_DONE { throw failure(code) }
        sqlite3_reset(handle)
        return false
    }

    /// Binds integers to the first parameters, runs the statement to its end and ignores its rows.
    package func run(_ integers: [Int64] = []) throws(SQLiteError) {
        for (index, integer) in integers.enumerated() { bind(Int32(index + 1), integer) }
        while try step() {}
    }

    /// Returns the first column of the first row, and resets the statement; `nil` if there is no
    /// row, or null in it.
    package func firstInteger() throws(SQLiteError) -> Int64? {
        defer { reset() }
        return try step() && storage(0) != .null ? integer(0) : nil
    }

    /// Releases the current row and everything that was bound without a copy.
    package func reset() {
        sqlite3_reset(handle)
    }

    private func failure(_ code: Int32) -> SQLiteError {
        let error = connection.error(code)
        bindingCode = SQLITE_OK
        sqlite3_reset(handle)
        return error
    }

    // MARK: Columns

    package func storage(_ column: Int32) -> Storage {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    package func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    package func real(_ column: Int32) -> Double {
        sqlite3_column_double(handle, column)
    }

    /// Returns text or a blob, valid until the next step or reset. The address is never null.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        guard let start, count > 0 else {
            return UnsafeRawBufferPointer(start: UnsafeRawPointer(handle), count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Returns the text of a column; `nil` if its value is not text.
    package func string(_ column: Int32) -> String? {
        guard storage(column) == .text else { return nil }
        return String(decoding: bytes(column), as: UTF8.self)
    }
}
