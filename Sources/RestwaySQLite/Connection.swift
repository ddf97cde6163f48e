import CSQLite
import RestwaySupport

/// A connection to a file in WAL mode. One thread at a time may use it and its statements.
///
/// `@unchecked Sendable`: who owns it keeps it behind a lock.
package final class Connection: @unchecked Sendable {
    package struct Options: Sendable {
        package var busyTimeoutMilliseconds: Int32 = 5000
        /// Whether a commit is on the disk when it returns, and not only safe from a crash of the
        /// process.
        package var isDurable = false
        /// Pages that SQLite keeps in memory, in KiB.
        package var pageCacheKiB = 8 << 10
        /// nil sets none; for tests that fill a file.
        package var pagesMax: Int?
        package var faults: FaultPoints?

        package init() {}
    }

    package let path: String
    let handle: OpaquePointer
    let faults: FaultPoints?
    /// Points into memory that lives as long as the connection.
    private var walIndexHeader: UnsafePointer<UInt32>?
    private let generation = ProcessGeneration.current
    /// Begins and ends transactions, prepared when they are needed first.
    private var beginning: OpaquePointer?
    private var committing: OpaquePointer?
    private var beginningToRead: OpaquePointer?
    /// The log's length, as far as this connection has made it longer.
    private var logBytes: Int64 = 0

    /// Opens the file at `path`, and makes it where there is none.
    package init(_ path: String, _ options: Options = Options()) throws(SQLiteError) {
        self.path = path
        faults = options.faults
        if let code = faults?.code(for: .open) {
            throw SQLiteError(code: code, message: Self.words(code), path: path)
        }
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(try Self.fileName(path), &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? Self.words(code)
            sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: message, path: path)
        }
        do throws(SQLiteError) {
            try Self.configure(opened, path, options)
        } catch {
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
    }

    deinit {
        // In a forked child the locks are the parent's, and closing would meddle with its file.
        guard generation == ProcessGeneration.current else { return }
        sqlite3_finalize(beginning)
        sqlite3_finalize(committing)
        sqlite3_finalize(beginningToRead)
        sqlite3_close_v2(handle)
    }

    /// SQLite takes no name for a file of this connection alone, ":memory:" for none at all, and
    /// "file:" for the start of a URL.
    private static func fileName(_ path: String) throws(SQLiteError) -> String {
        guard let first = path.utf8.first else {
            throw SQLiteError(code: SQLITE_CANTOPEN, message: "the path is empty", path: path)
        }
        return first == UInt8(ascii: "/") ? path : "./" + path
    }

    /// The pragmas do not come in any order: WAL first, as that reads the file for the first time.
    private static func configure(
        _ handle: OpaquePointer, _ path: String, _ options: Options
    ) throws(SQLiteError) {
        sqlite3_busy_timeout(handle, options.busyTimeoutMilliseconds)
        var pragmas = [
            "journal_mode = WAL", "synchronous = \(options.isDurable ? "FULL" : "NORMAL")",
            "wal_autocheckpoint = 0",
            "journal_size_limit = \(64 << 20)", "cache_size = -\(options.pageCacheKiB)",
            "trusted_schema = OFF", "temp_store = MEMORY",
        ]
        if let pages = options.pagesMax { pragmas.append("max_page_count = \(pages)") }
        for pragma in pragmas {
            if execute("PRAGMA \(pragma)", handle, options) != SQLITE_OK {
                let message = String(cString: sqlite3_errmsg(handle))
                throw SQLiteError(
                    code: sqlite3_extended_errcode(handle), message: message, path: path)
            }
        }
    }

    /// Of several that give a new file its log, SQLite refuses some without waiting: each of them
    /// holds what another one needs. They let go of it then, and try again.
    private static func execute(
        _ sql: String, _ handle: OpaquePointer, _ options: Options
    ) -> Int32 {
        let clock = SystemClock()
        let end = clock.now().advanced(milliseconds: Int64(options.busyTimeoutMilliseconds))
        while true {
            let code = sqlite3_exec(handle, sql, nil, nil, nil)
            guard code & 0xFF == SQLITE_BUSY, clock.now() < end else { return code }
            sqlite3_sleep(1)
        }
    }

    /// The file's name as SQLite found it: absolute, without symbolic links. Files beside it are
    /// named after this, or two names for one file would have different ones.
    package var fileName: String {
        sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? path
    }

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    package var changedRowCount: Int { Int(sqlite3_changes64(handle)) }

    /// Runs statements that answer nothing.
    package func run(_ sql: String) throws(SQLiteError) {
        try run(sql, .step)
    }

    private func run(_ sql: String, _ operation: FaultPoints.Operation) throws(SQLiteError) {
        if let code = faults?.code(for: operation) { throw error(code) }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        if let code = faults?.code(for: .prepare) { throw error(code) }
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code) }
        return Statement(prepared, self)
    }

    /// What a query with at most one row and one column answers; nil without a row.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    // MARK: Transactions

    /// Waits for other writers, as long as the options say.
    package func begin() throws(SQLiteError) {
        try run(&beginning, "BEGIN IMMEDIATE", .begin)
    }

    package func commit() throws(SQLiteError) {
        try run(&committing, "COMMIT", .commit)
    }

    /// What `body` reads is of one moment; to read much so takes less than to lock the file for
    /// each statement.
    package func reading<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result, orThrow failure: (SQLiteError) -> Failure
    ) throws(Failure) -> Result {
        do throws(SQLiteError) {
            try run(&beginningToRead, "BEGIN", .begin)
        } catch {
            throw failure(error)
        }
        // There is nothing to be lost.
        defer { if (try? commit()) == nil { rollBack() } }
        return try body()
    }

    private func run(
        _ prepared: inout OpaquePointer?, _ sql: String, _ operation: FaultPoints.Operation
    ) throws(SQLiteError) {
        if let code = faults?.code(for: operation) { throw error(code) }
        if prepared == nil {
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            let code = sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil)
            if code != SQLITE_OK { throw error(code) }
        }
        let code = sqlite3_step(prepared)
        let failure = code == SQLITE_DONE ? nil : error(code)
        sqlite3_reset(prepared)
        if let failure { throw failure }
    }

    /// Does what it can: when it fails, the next `begin` says so.
    package func rollBack() {
        try? run("ROLLBACK", .rollback)
    }

    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Moves what is in the log into the file, as far as readers allow.
    package func checkpoint() throws(SQLiteError) {
        if let code = faults?.code(for: .checkpoint) { throw error(code) }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        // Somebody else does the same: as good.
        if code != SQLITE_OK, code & 0xFF != SQLITE_BUSY { throw error(code) }
    }

    /// Makes the log longer by some more than the next commits need, with zeros: a commit that only
    /// overwrites is on the disk sooner than one that makes a file longer, as the file system has
    /// nothing of its own to write. Within a transaction, when nobody else writes. What fails is
    /// left out.
    package func reserveLog() {
        guard let walIndexHeader, !rw_wal_index_is_moved(walIndexHeader) else { return }
        let used = Int64(rw_wal_index_frame_count(walIndexHeader)) * Self.logFrameBytes
        guard used + Self.logReserveMin > logBytes else { return }
        let more = min(max(used, Self.logReserveMin * 2), Self.logReserveMax)
        logBytes = max(used + more, rw_wal_reserve(handle, used + more))
    }

    /// Of a page of the usual size.
    private static let logFrameBytes: Int64 = 4_096 + 24
    private static let logReserveMin: Int64 = 64 << 10
    private static let logReserveMax: Int64 = 1 << 20

    // MARK: Commits of others

    /// Within a transaction: differs from what it was after this connection's last commit when
    /// another one has committed since.
    package var changeMark: UInt32 {
        var mark: UInt32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &mark)
        return mark
    }

    /// Finds what `commitMark` and `logFrameCount` read. Once something was read from the file.
    package func watchLog() {
        walIndexHeader = rw_wal_index_header(handle).map { UnsafePointer($0) }
    }

    /// Differs after each commit of any connection; reading it costs nothing. nil where the log
    /// has no index that could be read.
    package var commitMark: UInt64? {
        walIndexHeader.map { rw_wal_index_mark($0) }
    }

    /// How many pages the log holds, those included that a checkpoint has moved.
    package var logFrameCount: Int {
        walIndexHeader.map { Int(rw_wal_index_frame_count($0)) } ?? .max
    }

    // MARK: Errors

    func error(_ code: Int32) -> SQLiteError {
        let own = sqlite3_extended_errcode(handle)
        let isOwn = own & 0xFF == code & 0xFF
        let message = isOwn ? String(cString: sqlite3_errmsg(handle)) : Self.words(code)
        return SQLiteError(code: isOwn ? own : code, message: message, path: path)
    }

    private static func words(_ code: Int32) -> String {
        String(cString: sqlite3_errstr(code))
    }
}
