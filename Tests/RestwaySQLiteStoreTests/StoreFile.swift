import Glibc
import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import XCTest

/// A file for a store; the code that makes it removes it.
struct StoreFile: Sendable {
    let directory: String
    var path: String { directory + "/objects.db" }

    init() {
        var template = Array("/tmp/restway-store-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    func remove() {
        chmod(directory, 0o700)
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        rmdir(directory)
    }

    /// The first object of a new file has key 1.
    func open(
        _ entities: [Entity], _ change: (inout SQLiteStore.Options) -> Void = { _ in }
    ) throws -> SQLiteStore {
        var options = SQLiteStore.Options()
        options.keyBefore = 0
        options.connection.busyTimeoutMilliseconds = 10_000
        change(&options)
        return try SQLiteStore(path, entities, options)
    }

    /// Runs SQL directly, like a person with a shell.
    ///
    /// - Parameter journal: The journal that the file has afterwards.
    func shell(_ sql: String, journal: String = "WAL") throws {
        let connection = try Connection(path)
        try connection.run(sql)
        try connection.run("PRAGMA journal_mode = \(journal)")
    }

    /// Undoes the step that gives a file tables for pending edits.
    static let withoutEdits =
        "DROP TABLE restway_edits; DROP TABLE restway_layers; DROP TABLE restway_layer_cells; "
        + "DROP TABLE restway_base; DROP TABLE restway_versions; PRAGMA user_version = 5;"

    func integer(_ sql: String) throws -> Int64? {
        try Connection(path).integer(sql)
    }
}

extension StoreFile {
    /// Replaces the whole file by a text.
    func write(_ text: String) {
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        let descriptor = Glibc.open(path, O_WRONLY | O_TRUNC)
        precondition(descriptor >= 0 && Glibc.write(descriptor, text, text.utf8.count) > 0)
        close(descriptor)
    }

    /// Overwrites everything after `offset`.
    func damage(from offset: Int) {
        let descriptor = Glibc.open(path, O_WRONLY)
        precondition(descriptor >= 0)
        let noise = [UInt8](repeating: 0xA5, count: size - offset)
        precondition(pwrite(descriptor, noise, noise.count, off_t(offset)) == noise.count)
        close(descriptor)
    }

    var bytes: [UInt8] { Self.read(path) }
    var logBytes: [UInt8] { Self.read(path + "-wal") }

    private static func read(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "rb") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// Restores the content of the file and its log from a time when a store had them open, as
    /// after a killed process.
    func restore(_ bytes: [UInt8], log: [UInt8]) {
        for (suffix, bytes) in [("", bytes), ("-wal", log)] {
            let file = fopen(path + suffix, "wb")!
            precondition(fwrite(bytes, 1, bytes.count, file) == bytes.count)
            fclose(file)
        }
    }

    var size: Int {
        var status = stat()
        precondition(stat(path, &status) == 0)
        return Int(status.st_size)
    }
}
