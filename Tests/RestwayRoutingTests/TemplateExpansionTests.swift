import RestwayText
import XCTest

@testable import RestwayRouting

final class TemplateExpansionTests: XCTestCase {
    func testValuesAreEncodedPerSegment() throws {
        let text = try PathTemplate("/a/:b/").expand(with: ["b": "x/y ?#%é~"])
        XCTAssertEqual(text, "/a/x%2Fy%20%3F%23%25%C3%A9~/")
    }

    func testExpandThenMatchGivesTheValuesBack() throws {
        let template = try PathTemplate("a/:b/{c}.json{?q}")
        let values = ["b": "x/y%2F", "c": "..é.json"]
        XCTAssertEqual(template.match(try template.expand(with: values)), values)
    }

    func testDataInAReservedExpressionCannotEndThePath() throws {
        for (value, path) in [
            ("a#b", "a%23b"), ("a?b", "a%3Fb"), ("a%62", "a%2562"), ("a/b", "a/b"), ("é", "%C3%A9"),
        ] {
            let template = try PathTemplate("things/{+id}")
            let expanded = try template.expand(isData: { $0 == "id" }, { _ in .string(value) })
            XCTAssertEqual(expanded, "things/" + path)
            XCTAssertEqual(template.values(in: expanded), ["id": value])
            // The program's own text may have a query.
            XCTAssertEqual(
                try template.expand(with: ["id": "a?b#c%62"]), "things/a?b#c%62")
        }
        XCTAssertEqual(
            try PathTemplate("x{#a}{+b:2}").expand(
                isData: { _ in true }, { $0 == "a" ? .list(["?", "#"]) : .string("%41") }),
            "x#%3F,%23%254")
    }

    func testAPathTellsTheValueOfAnExpressionAtItsEnd() throws {
        func values(_ template: String, _ path: String) throws -> [String: String]? {
            try PathTemplate(template).values(in: path)
        }
        XCTAssertEqual(try values("things{/id}", "/things/a%2Fb"), ["id": "a/b"])
        XCTAssertNil(try values("things{/id}", "things/a/b"))
        XCTAssertNil(try values("things{/id}", "things"))
        XCTAssertEqual(try values("b/:b/{+id}{?q}", "b/1/x/y?q=2"), ["b": "1", "id": "x/y"])
        XCTAssertEqual(try values("{+id}", "/x/y"), ["id": "x/y"])
        XCTAssertNil(try values("things/{+id}", "others/a"))
        XCTAssertNil(try values("things-{+id}", "things-a"))
        XCTAssertNil(try values("things{/id*}", "things/a"))
        XCTAssertEqual(try values("things/:id", "things/a%2Fb"), ["id": "a/b"])
    }

    func testTheLastSegmentOfAPathHasVariables() throws {
        for (template, ends) in [
            ("a/:id", true), ("a/:id/", true), ("a/{id}{?q}", true), ("a{/b,id}", true),
            ("a/{+id}", true), ("a/:id\\.json", true), ("a/:id/b", false), ("a{/id,b}", false),
            ("a/b{?id}", false), ("a/:id/valid", false),
        ] {
            XCTAssertEqual(try PathTemplate(template).endsWith(variable: "id"), ends, template)
        }
    }

    func testAMissingVariableIsNamed() throws {
        for text in ["a/:id", "a/{id}", "a/{id:3}", "a?q={id}"] {
            XCTAssertEqual(
                failure(try PathTemplate(text).expand { _ in nil }),
                .missingVariable(name: "id", template: text))
        }
        XCTAssertEqual(
            failure(try PathTemplate("a/{id}").expand { _ in .list([]) }),
            .missingVariable(name: "id", template: "a/{id}"))
        XCTAssertEqual(try PathTemplate("a{/b}{?c,d}").expand { _ in nil }, "a")
    }

    func testAWholeSegmentIsNeverEmptyOrDots() throws {
        for value in ["", ".", ".."] {
            for text in ["a/:id", ":id/b", "a/{id}{?q}", "a/{id}?b", "{id}"] {
                guard
                    case .unusableVariable(name: "id", template: text, _)? = failure(
                        try PathTemplate(text).expand { $0 == "id" ? .string(value) : nil })
                else {
                    XCTFail("\(text) \(value)")
                    continue
                }
            }
        }
    }

    func testDotsMadeOfSeveralPiecesAreRefused() throws {
        for text in [".{a}", "{a}{a}", "x/{+b}/y", "{.c}", "{/d}", "x/{+e}"] {
            let values = ["a": ".", "b": "u/../v", "c": "", "d": "..", "e": "%2e%2E"]
            guard case .unusableVariable? = failure(try PathTemplate(text).expand(with: values))
            else {
                XCTFail(text)
                continue
            }
        }
    }

    func testDotsInALongerSegmentAndInAQueryAreFine() throws {
        let values = ["a": "..", "b": ""]
        XCTAssertEqual(
            try PathTemplate("x{a}/y{b}/z?q={a}&r={b}").expand(with: values), "x../y/z?q=..&r=")
        XCTAssertEqual(try PathTemplate("x/..{?a}").expand(with: values), "x/..?a=..")
    }

    func testAListCannotStandWhereANameStands() throws {
        guard
            case .unusableVariable(name: "b", template: "a/:b", _)? = failure(
                try PathTemplate("a/:b").expand { _ in .list(["1"]) })
        else { return XCTFail("accepted") }
    }

    func testTheFirstVariableOfAnAbsolutePathIsPutInAsItIs() throws {
        func expand(_ text: String, _ base: String) throws -> String {
            try PathTemplate(text).expand(absolute: true) { .string($0 == "id" ? "x/y" : base) }
        }
        XCTAssertEqual(
            try expand(":baseURL/status/:id", "https://h:1/v2"), "https://h:1/v2/status/x%2Fy")
        XCTAssertEqual(try expand("{baseURL}/status", "https://h/"), "https://h/status")
        XCTAssertEqual(try expand("https://h/:id", ""), "https://h/x%2Fy")
        XCTAssertEqual(try PathTemplate(":u/a").expand(with: ["u": "http://h"]), "http%3A%2F%2Fh/a")
        for base in ["https://h/?q", "https://h/#f", "https://h/a/../b", "", "https://h/\n"] {
            guard case .unusableVariable? = failure(try expand(":baseURL/status", base)) else {
                XCTFail(base)
                continue
            }
        }
    }

    func testJoiningPutsTheChildBehindTheParent() throws {
        func join(_ parent: String, _ child: String) throws -> String {
            try PathTemplate(parent).joining(PathTemplate(child)).text
        }
        XCTAssertEqual(
            try join("products/:productID/", "/reviews/:reviewID"),
            "products/:productID/reviews/:reviewID")
        XCTAssertEqual(try join("", "a"), "a")
        XCTAssertEqual(try join("a", "/"), "a")
        XCTAssertEqual(try join("a", "{?q}"), "a{?q}")
        XCTAssertEqual(try join("a/", "{/q}"), "a{/q}")
        guard
            case .invalidTemplate("a/:id/b/:id", 6, let reason)? = failure(
                try join("a/:id", "b/:id"))
        else { return XCTFail("accepted") }
        XCTAssertTrue(reason.contains("\"id\""))
        guard case .invalidTemplate? = failure(try join("a{?q}", "b")) else {
            return XCTFail("accepted")
        }
    }
}
