import Glibc
import RestwayObjects
import RestwaySQLite
import XCTest

/// A file for a store; who makes it removes it.
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

    /// As somebody with a shell.
    func shell(_ sql: String) throws {
        try Connection(path).run(sql)
    }

    func integer(_ sql: String) throws -> Int64? {
        try Connection(path).integer(sql)
    }
}

extension StoreFile {
    /// Puts text in the place of the whole file.
    func write(_ text: String) {
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        let descriptor = Glibc.open(path, O_WRONLY | O_TRUNC)
        precondition(descriptor >= 0 && Glibc.write(descriptor, text, text.utf8.count) > 0)
        close(descriptor)
    }

    /// Overwrites everything behind `offset`.
    func damage(from offset: Int) {
        let descriptor = Glibc.open(path, O_WRONLY)
        precondition(descriptor >= 0)
        let noise = [UInt8](repeating: 0xA5, count: size - offset)
        precondition(pwrite(descriptor, noise, noise.count, off_t(offset)) == noise.count)
        close(descriptor)
    }

    var size: Int {
        var status = stat()
        precondition(stat(path, &status) == 0)
        return Int(status.st_size)
    }
}
