import CSQLite
import RestwaySupport

/// A prepared statement: bind, step, read, reset.
///
/// Parameters are numbered from 1, columns from 0. Text that is bound is not copied: it has to stay
/// where it is until the statement is reset. What was wrong with a parameter, `step` throws.
///
/// `@unchecked Sendable`: belongs to its connection, see there.
package final class Statement: @unchecked Sendable {
    /// What a column holds.
    package enum Storage {
        case null, integer, real, text, blob
    }

    private let handle: OpaquePointer
    /// Kept alive: a statement without its connection is nothing.
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

    /// - Parameter text: UTF-8, not copied.
    package func bindText(_ index: Int32, _ text: UnsafeRawBufferPointer) {
        guard let start = text.baseAddress else { return bindEmptyText(index) }
        let characters = start.assumingMemoryBound(to: CChar.self)
        let length = sqlite3_uint64(text.count)
        note(sqlite3_bind_text64(handle, index, characters, length, nil, UInt8(SQLITE_UTF8)))
    }

    /// - Parameter bytes: Not copied.
    package func bindBytes(_ index: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return note(sqlite3_bind_zeroblob(handle, index, 0))
        }
        note(sqlite3_bind_blob64(handle, index, start, sqlite3_uint64(bytes.count), nil))
    }

    package func bindCopy(_ index: Int32, ofBytes bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return note(sqlite3_bind_zeroblob(handle, index, 0))
        }
        note(sqlite3_bind_blob64(handle, index, start, sqlite3_uint64(bytes.count), Self.copies))
    }

    /// Copies the text.
    package func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return bindEmptyText(index) }
            start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { characters in
                note(
                    sqlite3_bind_text64(
                        handle, index, characters, sqlite3_uint64(bytes.count), Self.copies,
                        UInt8(SQLITE_UTF8)))
            }
        }
    }

    private func bindEmptyText(_ index: Int32) {
        note(sqlite3_bind_text(handle, index, "", 0, Self.copies))
    }

    /// `SQLITE_TRANSIENT`, which is a cast that Swift does not import.
    private static let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private func note(_ code: Int32) {
        if code != SQLITE_OK, bindingCode == SQLITE_OK { bindingCode = code }
    }

    // MARK: Steps

    /// Whether there is a (next) row. When there is none, or on an error, it is reset.
    package func step() throws(SQLiteError) -> Bool {
        if bindingCode != SQLITE_OK { throw failure(bindingCode) }
        if let code = connection.faults?.code(for: .step) { throw failure(code) }
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code != SQLITE_DONE { throw failure(code) }
        sqlite3_reset(handle)
        return false
    }

    /// Runs it to its end, whatever it answers.
    package func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Lets go of the row, and of what was bound without a copy.
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

    /// Of text or a blob; valid until the next step or reset. The address is never null.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        guard let start, count > 0 else {
            return UnsafeRawBufferPointer(start: UnsafeRawPointer(handle), count: 0)
        }
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// nil for what is not text.
    package func string(_ column: Int32) -> String? {
        guard storage(column) == .text else { return nil }
        return String(decoding: bytes(column), as: UTF8.self)
    }
}
