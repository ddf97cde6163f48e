import Foundation
import Glibc
import XCTest

@testable import RestwayBodies
@testable import RestwayOutcome

/// Tests the file that names an upload for a later call.
final class UploadStateFileTests: XCTestCase {
    private let folder = "/tmp/restway-upload-\(UInt64.random(in: 0 ... .max))"
    private var path: String { folder + "/state" }
    private let url = "https://api.test/uploads/1?key=x"

    override func setUp() {
        XCTAssertEqual(mkdir(folder, 0o700), 0)
    }

    override func tearDown() {
        unlink(path)
        rmdir(path)
        rmdir(folder)
    }

    private func file(
        _ request: [String] = ["tus", "POST", "/films"], source: String? = "1 2"
    ) throws -> UploadStateFile {
        try UploadStateFile(path: path, of: request, source: source)
    }

    func testTheSameRequestOfTheSameResourceFindsItsUpload() throws {
        XCTAssertNil(try file().read())
        try file().write(url)
        XCTAssertEqual(try file().read(), url)
        XCTAssertEqual(try file(source: nil).read(), url)
        XCTAssertNil(try file(source: "1 3").read())
        XCTAssertNil(try file(["tus", "POST", "/books"]).read())
        try file().remove()
        XCTAssertNil(try file().read())
    }

    func testAFileThatCannotBeReadIsAnErrorThatNamesIt() throws {
        XCTAssertEqual(mkdir(path, 0o700), 0)
        XCTAssertThrowsError(try file().read()) { error in
            let failure = error as? Failure
            XCTAssertEqual(failure?.reason, .io)
            XCTAssertEqual(failure?.message, "\(path): Is a directory")
        }
    }

    func testAFIFOIsNoStateFileAndIsNotWaitedFor() throws {
        XCTAssertEqual(mkfifo(path, 0o600), 0)
        try expectForeign()
        var status = stat()
        XCTAssertEqual(lstat(path, &status), 0)
        XCTAssertEqual(status.st_mode & S_IFMT, S_IFIFO)
    }

    func testAFileOfAnotherProgramIsNeverReplacedOrRemoved() throws {
        for content in ["my only copy", "", "restway", "restway part 1\nx\n"] {
            try content.write(toFile: path, atomically: false, encoding: .utf8)
            try expectForeign()
            XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), content)
        }
    }

    func testAFileBesideItStays() throws {
        let beside = path + ".new"
        try "mine".write(toFile: beside, atomically: false, encoding: .utf8)
        defer { unlink(beside) }
        try file().write(url)
        XCTAssertEqual(try file().read(), url)
        XCTAssertEqual(try String(contentsOfFile: beside, encoding: .utf8), "mine")
        var status = stat()
        XCTAssertEqual(lstat(path, &status), 0)
        XCTAssertEqual(status.st_mode & 0o777, 0o600)
    }

    func testTheStateOfAnotherRequestIsReplaced() throws {
        try file(["tus", "POST", "/books"]).write(url)
        try file().write(url)
        XCTAssertEqual(try file().read(), url)
    }

    /// Checks that the state file is refused when it is read or written, and not removed.
    private func expectForeign() throws {
        let file = try file()
        for use in [{ _ = try file.read() }, { try file.write(self.url) }] {
            XCTAssertThrowsError(try use()) { error in
                let failure = error as? Failure
                XCTAssertEqual(failure?.reason, .io)
                XCTAssertEqual(failure?.field, path)
            }
        }
        file.remove()
    }
}
