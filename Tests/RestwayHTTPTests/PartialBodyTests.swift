import XCTest

@testable import RestwayHTTP

final class PartialBodyTests: XCTestCase {
    private func head(_ status: Int, _ fields: [String: String]) -> ResponseHead {
        let headers = Headers(fields.map { HeaderField(name: $0.key, value: $0.value) })
        return ResponseHead(status: status, headers: headers, url: "http://a.test/f")
    }

    private func part(_ length: Int64, of total: Int64? = 10) -> PartialBody {
        PartialBody(length: length, validator: "\"v1\"", total: total)
    }

    private func asked(_ length: Int64, of total: Int64? = 10) -> PartialBody {
        var part = part(length, of: total)
        _ = part.ask()
        return part
    }

    func testTheRestIsAskedForUnderTheConditionThatTheBodyHasNotChanged() {
        var part = part(4)
        XCTAssertEqual(
            part.ask(),
            [
                HeaderField(name: "Range", value: "bytes=4-"),
                HeaderField(name: "If-Range", value: "\"v1\""),
            ])
        var nothing = PartialBody()
        XCTAssertEqual(nothing.ask(), [])
    }

    func testABodyThatIsAllThereHasItsLastByteConfirmed() {
        var part = part(10)
        XCTAssertEqual(part.ask().first?.value, "bytes=9-")
        XCTAssertEqual(
            part.begin(head(206, ["Content-Range": "bytes 9-9/10", "ETag": "\"v1\""])),
            .rest(from: 9))
        XCTAssertEqual(part.length, 9)
    }

    func testAPartThatIsLongerThanItsBodyIsNotContinued() {
        var part = part(11)
        XCTAssertEqual(part.ask(), [])
    }

    func testARangeThatFitsContinues() {
        for fields in [["ETag": "\"v1\""], [:]] {
            var part = asked(4)
            let all = fields.merging(["Content-Range": "bytes 4-9/10"]) { $1 }
            XCTAssertEqual(part.begin(head(206, all)), .rest(from: 4))
            XCTAssertEqual(part.total, 10)
        }
        var unknown = asked(4, of: nil)
        XCTAssertEqual(
            unknown.begin(head(206, ["Content-Range": "bytes 4-9/10"])), .rest(from: 4))
        XCTAssertEqual(unknown.total, 10)
    }

    func testARangeThatDoesNotFitIsAMismatch() {
        let answers: [[String: String]] = [
            [:],
            ["Content-Range": "bytes 3-9/10"],
            ["Content-Range": "bytes 5-9/10"],
            ["Content-Range": "bytes 4-8/10"],
            ["Content-Range": "bytes 4-10/11"],
            ["Content-Range": "bytes 4-9/*"],
            ["Content-Range": "bytes 4-9"],
            ["Content-Range": "items 4-9/10"],
            ["Content-Range": "bytes 9-4/10"],
            ["Content-Range": "bytes 4-9/9"],
            ["Content-Range": "bytes 4-9/10", "ETag": "\"v2\""],
            ["Content-Range": "bytes 4-9/10", "ETag": "W/\"v1\""],
            ["Content-Range": "bytes 4-9/10", "Content-Encoding": "gzip"],
        ]
        for fields in answers {
            var part = asked(4)
            XCTAssertEqual(part.begin(head(206, fields)), .mismatch, "\(fields)")
        }
        var part = asked(4)
        XCTAssertEqual(part.begin(head(416, ["Content-Range": "bytes */2"])), .mismatch)
        part = asked(4)
        XCTAssertEqual(part.begin(head(200, ["Content-Range": "bytes 4-9/10"])), .mismatch)
    }

    func testAWholeAnswerReplacesThePart() {
        var part = asked(4)
        XCTAssertEqual(
            part.begin(head(200, ["ETag": "\"v2\"", "Content-Length": "7"])), .whole)
        XCTAssertEqual(part.length, 0)
        XCTAssertEqual(part.validator, "\"v2\"")
        XCTAssertEqual(part.total, 7)
    }

    func testAnErrorIsNoPartOfTheBodyAndChangesNothing() {
        var part = asked(4)
        for status in [301, 404, 500] {
            XCTAssertEqual(part.begin(head(status, [:])), .other)
        }
        XCTAssertEqual(part, asked(4))
        var whole = PartialBody()
        XCTAssertEqual(whole.begin(head(416, [:])), .other)
    }

    func testOnlyAStrongValidatorAllowsToResume() {
        let date = "Mon, 01 Jan 2024 00:00:00 GMT"
        let cases: [([String: String], String?)] = [
            (["ETag": "\"a\""], "\"a\""),
            (["ETag": "W/\"a\""], nil),
            (["ETag": "a"], nil),
            (["ETag": "\""], nil),
            (["Last-Modified": date, "Date": "Mon, 01 Jan 2024 00:00:01 GMT"], date),
            (["Last-Modified": date, "Date": date], nil),
            (["Last-Modified": date], nil),
            (["ETag": "\"a\"", "Accept-Ranges": "none"], nil),
            (["ETag": "\"a\"", "Content-Encoding": "gzip"], nil),
            ([:], nil),
        ]
        for (fields, validator) in cases {
            var part = PartialBody()
            XCTAssertEqual(part.begin(head(200, fields)), .whole)
            XCTAssertEqual(part.validator, validator, "\(fields)")
        }
    }

    func testARangeThatTheCallerAskedForIsTheWholeBodyOfItsAnswer() {
        var part = PartialBody()
        XCTAssertEqual(part.begin(head(206, ["Content-Range": "bytes 4-9/10"])), .whole)
        XCTAssertNil(part.validator)
        XCTAssertTrue(part.isComplete)
    }
}
