import XCTest

@testable import RestwayRouting

final class TemplateParserTests: XCTestCase {
    func testVariablesAreUniqueAndInOrder() throws {
        let template = try PathTemplate("a/:b/{c}/:meeting.itemID/:b{?q,c,page*}")
        XCTAssertEqual(template.variableNames, ["b", "c", "meeting.itemID", "q", "page"])
    }

    func testBackslashDotEndsAName() throws {
        let template = try PathTemplate(":itemID\\.json")
        XCTAssertEqual(template.variableNames, ["itemID"])
        XCTAssertEqual(try template.expand(with: ["itemID": "7"]), "7.json")
        XCTAssertEqual(template.match("7.json"), ["itemID": "7"])
    }

    func testABackslashMakesAnAtSignPlain() throws {
        let template = try PathTemplate("people/:name\\@home")
        XCTAssertEqual(template.variableNames, ["name"])
        XCTAssertEqual(try template.expand(with: ["name": "ann"]), "people/ann@home")
        XCTAssertEqual(template.match("people/ann@home"), ["name": "ann"])
    }

    func testAKeyPathWithoutBackslashIsOneName() throws {
        XCTAssertEqual(try PathTemplate(":itemID.json").variableNames, ["itemID.json"])
    }

    func testAColonIsAVariableOnlyAtTheStartOfASegment() throws {
        let template = try PathTemplate("time/12:30/\\:x?at=/:y")
        XCTAssertEqual(template.variableNames, [])
        XCTAssertEqual(try template.expand(with: [String: String]()), "time/12:30/:x?at=/:y")
    }

    func testALiteralMayFollowAName() throws {
        XCTAssertEqual(try PathTemplate(":id-x").match("7-x"), ["id": "7"])
    }

    func testLiteralsAreEncodedInTheExpansion() throws {
        let text = try PathTemplate("caf\u{E9} au/50%/%20\\{x\\}").expand { _ in nil }
        XCTAssertEqual(text, "caf%C3%A9%20au/50%25/%20%7Bx%7D")
    }

    func testErrorsSayWhere() {
        let cases: [(String, Int)] = [
            ("a/:", 3), ("a/:1", 3), ("a/:b.", 4), ("é/:", 4), ("a}", 1), ("a/{", 2), ("{}", 1),
            ("{a", 0), ("{a b}", 2), ("{=a}", 1), ("{|a}", 1), ("{a:0}", 2), ("{a:10000}", 7),
            ("{a:}", 2), ("{a,}", 3), ("{a..b}", 2), ("{?}", 2), ("a\\x", 1), ("a\\", 1),
            ("a\nb", 1), ("\u{0}", 0), ("{a*:3}", 3),
        ]
        for (text, expected) in cases {
            guard
                case .invalidTemplate(text, let position, let reason)? = failure(
                    try PathTemplate(text))
            else {
                XCTFail(text)
                continue
            }
            XCTAssertEqual(position, expected, text)
            XCTAssertFalse(reason.isEmpty)
        }
    }

    func testAMessageSaysWhatAndWhere() {
        XCTAssertEqual(
            failure(try PathTemplate("a/{b"))?.message,
            "path template \"a/{b\", byte 2: \"{\" without \"}\"")
    }
}
