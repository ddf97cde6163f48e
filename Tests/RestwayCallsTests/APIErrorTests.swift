import RestwayJSON
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayDocument
@testable import RestwayOutcome

final class APIErrorTests: XCTestCase {
    private func read(
        _ text: String, type: String? = nil, format: ErrorDefinition.Format? = nil,
        code: [String]? = nil, message: [String]? = nil, details: ErrorDefinition.List? = nil,
        field: [String]? = nil
    ) -> APIError {
        APIError(
            body: Body(Array(text.utf8)), mediaType: type,
            ErrorDefinition(
                code: code, message: message, details: details, field: field, format: format),
            read: { try? JSONValue.parse($0, .init(keepsNULInKeys: true)) })
    }

    func testJSONAPIErrorsAreDetailsAndTheFirstSpeaksForAll() {
        let text = """
            {"errors": [
              {"code": "226", "status": "422", "title": "Invalid", "detail": "Too short",
               "source": {"pointer": "/data/attributes/password"}},
              {"title": "Unknown parameter", "source": {"parameter": "sort"}},
              7, {}]}
            """
        for error in [
            read(text, format: .jsonapi),
            read(text, type: "application/vnd.api+json; ext=\"a\""),
        ] {
            XCTAssertEqual(error.code, "226")
            XCTAssertEqual(error.message, "Too short")
            XCTAssertEqual(
                error.details.map(\.path), ["password", "sort", ""])
            XCTAssertEqual(error.details.map(\.message), ["Too short", "Unknown parameter", "7"])
        }
        XCTAssertNil(read(text, type: "application/json").code)
    }

    func testProblemDetailsHaveATypeAndADetailOrATitle() {
        let text = """
            {"type": "https://example.com/probs/out-of-credit", "title": "No credit",
             "detail": "Your balance is 30", "status": 403}
            """
        for error in [
            read(text, format: .problem), read(text, type: "Application/Problem+JSON"),
        ] {
            XCTAssertEqual(error.code, "https://example.com/probs/out-of-credit")
            XCTAssertEqual(error.message, "Your balance is 30")
            XCTAssertEqual(error.details, [])
        }
        let plain = read(#"{"type": "about:blank", "title": "Not Found"}"#, format: .problem)
        XCTAssertNil(plain.code)
        XCTAssertEqual(plain.message, "Not Found")
    }

    func testKeyPathsOfTheDocumentStandOverAFormat() {
        let error = read(
            #"{"type": "a:b", "title": "T", "extra": {"number": 7}}"#, format: .problem,
            code: ["extra", "number"], message: ["missing"])
        XCTAssertEqual(error.code, "7")
        XCTAssertEqual(error.message, "T")
    }

    func testAKeyThatHoldsANULHidesNoError() {
        let error = read(
            #"{"a\u0000":1,"code":"c\u0000","text":"down"}"#, code: ["code"], message: ["text"])
        XCTAssertEqual(error.code, "c\0")
        XCTAssertEqual(error.message, "down")
    }

    private static let list = ErrorDefinition.List(
        place: ["errors"], field: ["field"], code: ["code"], message: ["message"])

    func testAListOfProblemsBecomesDetails() {
        let error = read(
            """
            {"message": "Invalid", "errors": [
              {"field": "title", "code": "missing", "message": "is missing"},
              {"field": ["body", "age"], "code": 7}, "too late", {"other": 1}, null, {}]}
            """, message: ["message"], details: Self.list)
        XCTAssertEqual(error.message, "Invalid")
        XCTAssertNil(error.code)
        XCTAssertTrue(error.isFound)
        XCTAssertEqual(
            error.details,
            [
                .init(path: "title", message: "is missing", code: "missing"),
                .init(path: "body.age", message: "7", code: "7"),
                .init(path: "", message: "too late"),
                .init(path: "[3].other", message: "1"),
            ])
    }

    func testAnObjectHasTheProblemsOfEachFieldUnderItsName() {
        let error = read(
            """
            {"errors": {"title": ["is missing", {"code": "short"}], "age": "is negative",
                        "none": [], "deep": {"message": "odd", "field": "deep.er"}}}
            """, details: Self.list)
        XCTAssertEqual(error.details.map(\.path), ["title", "title", "age", "deep.er"])
        XCTAssertEqual(
            error.details.map(\.message), ["is missing", "short", "is negative", "odd"])
        XCTAssertEqual(error.details.map(\.code), [nil, "short", nil, nil])
    }

    func testAListOfTheDocumentStandsOverAFormat() {
        let text = #"{"errors": [{"detail": "a"}], "mine": [{"message": "b"}]}"#
        var list = Self.list
        list.place = ["mine"]
        XCTAssertEqual(
            read(text, format: .jsonapi, details: list).details.map(\.message), ["b"])
        list.place = ["missing"]
        XCTAssertEqual(
            read(text, format: .jsonapi, details: list).details.map(\.message), ["a"])
    }

    func testABodyOfAnyShapeIsTolerated() {
        let shapes = [
            "", "x", "null", "[]", "{}", "7", "\"e\"", "{", #"{"errors": {}}"#, #"{"errors": []}"#,
            #"{"errors": [null]}"#, #"{"errors": [{"source": 7, "detail": []}]}"#,
            #"{"type": {}, "detail": [1]}"#, #"{"code": {"a": 1}}"#, "\u{0}",
        ]
        for text in shapes {
            for format in [nil] + ErrorDefinition.Format.allCases {
                let error = read(
                    text, format: format, code: ["code"], message: ["a", "b"], details: Self.list)
                XCTAssertNil(error.code, text)
                XCTAssertNil(error.message, text)
            }
        }
    }

    func testAListOfErrorsWithoutEndIsCutOffAndSaysSo() {
        let errors = Array(repeating: #"{"detail": "x"}"#, count: 500).joined(separator: ",")
        for error in [
            read("{\"errors\": [\(errors)]}", format: .jsonapi),
            read(
                "{\"errors\": [\(errors)]}",
                details: .init(place: ["errors"], message: ["detail"])),
        ] {
            XCTAssertEqual(error.details.count, 101)
            XCTAssertEqual(error.details[99].message, "x")
            XCTAssertEqual(error.details[100].message, "(and 400 more)")
        }
    }

    /// Returns the details as lines: the path, the message and the code.
    private func lines(_ error: APIError) -> [String] {
        error.details.map { detail in
            [detail.path, detail.message, detail.code].compactMap { $0 }.joined(separator: ": ")
        }
    }

    private static let body = ErrorDefinition.List(place: [], message: ["detail"])

    func testTheBodyMayBeTheMapOfTheFields() {
        let error = read(
            """
            {"detail": "Invalid", "name": ["blank"], "email": ["odd", "long"], "lines": [{},
             {"quantity": ["small"]}], "non_field_errors": ["late"], "seen": null}
            """, message: ["detail"], details: Self.body)
        XCTAssertEqual(error.message, "Invalid")
        XCTAssertEqual(
            lines(error),
            [
                "name: blank", "email: odd", "email: long", "lines[1].quantity: small",
                "non_field_errors: late",
            ])
        let named = read(
            #"{"detail": {"detail": "odd", "name": "blank"}}"#, message: ["detail"],
            details: Self.body)
        XCTAssertNil(named.message)
        XCTAssertEqual(lines(named), ["detail: odd"])
    }

    func testTheBodyMayBeTheList() {
        XCTAssertEqual(lines(read(#"["a", "b"]"#, details: Self.body)), [": a", ": b"])
        XCTAssertEqual(
            lines(read(#"[{}, {"name": ["blank"]}]"#, details: Self.body)), ["[1].name: blank"])
        let text = read(#""Try later""#, details: Self.body)
        XCTAssertEqual(text.message, "Try later")
        XCTAssertEqual(text.details, [])
    }

    func testNestedFieldsHavePaths() {
        let bodies = [
            #"{"errors": {"lines": {"1": {"quantity": ["small"]}}}}"#,
            #"{"errors": {"lines.1.quantity": ["small"]}}"#,
            #"{"errors": {"lines[1].quantity": "small"}}"#,
            #"{"errors": {"lines": [{}, {"quantity": [["small"]]}]}}"#,
            #"{"errors": [{"field": ["lines", 1, "quantity"], "message": "small"}]}"#,
            #"{"errors": [{"field": "/lines/1/quantity", "message": "small"}]}"#,
            ##"{"errors": [{"field": "#/lines/1/quantity", "message": "small"}]}"##,
            #"{"errors": {"lines": [{}, {"quantity": {"message": "small"}}]}}"#,
        ]
        for body in bodies {
            XCTAssertEqual(
                lines(read(body, details: Self.list)), ["lines[1].quantity: small"], body)
        }
    }

    func testATextInPlaceOfTheListIsTheMessage() {
        let list = ErrorDefinition.List(place: ["detail"], field: ["loc"], message: ["msg"])
        let error = read(#"{"detail": "Not found"}"#, details: list)
        XCTAssertEqual(error.message, "Not found")
        XCTAssertEqual(error.details, [])
        let both = read(#"{"m": "a", "detail": "b"}"#, message: ["m"], details: list)
        XCTAssertEqual(both.message, "a")
    }

    func testAKeyPathMayLeadToAnElementOfAnArray() {
        let error = read(
            #"{"errors": [{"code": "E1", "text": "first"}, {"code": "E2"}]}"#,
            code: ["errors", "0", "code"], message: ["errors", "0", "text"])
        XCTAssertEqual(error.code, "E1")
        XCTAssertEqual(error.message, "first")
        XCTAssertNil(read(#"{"errors": []}"#, code: ["errors", "0", "code"]).code)
        XCTAssertNil(read(#"{"errors": ["a"]}"#, code: ["errors", "-1"]).code)
    }

    func testPointersOfJSONAPIGiveTheNamesOfAttributesAndRelationships() {
        let paths = [
            "/data/attributes/title": "title", "/data/attributes/lines/1/quantity":
                "lines[1].quantity", "/data/relationships/author": "author",
            "/data/relationships/tags/data/0": "tags[0]", "/data/2/attributes/title": "[2].title",
            "/data": "", "/data/id": "id", "/included/0/attributes/name":
                "included[0].attributes.name", "/data/attributes/a~1b~0c": "a/b~c", "": "",
        ]
        for (pointer, path) in paths {
            let error = read(
                #"{"errors": [{"detail": "odd", "source": {"pointer": "\#(pointer)"}}]}"#,
                format: .jsonapi)
            XCTAssertEqual(error.details, [.init(path: path, message: "odd")], pointer)
        }
    }

    func testOneFieldStandsBesideTheMessage() {
        func params(_ text: String, _ more: String = "") -> [String] {
            lines(
                read(
                    #"{"code": "bad", "message": "Odd", "data": {"params": \#(text)}\#(more)}"#,
                    code: ["code"], message: ["message"],
                    details: .init(
                        place: ["more"], field: ["data", "params"], code: ["code"],
                        message: ["message"]), field: ["data", "params"]))
        }
        XCTAssertEqual(params(#""status""#), ["status: Odd: bad"])
        XCTAssertEqual(params(#"["status", "title"]"#), ["status: Odd: bad", "title: Odd: bad"])
        XCTAssertEqual(params(#"{"status": "Not a text."}"#), ["status: Not a text.: bad"])
        XCTAssertEqual(params("null"), [])
        XCTAssertEqual(
            params(
                #"{"a": "x"}"#,
                #", "more": [{"code": "c", "message": "m", "data": {"params": {"b": "y"}}}]"#),
            ["b: y: c", "a: x: bad"])
    }

    func testProblemsThatAreNestedWithoutEndAreCutOff() {
        let text =
            String(repeating: #"{"a":"#, count: 900) + "1" + String(repeating: "}", count: 900)
        let details = read("{\"errors\": \(text)}", details: .init(place: ["errors"])).details
        XCTAssertEqual(
            details.map(\.message), ["the problems are nested too deeply to be read"])
    }

    func testWithoutAMessageTheFirstProblemIsTheSummary() {
        XCTAssertEqual(
            read(#"{"name": ["blank", "short"]}"#, details: Self.body).summary,
            "name: blank (and 1 more)")
        XCTAssertEqual(
            read(#"{"detail": "Odd", "name": "x"}"#, message: ["detail"], details: Self.body)
                .summary, "Odd")
        XCTAssertNil(read("{}", details: Self.body).summary)
    }
}
