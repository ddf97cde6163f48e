import Glibc
import RestwaySQLite
import RestwayThreads
import XCTest

/// The permissions of the files that the library makes.
final class NewFileTests: XCTestCase {
    private var directory = ""
    private var path: String { directory + "/file.db" }

    override func setUp() {
        var template = Array("/tmp/restway-modes-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    override func tearDown() {
        for name in ["file.db", "link.db"] {
            for suffix in ["", "-wal", "-shm"] { unlink("\(directory)/\(name)\(suffix)") }
        }
        XCTAssertEqual(rmdir(directory), 0)
    }

    private func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private func modes() -> [UInt32?] { ["", "-wal", "-shm"].map { mode(path + $0) } }

    private func options(_ mode: Int64) throws -> Connection.Options {
        var options = Connection.Options()
        options.mode = try XCTUnwrap(FileMode(mode))
        return options
    }

    func testNewFilesAreTheOwnersAloneUnlessTheOptionSaysMore() throws {
        for mask in [0o022, 0o077, 0] as [mode_t] {
            let before = umask(mask)
            defer { umask(before) }
            for mode in [0o600, 0o640, 0o666] as [Int64] {
                let connection = try Connection(path, options(mode))
                try connection.run("CREATE TABLE t (a)")
                XCTAssertEqual(modes(), [UInt32?](repeating: UInt32(mode), count: 3))
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            }
            _ = try Connection(path)
            XCTAssertEqual(mode(path), 0o600)
            unlink(path)
        }
    }

    func testAFileThatExistsKeepsItsPermissions() throws {
        _ = try Connection(path)
        XCTAssertEqual(chmod(path, 0o644), 0)
        let connection = try Connection(path, options(0o600))
        try connection.run("CREATE TABLE t (a)")
        XCTAssertEqual(modes(), [0o644, 0o644, 0o644])
    }

    func testALinkToAFileThatDoesNotExistIsFollowed() throws {
        XCTAssertEqual(symlink("file.db", directory + "/link.db"), 0)
        let connection = try Connection(directory + "/link.db")
        try connection.run("CREATE TABLE t (a)")
        XCTAssertEqual(modes(), [0o600, 0o600, 0o600])
        XCTAssertEqual(connection.fileName, path)
    }

    func testPermissionsAreReadAndWriteForTheOwnerAndNeverToExecute() {
        for bits in [0o600, 0o602, 0o640, 0o644, 0o660, 0o666] as [Int64] {
            XCTAssertEqual(FileMode(bits)?.bits, UInt32(bits))
        }
        for bits in [0, -1, 0o400, 0o066, 0o601, 0o700, 0o1600, 640, .max, .min] as [Int64] {
            XCTAssertNil(FileMode(bits), "\(bits)")
        }
        XCTAssertEqual(FileMode(octal: "0640"), FileMode(0o640))
        XCTAssertEqual(FileMode(octal: "640"), FileMode(0o640))
        for text in ["", "0", "640 ", "-640", "+640", "00640", "1640", "0680", "rw", "0o640"] {
            XCTAssertNil(FileMode(octal: text), text)
        }
    }
}
