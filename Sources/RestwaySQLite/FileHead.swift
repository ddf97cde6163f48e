/// The facts about a file that its first page gives.
///
/// The library reads them before SQLite reads the file: SQLite repairs a file when it reads a page,
/// and writes the header when it is asked for a write-ahead log. A file that belongs to another
/// program must not be repaired or written.
enum FileHead: Equatable {
    case empty
    /// The first bytes are not SQLite's, so another program has written the file.
    ///
    /// - Parameter isBlank: Whether all these bytes are zero.
    case foreign(isBlank: Bool)
    /// The first bytes are SQLite's, and the rest of the head makes no sense.
    case damaged
    /// - Parameters:
    ///   - version: The `user_version`.
    ///   - hasTables: Whether the schema in the file itself has any entries. The log may have more.
    case database(applicationID: Int32, version: Int32, hasTables: Bool)

    /// The size of the file header and of the header of the first page of the schema.
    static let byteCount = 108

    private static let magic = Array("SQLite format 3\0".utf8)
    /// Parts of a page that the file format fixes.
    private static let payloadFractions: [UInt8] = [64, 32, 32]
    private static let leafPage: UInt8 = 13

    /// - Parameters:
    ///   - bytes: The first `byteCount` bytes of the file, with zeros behind its end.
    ///   - length: The length of the file.
    init(_ bytes: [UInt8], length: Int64) {
        guard length > 0 else {
            self = .empty
            return
        }
        guard Array(bytes[..<16]) == Self.magic else {
            // A file of one byte is never ours: SQLite makes files longer by whole pages.
            self = .foreign(isBlank: length > 1 && bytes.allSatisfy { $0 == 0 })
            return
        }
        let pageBytes = Int(bytes[16]) << 8 | Int(bytes[17])
        // A page size of 65,536 bytes is written as 1.
        let isPageSize = pageBytes == 1 || pageBytes >= 512 && pageBytes & (pageBytes - 1) == 0
        guard length >= Int64(Self.byteCount), isPageSize,
            Array(bytes[21..<24]) == Self.payloadFractions
        else {
            self = .damaged
            return
        }
        let isEmptyLeaf = bytes[100] == Self.leafPage && bytes[103] == 0 && bytes[104] == 0
        self = .database(
            applicationID: Self.integer(bytes, at: 68), version: Self.integer(bytes, at: 60),
            hasTables: !isEmptyLeaf)
    }

    private static func integer(_ bytes: [UInt8], at offset: Int) -> Int32 {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int32($1) }
    }
}

extension FileHead {
    /// The files beside a file that exist because a process has it open or has not closed it.
    struct Companions: Equatable {
        /// Whether the log holds frames.
        var hasLog = false
        var rollback = Rollback.none
    }

    /// The rollback journal, which SQLite applies to the file at its next read.
    enum Rollback: Equatable {
        case none
        /// The file was empty before, and its first transaction was not finished.
        case ofNewFile
        /// The file was a database of one page, without tables, version and owner, and still has
        /// one page. SQLite makes a new file in two transactions, and this is the second one.
        case ofEmptyDatabase
        case ofPages

        /// The size of the header of a journal.
        static let headerByteCount = 28
        /// The size of the number of a page and of the head of the first page, which follow the
        /// header at `pageOffset`.
        static let pageByteCount = 4 + FileHead.byteCount

        private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

        /// Returns the place of the first page in the journal.
        static func pageOffset(_ header: [UInt8]) -> Int {
            header.count == headerByteCount ? Int(FileHead.integer(header, at: 20)) : 0
        }

        /// - Parameters:
        ///   - header: The first `headerByteCount` bytes of the journal, or all if it is shorter.
        ///   - page: The `pageByteCount` bytes at `pageOffset`, or all if there are fewer.
        ///   - fileByteCount: The length of the file that the journal belongs to.
        init(_ header: [UInt8], page: [UInt8] = [], fileByteCount: Int64 = 0) {
            // SQLite overwrites the beginning with zeros when the journal is no longer needed.
            guard let first = header.first, first != 0 else {
                self = .none
                return
            }
            guard header.count == Self.headerByteCount, header.starts(with: Self.magic) else {
                self = .ofPages
                return
            }
            switch FileHead.integer(header, at: 16) {
            case 0: self = .ofNewFile
            case 1 where fileByteCount == Int64(FileHead.integer(header, at: 24)):
                self = Self.holdsEmptyDatabase(page) ? .ofEmptyDatabase : .ofPages
            default: self = .ofPages
            }
        }

        private static func holdsEmptyDatabase(_ page: [UInt8]) -> Bool {
            guard page.count == pageByteCount, FileHead.integer(page, at: 0) == 1 else {
                return false
            }
            let head = FileHead(Array(page[4...]), length: Int64(FileHead.byteCount))
            return head == .database(applicationID: 0, version: 0, hasTables: false)
        }
    }
}
