import Glibc
import RestwayHTTP
import XCTest

@testable import RestwayCurl

/// Files of cookies and of HSTS hosts that were written while the clock of the machine was ahead.
final class StateFileClockTests: XCTestCase {
    private var path = ""
    private var now: Int64 = 0
    private let day: Int64 = 86_400

    override func setUp() {
        now = Int64(time(nil))
        var name = Array("/tmp/restway-state-XXXXXX".utf8CString)
        close(mkstemp(&name))
        path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    override func tearDown() { unlink(path) }

    /// Writes a file as of a time that is so far ahead.
    private func write(_ text: String, ahead seconds: Int64) {
        let file = fopen(path, "w")
        fputs(text, file)
        fclose(file)
        var times = [timespec](
            repeating: timespec(tv_sec: time_t(now + seconds), tv_nsec: 0), count: 2)
        XCTAssertEqual(utimensat(AT_FDCWD, path, &times, 0), 0)
    }

    private func cookie(_ expires: Int64) -> String {
        "# Netscape HTTP Cookie File\napi.test\tFALSE\t/\tFALSE\t\(expires)\tsession\t1\n"
    }

    private func expiry() throws -> Int64? {
        try CookieJar.open(path: path).cookies?.first?.expires
    }

    func testACookieLivesForAsLongAsItHadLeft() throws {
        write(cookie(now + 30 * day + 600), ahead: 30 * day)
        let left = try XCTUnwrap(expiry()) - now
        XCTAssertTrue((595...660).contains(left), "\(left)")
        // The file has the corrected time by now.
        XCTAssertEqual(try expiry(), now + left)
    }

    func testAFileOfTheRightClockStaysAsItIs() throws {
        write(cookie(now + 600), ahead: -day)
        XCTAssertEqual(try expiry(), now + 600)
        write(cookie(0), ahead: day)
        XCTAssertEqual(try expiry(), 0)
        // Somebody has set the time of the file.
        write(cookie(now + 600), ahead: day)
        XCTAssertEqual(try expiry(), now + 600)
    }

    func testAHostOfHSTSExpiresWhenItsTimeIsOver() throws {
        var hosts = SecureHosts()
        _ = hosts.learn("max-age=600", from: "https://api.test/", now: now + 30 * day)
        _ = hosts.learn("max-age=99999999999999", from: "https://ever.test/", now: now)
        write(hosts.file(now: now), ahead: 30 * day)
        let list = try XCTUnwrap(SecureHostList.open(path: path))
        list.close()
        let text = try StateFile(path: path, field: "hsts_file").read().text
        let read = try SecureHosts(file: text)
        XCTAssertNotNil(read.secured("http://api.test/", now: now + 590))
        XCTAssertNil(read.secured("http://api.test/", now: now + 700))
        XCTAssertNotNil(read.secured("http://ever.test/", now: now + 9_999 * day))
    }
}
