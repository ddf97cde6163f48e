import CSQLite
import Synchronization
import XCTest

/// Counts how often SQLite waits for the disk: the calls of `fsync` for files that are opened while
/// the counter is installed.
///
/// It stands in front of the file system of SQLite and passes everything on.
enum SyncCounter {
    private static let count = Atomic<Int>(0)
    /// The file system of SQLite, and its functions for files with the counted one in their place.
    /// Tests install the counter before they open a file, and run one after the other.
    nonisolated(unsafe) private static var original: UnsafeMutablePointer<sqlite3_vfs>?
    nonisolated(unsafe) private static var ownMethods:
        [UnsafePointer<sqlite3_io_methods>: UnsafeMutablePointer<sqlite3_io_methods>] = [:]
    nonisolated(unsafe) private static var sync:
        (@convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32)?
    nonisolated(unsafe) private static var own = UnsafeMutablePointer<sqlite3_vfs>.allocate(
        capacity: 1)

    /// The number of syncs since the last call.
    static func take() -> Int { count.exchange(0, ordering: .relaxed) }

    /// Counts the files that `body` opens.
    static func counting(_ body: () throws -> Void) throws {
        sqlite3_initialize()
        original = try XCTUnwrap(sqlite3_vfs_find(nil))
        own.initialize(to: original!.pointee)
        own.pointee.zName = UnsafePointer(strdup("counting"))
        own.pointee.xOpen = { _, name, file, flags, outFlags in
            guard let original = SyncCounter.original, let code = original.pointee.xOpen?(
                original, name, file, flags, outFlags), let file
            else { return SQLITE_ERROR }
            if let methods = file.pointee.pMethods {
                file.pointee.pMethods = SyncCounter.counted(methods)
            }
            return code
        }
        XCTAssertEqual(sqlite3_vfs_register(own, 1), SQLITE_OK)
        defer {
            XCTAssertEqual(sqlite3_vfs_register(original, 1), SQLITE_OK)
            XCTAssertEqual(sqlite3_vfs_unregister(own), SQLITE_OK)
        }
        _ = take()
        try body()
    }

    private static func counted(
        _ methods: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        if let known = ownMethods[methods] { return UnsafePointer(known) }
        let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        copy.initialize(to: methods.pointee)
        sync = methods.pointee.xSync
        copy.pointee.xSync = { file, flags in
            SyncCounter.count.add(1, ordering: .relaxed)
            return SyncCounter.sync?(file, flags) ?? SQLITE_ERROR
        }
        ownMethods[methods] = copy
        return UnsafePointer(copy)
    }
}
