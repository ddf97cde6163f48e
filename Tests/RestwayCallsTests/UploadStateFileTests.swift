import Glibc
import XCTest

@testable import RestwayCalls
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
        XCTAssertNil(try file().read())
    }
}
