import CSQLite
import Glibc
package import RestwayThreads

/// A connection to a file in WAL mode. Only one thread at a time may use it and its statements.
///
/// `@unchecked Sendable`: its owner keeps it behind a lock.
package final class Connection: @unchecked Sendable {
    package struct Options: Sendable {
        package var busyTimeoutMilliseconds: Int32 = 5000
        /// Whether a commit is on the disk when it returns. If not, it is safe only from a crash of
        /// the process.
        package var isDurable = false
        /// The size in KiB of the pages that SQLite keeps in memory.
        package var pageCacheKiB = 8 << 10
        /// The log is cut to this size when it is written from its start again.
        package var logBytesMax: Int64 = 64 << 20
        /// The log keeps this length when room is made on a full disk, so that small commits find
        /// room there even if the disk has none (see `reserveLog`).
        package var logBytesKept: Int64 = 0
        /// Whether `giveBack` is possible for a file that the connection creates.
        package var mayGiveBackPages = false
        /// The most pages of the file, for tests that fill a file; `nil` sets no limit.
        package var pagesMax: Int?
        /// The permissions of a new file. Its log and the log's index get the permissions of the
        /// file.
        package var mode = FileMode.ownerOnly
        package var faults: FaultPoints?

        package init() {
            #if DEBUG
                faults = FaultPoints.standard.withLock { $0 }
            #endif
        }
    }

    package let path: String
    let handle: OpaquePointer
    let faults: FaultPoints?
    /// Points into memory that lives as long as the connection.
    private var walIndexHeader: UnsafePointer<UInt32>?
    private let generation = ProcessGeneration.current
    private let file: OpenFiles.File?
    private var transactions = TransactionStatements()
    /// The length of the log, as far as this connection has extended it.
    private var logBytes: Int64 = 0
    private let logBytesKept: Int64
    /// Whether the log is at least `logBytesKept` long.
    private var keepsLog = false
    /// Whether `reserveLog` could not make the log as long as it wanted: the disk is nearly full.
    /// The log can still be moved into the file, which may have to grow for that; later it cannot.
    package private(set) var isShortOfRoom = false

    /// Opens the file at `path`, or creates it if it does not exist.
    package init(_ path: String, _ options: Options = Options()) throws(SQLiteError) {
        self.path = path
        faults = options.faults
        logBytesKept = options.logBytesKept
        (handle, file) = try Self.open(path, options)
        if let file { OpenFiles.add(file) }
        try configure(options)
    }

    /// Opens the file at `path` in the form that `format` describes. If this function refuses the
    /// file, it has changed nothing in the file or in its log.
    ///
    /// Until `leavesLogAtClose` is set to false, the log also stays when the connection closes.
    package init(
        _ path: String, _ options: Options, of format: Migrations
    ) throws(Migrations.Refusal) {
        self.path = path
        faults = options.faults
        logBytesKept = options.logBytesKept
        (handle, file) = try Migrations.Refusal.wrapping(Self.open(path, options))
        if let file { OpenFiles.add(file) }
        try format.admit(self)
        try Migrations.Refusal.wrapping(configure(options))
    }

    /// Opens a damaged file and makes it empty, without reading it. Other connections may have the
    /// file open. If the file does not belong to the program of `format`, it stays as it is.
    package init(
        emptying path: String, _ options: Options, of format: Migrations
    ) throws(Migrations.Refusal) {
        self.path = path
        faults = options.faults
        logBytesKept = options.logBytesKept
        (handle, file) = try Migrations.Refusal.wrapping(Self.open(path, options))
        if let file { OpenFiles.add(file) }
        let head = try Migrations.Refusal.wrapping(head())
        guard case .database(format.applicationID, _, _) = head else { throw .foreign }
        rw_reset_database(handle, true)
        if options.mayGiveBackPages { _ = execute("PRAGMA " + Self.incrementalVacuum, options) }
        let code = execute("VACUUM", options)
        rw_reset_database(handle, false)
        guard code == SQLITE_OK else { throw .failed(error(code)) }
        try Migrations.Refusal.wrapping(configure(options))
    }

    deinit {
        // In a forked child the locks are the parent's, and closing would disturb the parent's
        // file.
        guard generation == ProcessGeneration.current else { return }
        transactions.finalize()
        sqlite3_close_v2(handle)
        if let file { OpenFiles.remove(file) }
    }

    /// Opens the file without reading it: SQLite may change the file when it reads a page.
    private static func open(
        _ path: String, _ options: Options
    ) throws(SQLiteError) -> (OpaquePointer, OpenFiles.File?) {
        if let code = options.faults?.code(.open) {
            throw SQLiteError(code: code, message: words(code), path: path)
        }
        try SQLiteLibrary.use(path)
        let name = try fileName(path)
        guard !OpenFiles.isInherited(name) else {
            throw .forked(path, "the parent had the file open when it forked")
        }
        NewFile.make(name, options.mode)
        var opened: OpaquePointer?
        // SQLite does not create the file: it would use the default permissions of the process.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(name, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? words(code)
            sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: message, path: path)
        }
        sqlite3_busy_timeout(opened, options.busyTimeoutMilliseconds)
        return (opened, OpenFiles.File(name))
    }

    /// Returns the name that SQLite opens. SQLite gives a special meaning to some names: an empty
    /// name is a temporary file of this connection, ":memory:" is no file, and "file:" begins a
    /// URL.
    private static func fileName(_ path: String) throws(SQLiteError) -> String {
        guard let first = path.utf8.first else {
            throw SQLiteError(code: SQLITE_CANTOPEN, message: "the path is empty", path: path)
        }
        return first == UInt8(ascii: "/") ? path : "./" + path
    }

    /// Sets the pragmas. Their order matters: WAL comes first, because it reads the file for the
    /// first time.
    private func configure(_ options: Options) throws(SQLiteError) {
        // This has to be known before the first page is written.
        var pragmas = options.mayGiveBackPages ? [Self.incrementalVacuum] : []
        pragmas += [
            "journal_mode = WAL", "synchronous = \(options.isDurable ? "FULL" : "NORMAL")",
            "wal_autocheckpoint = 0",
            "journal_size_limit = \(options.logBytesMax)", "cache_size = -\(options.pageCacheKiB)",
            "trusted_schema = OFF", "temp_store = MEMORY",
        ]
        if let pages = options.pagesMax { pragmas.append("max_page_count = \(pages)") }
        for pragma in pragmas {
            let code = execute("PRAGMA \(pragma)", options)
            if code != SQLITE_OK { throw error(code) }
        }
    }

    private static let incrementalVacuum = "auto_vacuum = INCREMENTAL"

    /// Gives pages without content back to the disk, at the latest when the log is moved into the
    /// file. It is called in a transaction that writes.
    package func giveBack(pages: Int64) throws(SQLiteError) {
        try run("PRAGMA incremental_vacuum(\(pages))")
    }

    /// Runs SQL, and tries again if the file is busy. If several connections give a new file its
    /// log at the same time, SQLite refuses some of the connections without waiting, because each
    /// holds a lock that another connection needs. The refused connections release their locks and
    /// try again.
    private func execute(_ sql: String, _ options: Options) -> Int32 {
        let clock = SystemClock()
        let end = clock.now().advanced(milliseconds: Int64(options.busyTimeoutMilliseconds))
        while true {
            let code = sqlite3_exec(handle, sql, nil, nil, nil)
            guard code & 0xFF == SQLITE_BUSY, clock.now() < end else { return code }
            sqlite3_sleep(1)
        }
    }

    /// The name of the file as SQLite found it: absolute, without symbolic links. Files beside it
    /// are named after it, so that two names of one file lead to the same files.
    package var fileName: String {
        sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? path
    }

    // MARK: Before the file is ours

    /// Whether the log stays when the last connection to the file closes, instead of being moved
    /// into the file and removed.
    package var leavesLogAtClose = false {
        didSet { rw_leave_log_at_close(handle, leavesLogAtClose) }
    }

    /// Reads the head of the file. It takes no lock and changes nothing.
    func head() throws(SQLiteError) -> FileHead {
        var status = stat()
        let isKnown = stat(fileName, &status) == 0
        // A device, a FIFO or a socket has no length, and it is never a new file.
        if isKnown, status.st_mode & S_IFMT != S_IFREG { return .foreign(isBlank: false) }
        var bytes = [UInt8](repeating: 0, count: FileHead.byteCount)
        var code = SQLITE_OK
        let length = rw_read_head(handle, &bytes, Int32(bytes.count), &code)
        guard length >= 0 else { throw error(code) }
        // SQLite says that a file of one byte is empty.
        let isOneByte = isKnown && status.st_size == 1
        return FileHead(bytes, length: isOneByte ? 1 : length)
    }

    /// Returns the files beside the file. A descriptor of these files may be closed. Closing a
    /// descriptor of the file itself would release SQLite's locks.
    func companions() -> FileHead.Companions {
        var companions = FileHead.Companions()
        var status = stat()
        if stat(fileName + "-wal", &status) == 0 {
            companions.hasLog = status.st_size > Self.logHeaderBytes
        }
        let journal = Glibc.open(fileName + "-journal", O_RDONLY | O_CLOEXEC)
        guard journal >= 0 else { return companions }
        defer { close(journal) }
        func bytes(_ count: Int, at offset: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            let length = pread(journal, &bytes, count, offset)
            return Array(bytes.prefix(max(0, length)))
        }
        let header = bytes(FileHead.Rollback.headerByteCount, at: 0)
        let page = bytes(
            FileHead.Rollback.pageByteCount, at: FileHead.Rollback.pageOffset(header))
        let fileByteCount = stat(fileName, &status) == 0 ? Int64(status.st_size) : 0
        companions.rollback = FileHead.Rollback(header, page: page, fileByteCount: fileByteCount)
        return companions
    }

    /// The most columns that SQLite allows in a table.
    package var columnsMax: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1)) }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    package var changedRowCount: Int { Int(sqlite3_changes64(handle)) }

    /// Runs statements that return no rows.
    package func run(_ sql: String) throws(SQLiteError) {
        try run(sql, .step)
    }

    private func run(_ sql: String, _ operation: FaultPoints.Operation) throws(SQLiteError) {
        try fail(at: operation)
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// Prepares a statement and binds copies of `values` to its first parameters. A statement that
    /// is run often belongs into a `StatementCache`.
    package func prepare(
        _ sql: String, _ values: Statement.Value...
    ) throws(SQLiteError) -> Statement {
        try fail(at: .prepare)
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(handle, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code) }
        let statement = Statement(prepared, self)
        statement.bind(values, isCopied: true)
        return statement
    }

    /// Returns the result of a query with at most one row and one column; `nil` if there is no row,
    /// or null in it.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        try prepare(sql).firstInteger()
    }

    // MARK: Transactions

    /// Begins a transaction that writes. It waits for other writers as long as the options say.
    package func begin() throws(SQLiteError) {
        try run(.beginWriting, .begin)
    }

    /// Begins a transaction that writes. If a failed rollback has left a transaction open, that is
    /// rolled back first.
    package func beginAnew() throws(SQLiteError) {
        if isInTransaction { try run("ROLLBACK") }
        try begin()
    }

    package func commit() throws(SQLiteError) {
        try run(.commit, .commit)
    }

    /// Runs `body` in a transaction that writes. If this throws, nothing that `body` wrote is in
    /// the file.
    package func writing<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result, orThrow failure: (SQLiteError) -> Failure
    ) throws(Failure) -> Result {
        do throws(SQLiteError) {
            try beginAnew()
        } catch {
            throw failure(error)
        }
        do throws(Failure) {
            let result = try body()
            do throws(SQLiteError) {
                try commit()
            } catch {
                throw failure(error)
            }
            return result
        } catch {
            // SQLite has rolled back by itself after some errors.
            if isInTransaction { rollBack() }
            throw error
        }
    }

    package func writing<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try writing(body, orThrow: { $0 })
    }

    /// Runs `body` in a transaction that reads, so that everything it reads is from one moment. For
    /// many reads this is faster than locking the file for each statement.
    package func reading<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result, orThrow failure: (SQLiteError) -> Failure
    ) throws(Failure) -> Result {
        do throws(SQLiteError) {
            try run(.beginReading, .begin)
        } catch {
            throw failure(error)
        }
        // The transaction has written nothing that could be lost.
        defer { if (try? commit()) == nil { rollBack() } }
        return try body()
    }

    /// - Returns: The first column of the row of the statement; `nil` if it has no row.
    @discardableResult
    private func run(
        _ statement: TransactionStatements.Kind, _ operation: FaultPoints.Operation
    ) throws(SQLiteError) -> Int64? {
        try fail(at: operation)
        var result: Int64?
        let code = transactions.run(statement, handle, result: &result)
        if code != SQLITE_OK { throw error(code) }
        return result
    }

    /// Tries to roll back. If that fails, the next `begin` reports it; `beginAnew` tries again.
    package func rollBack() {
        try? run("ROLLBACK", .rollback)
    }

    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Moves the content of the log into the file, as far as readers allow.
    ///
    /// - Parameter waits: Whether it waits for readers, as long as the connection waits for locks.
    package func checkpoint(waits: Bool = false) throws(SQLiteError) {
        _ = try moveLog(waits ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE)
    }

    /// Moves the log into the file.
    ///
    /// - Parameter mode: `SQLITE_CHECKPOINT_RESTART` waits, as long as the connection waits for
    ///   locks, until no reader reads from the log any more. `SQLITE_CHECKPOINT_TRUNCATE` then
    ///   empties the log.
    /// - Returns: Whether all of it was moved.
    private func moveLog(_ mode: Int32) throws(SQLiteError) -> Bool {
        try fail(at: .checkpoint)
        var (frames, moved): (Int32, Int32) = (0, 0)
        let code = sqlite3_wal_checkpoint_v2(
            handle, nil, mode, &frames, &moved)
        // Another connection is moving the log at this moment, which is just as good, or reads
        // from it.
        if code & 0xFF == SQLITE_BUSY { return false }
        if code != SQLITE_OK { throw error(code) }
        return frames == moved
    }

    /// Makes room when the disk is full, or nearly: moves the log into the file, and cuts the log
    /// to the length that it keeps. A commit overwrites the log from its start only if no
    /// connection reads from it, so this waits for readers. If the log cannot be moved, its end is
    /// cut off, which holds no commit.
    ///
    /// - Returns: Whether the log has room again, so that the write may now succeed.
    package func makeRoom() -> Bool {
        guard let walIndexHeader, !isInTransaction else { return false }
        do throws(SQLiteError) {
            try begin()
            rw_wal_trim(handle, walIndexHeader, logBytesKept)
            (logBytes, keepsLog, isShortOfRoom) = (0, false, false)
            rollBack()
            guard logBytesKept > 0 else { return try moveLog(SQLITE_CHECKPOINT_RESTART) }
            // The log has no commit then, so that it can be cut.
            guard try moveLog(SQLITE_CHECKPOINT_TRUNCATE) else { return false }
            try begin()
            keepsLog = rw_wal_reserve(handle, logBytesKept) >= logBytesKept
            rollBack()
            return true
        } catch {
            return false
        }
    }

    /// Whether `shortenLog` has something to do after a commit.
    package func isLogLong(framesMax: Int) -> Bool { isShortOfRoom || logFrameCount > framesMax }

    /// Moves a long log into the file, or makes room if the disk is nearly full. If it fails, a
    /// later commit tries again.
    ///
    /// - Parameters:
    ///   - framesMax: The most pages that the log may have.
    ///   - framesUntilWait: With more pages than these, it waits for readers, which keep the log
    ///     from being written from its start again.
    package func shortenLog(framesMax: Int, framesUntilWait: Int = .max) {
        let frames = logFrameCount
        if isShortOfRoom {
            _ = makeRoom()
        } else if frames > framesMax {
            try? checkpoint(waits: frames > framesUntilWait)
        }
    }

    /// Extends the log with zeros by more than the next commits need. A commit that only overwrites
    /// reaches the disk sooner than a commit that extends a file, because the file system has no
    /// data of its own to write. This is called within a transaction, so that no other connection
    /// writes. Failures are ignored.
    ///
    /// - Returns: Whether the log is at least `logBytesKept` long, so that small commits find room
    ///   in it on a full disk, once it is written from its start again (`makeRoom`).
    @discardableResult
    package func reserveLog() -> Bool {
        guard let walIndexHeader else { return true }
        if !keepsLog { keepsLog = rw_wal_reserve(handle, logBytesKept) >= logBytesKept }
        guard !rw_wal_index_is_moved(walIndexHeader) else { return keepsLog }
        let used = Int64(rw_wal_index_frame_count(walIndexHeader)) * Self.logFrameBytes
        guard used + Self.logReserveMin > logBytes else { return keepsLog }
        let more = min(max(used, Self.logReserveMin * 2), Self.logReserveMax)
        let length = rw_wal_reserve(handle, used + more)
        isShortOfRoom = length < used + more
        logBytes = max(used + more, length)
        return keepsLog
    }

    /// The number of pages of the file that hold nothing. Later commits use them before they make
    /// the file longer.
    package func freePageCount() throws(SQLiteError) -> Int64 {
        try run(.freePageCount, .step) ?? 0
    }

    /// Extends the file if the transaction has added pages to it, so that these pages can be moved
    /// from the log into the file even if the disk is full by then. Without this, the log could
    /// take the last space of the disk, and no later commit would find any. This is called at the
    /// end of a transaction.
    ///
    /// - Throws: `SQLITE_FULL` if the disk has no room for the pages.
    package func reserveFile() throws(SQLiteError) {
        guard let walIndexHeader, let pages = try run(.pageCount, .step),
            pages > rw_wal_index_page_count(walIndexHeader)
        else { return }
        let code = rw_reserve_file(handle, pages * Self.pageBytes)
        if code != SQLITE_OK { throw error(code) }
    }

    private static let logHeaderBytes = 32
    /// The usual size of a page.
    package static let pageBytes: Int64 = 4_096
    /// The bytes in the log for a page of the usual size.
    private static let logFrameBytes = pageBytes + 24
    private static let logReserveMin: Int64 = 64 << 10
    private static let logReserveMax: Int64 = 1 << 20

    // MARK: Commits of other connections

    /// Finds the memory that `commitMark` and `logFrameCount` read. This is called after a read
    /// from the file.
    package func watchLog() {
        walIndexHeader = rw_wal_index_header(handle).map { UnsafePointer($0) }
    }

    /// A number that differs after each commit of any connection; reading it costs nothing. It is
    /// `nil` if the log has no index that could be read.
    package var commitMark: UInt64? {
        walIndexHeader.map { rw_wal_index_mark($0) }
    }

    /// The number of pages in the log, including the pages that a checkpoint has moved.
    package var logFrameCount: Int {
        walIndexHeader.map { Int(rw_wal_index_frame_count($0)) } ?? .max
    }

    // MARK: Errors

    /// Fails if a test wants the operation to fail.
    func fail(at operation: FaultPoints.Operation) throws(SQLiteError) {
        if let code = faults?.code(operation) { throw error(code) }
    }

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

/// Makes SQLite fail in tests: it is asked before each operation of a connection.
package struct FaultPoints: Sendable {
    package enum Operation: Sendable, CaseIterable {
        case open, prepare, step, begin, commit, rollback, checkpoint
    }

    /// Returns the result code with which the operation is to fail; `nil` lets it happen.
    let code: @Sendable (Operation) -> Int32?

    package init(_ code: @escaping @Sendable (Operation) -> Int32?) {
        self.code = code
    }

    #if DEBUG
        /// The fault points of connections that name none, for programs that test the whole
        /// library. A release library has none.
        package static let standard = Lock<FaultPoints?>(nil)
    #endif
}
