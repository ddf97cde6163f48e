import RestwayJSON
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayDocument
@testable import RestwayOutcome

final class APIErrorTests: XCTestCase {
    private func read(
        _ text: String, type: String? = nil, format: ErrorDefinition.Format? = nil,
        code: [String]? = nil, message: [String]? = nil, details: ErrorDefinition.List? = nil
    ) -> APIError {
        APIError(
            body: Body(Array(text.utf8)), mediaType: type,
            ErrorDefinition(code: code, message: message, details: details, format: format),
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
                error.details.map(\.path), ["/data/attributes/password", "sort", ""])
            XCTAssertEqual(error.details.map(\.message), ["Too short", "Unknown parameter", ""])
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

    func testAListOfErrorsWithoutEndIsCutOff() {
        let errors = Array(repeating: #"{"detail": "x"}"#, count: 500).joined(separator: ",")
        XCTAssertEqual(read("{\"errors\": [\(errors)]}", format: .jsonapi).details.count, 100)
        XCTAssertEqual(
            read(
                "{\"errors\": [\(errors)]}",
                details: .init(place: ["errors"], message: ["detail"])
            ).details.count, 100)
    }
}
