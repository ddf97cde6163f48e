import CCurl
import RestwayHTTP
import XCTest

@testable import RestwayCurl

final class HeaderListTests: XCTestCase {
    func testACredentialIsOverwrittenAndForgotten() throws {
        let easy = try XCTUnwrap(curl_easy_init())
        defer { curl_easy_cleanup(easy) }
        let headers = [
            HeaderField(name: "Authorization", value: "Bearer s3cret"),
            HeaderField(name: "Accept", value: "*/*"),
        ]
        var list = HeaderList()
        XCTAssertTrue(list.set(headers, sendsBody: false, on: easy))
        var lengths: [Int] = []
        list.wipe(on: easy) { bytes in
            lengths.append(bytes.count)
            XCTAssertTrue(bytes.allSatisfy { $0 == 0 })
        }
        // There are two headers, and one that libcurl must not add.
        XCTAssertEqual(lengths.first, "Authorization: Bearer s3cret".count)
        XCTAssertEqual(lengths.count, 4)
        XCTAssertTrue(list.set([], sendsBody: false, on: easy), "it can be used again")
        list.wipe(on: easy)
        list.wipe(on: easy)
    }
}
