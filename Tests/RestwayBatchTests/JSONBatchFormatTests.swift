import RestwayCalls
import RestwayHTTP
import XCTest

@testable import RestwayBatch

/// Tests the body of a batch, and how its answers are read.
final class JSONBatchFormatTests: XCTestCase {
    private let format = JSONBatchFormat()

    private func text(_ items: [BatchItem]) throws -> String {
        let body = try format.encode(items)
        XCTAssertEqual(body.mediaType, "application/json")
        return String(decoding: body.bytes, as: UTF8.self)
    }

    private func results(
        _ text: String, count: Int
    ) throws -> [Result<BatchAnswer, BatchError>] {
        try format.answers(
            BatchBody(Array(text.utf8), mediaType: "application/json"), count: count)
    }

    private func answers(_ text: String, count: Int = 1) throws -> [BatchAnswer] {
        try results(text, count: count).map { try $0.get() }
    }

    /// Returns the error of the whole text or, without one, the first error of an answer.
    private func refusal(_ text: String, count: Int = 1) -> BatchError? {
        do {
            _ = try answers(text, count: count)
            return nil
        } catch {
            return error as? BatchError
        }
    }

    func testARequestHasABodyAndHeadersOnlyWhenItHasSome() throws {
        XCTAssertEqual(
            try text([BatchItem(method: "GET", uri: "/companies?page=2")]),
            #"{"batch":[{"method":"GET","uri":"/companies?page=2"}]}"#)
        let post = BatchItem(
            method: "POST", uri: "/companies",
            headers: [HeaderField(name: "Content-Type", value: "application/json")],
            body: Array(#"{"name":"é\"x"}"#.utf8))
        XCTAssertEqual(
            try text([BatchItem(method: "DELETE", uri: "/companies/7"), post]),
            #"{"batch":[{"method":"DELETE","uri":"/companies/7"},"#
                + #"{"method":"POST","uri":"/companies","body":"{\"name\":\"é\\\"x\"}","#
                + #""headers":{"Content-Type":"application/json"}}]}"#)
    }

    func testHeadersOfOneNameBecomeOne() throws {
        let item = BatchItem(
            method: "GET", uri: "/",
            headers: [
                HeaderField(name: "X-Tag", value: "a"), HeaderField(name: "Accept", value: "*/*"),
                HeaderField(name: "x-tag", value: "b"),
            ])
        XCTAssertEqual(
            try text([item]),
            #"{"batch":[{"method":"GET","uri":"/","headers":{"X-Tag":"a, b","Accept":"*/*"}}]}"#)
    }

    func testABodyThatIsNoTextIsRefused() {
        let item = BatchItem(method: "PUT", uri: "/", body: [0xFF, 0xFE])
        XCTAssertThrowsError(try format.encode([BatchItem(method: "GET", uri: "/"), item])) {
            XCTAssertEqual(
                $0 as? BatchError, BatchError("the body of request 1 is not text in UTF-8"))
        }
        XCTAssertFalse(format.takesBinaryBodies)
    }

    func testAnswersByPosition() throws {
        let found = try answers(
            #"""
            [{"code": 200, "body": "{\"id\":1}", "headers": {"Content-Type": "application/json"}},
             {"code": 404, "body": null, "headers": null}, {"code": 599}, {"code": 204, "x": []}]
            """#, count: 4)
        XCTAssertEqual(
            found,
            [
                BatchAnswer(
                    code: 200,
                    headers: [HeaderField(name: "Content-Type", value: "application/json")],
                    body: Array(#"{"id":1}"#.utf8)),
                BatchAnswer(code: 404), BatchAnswer(code: 599), BatchAnswer(code: 204),
            ])
    }

    func testAnswersThatRepeatEachOtherAreAllThere() throws {
        let taken = #"{"code": 200, "body": "]\",{"}"#
        let other = #"{"code":201,"headers":{"A":"b"}}"#
        let first = BatchAnswer(code: 200, body: Array(#"]",{"#.utf8))
        let second = BatchAnswer(code: 201, headers: [HeaderField(name: "A", value: "b")])
        for text in [
            " [\(taken),\(taken),\(other),\(other),\(taken)]\n",
            "[\(taken) ,\(taken) ,\n\(other),\n\(other),\n\(taken)]",
        ] {
            XCTAssertEqual(
                try answers(text, count: 5), [first, first, second, second, first], text)
        }
    }

    /// The result is the same as if each answer had been parsed by itself.
    func testWhatIsWrongAmongRepeatedAnswersIsNamed() {
        let one = #"{"code":200}"#
        let cases: [(String, String)] = [
            ("[\(one),\(one),\(one)", "the answer is no JSON"),
            ("[\(one),\(one),\(one)] x", "the answer is no JSON"),
            ("[\(one),\(one),\(one)}", "the answer is no JSON"),
            ("[\(one),\(one),\(one),]", "the answer is no JSON"),
            ("[\(one),\(one),\(one)x]", "the answer is no JSON"),
            ("[\(one),\(one),{\"code\":1,},[}]", "the answer is no JSON"),
            ("[\(one),\(one),{}]", "[2] has no code"),
            ("[{},{},{}]", "[0] has no code"),
            ("[\(one),\(one),\(one),\(one)]", "4 answers came for 3 requests"),
            ("[\(one),\(one)]", "2 answers came for 3 requests"),
            ("{\(one),\(one),\(one)}", "the answer is no JSON"),
            ("[" + String(repeating: "{\"code\":1,},", count: 2) + "]", "the answer is no JSON"),
        ]
        for (text, message) in cases {
            let error = refusal(text, count: 3)
            XCTAssertTrue(error?.message.hasPrefix(message) ?? false, "\(text): \(error as Any)")
        }
    }

    /// Nothing is guessed: each of these is an error that says what is wrong and where.
    func testAnswersOfAnotherShapeAreRefused() {
        let cases: [(String, String, String?)] = [
            ("", "the answer is no JSON", nil), ("{", "the answer is no JSON", nil),
            ("[{\"code\":200}", "the answer is no JSON", nil),
            ("[{\"code\":200}] x", "the answer is no JSON", nil),
            ("null", "the answer is null, not an array", nil),
            ("\"x\"", "the answer is a string, not an array", nil),
            (#"{"batch": [{"code": 200}]}"#, "the answer is an object, not an array", nil),
            ("[]", "0 answers came for 1 requests", nil),
            (#"[{"code": 200}, {"code": 200}]"#, "2 answers came for 1 requests", nil),
            ("[null]", "[0] is null: the server has not answered the request", "[0]"),
            ("[200]", "[0] is a whole number, not an object", "[0]"),
            ("[[200]]", "[0] is an array, not an object", "[0]"),
            ("[{}]", "[0] has no code", "[0].code"),
            (#"[{"code": null}]"#, "[0].code is null, not a whole number", "[0].code"),
            (#"[{"code": "20"}]"#, "[0].code is a string, not a whole number", "[0].code"),
            (#"[{"code": "OK"}]"#, "[0].code is a string, not a whole number", "[0].code"),
            (#"[{"code": 200.0}]"#, "[0].code is a number with a fraction", "[0].code"),
            (#"[{"code": true}]"#, "[0].code is a boolean", "[0].code"),
            (#"[{"code": 0}]"#, "[0].code is 0, which is not between 200 and 599", "[0].code"),
            (#"[{"code": 100}]"#, "[0].code is 100", "[0].code"),
            (#"[{"code": 600}]"#, "[0].code is 600", "[0].code"),
            (#"[{"code": -200}]"#, "[0].code is -200", "[0].code"),
            (#"[{"code": 9223372036854775807}]"#, "[0].code is 9223372036854775807", "[0].code"),
            (#"[{"code": 1e400}]"#, "the answer is no JSON", nil),
        ]
        for (text, message, field) in cases {
            let error = refusal(text)
            XCTAssertTrue(error?.message.hasPrefix(message) ?? false, "\(text): \(error as Any)")
            XCTAssertEqual(error?.field, field, text)
        }
    }

    func testASecondAnswerThatIsWrongIsNamed() {
        XCTAssertEqual(refusal(#"[{"code": 200}, {"code": 1}]"#, count: 2)?.field, "[1].code")
    }

    /// The server may have carried out the other requests, so their answers count.
    func testAnAnswerThatIsWrongFailsItsRequestAlone() throws {
        for wrong in ["null", "7", "[]", "{}", #"{"code": 99}"#, #"{"code": []}"#] {
            let found = try results(#"[{"code": 200}, \#(wrong), {"code": 404}]"#, count: 3)
            XCTAssertEqual(try found[0].get(), BatchAnswer(code: 200), wrong)
            XCTAssertThrowsError(try found[1].get(), wrong)
            XCTAssertEqual(try found[2].get(), BatchAnswer(code: 404), wrong)
        }
    }

    func testACodeMayBeAText() throws {
        XCTAssertEqual(
            try answers(#"[{"code": "200"}, {"code": "404 Not Found"}]"#, count: 2),
            [BatchAnswer(code: 200), BatchAnswer(code: 404)])
    }

    func testABodyMayBeAnyJSONValue() throws {
        let bodies = [#"{"id":1}"#, "[1,2]", "7", "true"]
        for body in bodies {
            let answer = try answers(#"[{"code": 200, "body": \#(body)}]"#)[0]
            XCTAssertEqual(String(decoding: answer.body, as: UTF8.self), body)
            XCTAssertEqual(
                answer.headers, [HeaderField(name: "Content-Type", value: "application/json")])
        }
        let typed = #"[{"code": 200, "headers": {"content-type": "text/x"}, "body": 1}]"#
        XCTAssertEqual(
            try answers(typed)[0].headers, [HeaderField(name: "content-type", value: "text/x")])
    }

    func testHeadersMayBeAListAndHaveOtherValues() throws {
        func headers(_ text: String) throws -> [String] {
            try answers(#"[{"code": 200, "headers": \#(text)}]"#)[0].headers
                .map { "\($0.name): \($0.value)" }
        }
        XCTAssertEqual(
            try headers(#"[{"name": "A", "value": "b"}, ["C", "d"], {"name": "E", "value": 1}]"#),
            ["A: b", "C: d", "E: 1"])
        XCTAssertEqual(
            try headers(#"{"A": 3, "B": true, "C": ["x", "y"], "D": null, "E": {}}"#),
            ["A: 3", "B: true", "C: x", "C: y"])
        // No header can have these.
        XCTAssertEqual(
            try headers(#"{"A B": "x", "": "y", "C": "x\r\nD: y", "E": "z"}"#), ["E: z"])
        for odd in ["[]", "7", #""x""#, "[7, [], [1, 2], {}]"] {
            XCTAssertEqual(try headers(odd), [], odd)
        }
        // White space at the ends of a value is no part of it.
        XCTAssertEqual(
            try headers(#"{"A": "a; ", "B": "\tb", "C": " ", "D": ["d ", " e f "]}"#),
            ["A: a;", "B: b", "C: ", "D: d", "D: e f"])
    }

    /// Each request has been answered, whatever can be read of the answer.
    func testAListOfAnswersThatCannotBeReadFailsEachRequestAlone() throws {
        for text in ["[{}, {}]", #"[{"code": 1}, 7]"#, #" [{"code": 200}, {"code": "#] {
            for result in try results(text, count: 2) {
                guard case .failure(let error) = result else { return XCTFail(text) }
                XCTAssertFalse(error.isMissing, text)
            }
        }
        XCTAssertThrowsError(try results("{}", count: 2))
        XCTAssertThrowsError(try results(#"[{"code": 200}]"#, count: 2))
    }

    func testNoValueStandsInAnErrorMessage() {
        for text in [#"[{"code": "s3cret"}]"#, #"["s3cret"]"#, "s3cret", #"[{"code":200}s3cret"#] {
            let message = refusal(text)?.message ?? "s3cret"
            XCTAssertFalse(message.contains("s3cret"), text)
        }
    }

    /// An error of a batch format of the program.
    func testAnotherFormatIsHeldToItsCounts() throws {
        struct Format: BatchFormat {
            let decoded: [Result<BatchAnswer, BatchError>]
            var takesBinaryBodies: Bool { true }
            func encode(_ items: [BatchItem]) throws(BatchError) -> BatchBody {
                BatchBody([], mediaType: nil)
            }
            func decode(
                _ body: BatchBody, count: Int
            ) throws(BatchError) -> [Result<BatchAnswer, BatchError>] { decoded }
        }
        let body = BatchBody([], mediaType: nil)
        XCTAssertThrowsError(try Format(decoded: []).answers(body, count: 1)) {
            XCTAssertEqual(
                ($0 as? BatchError)?.message, "0 answers came for 1 requests")
        }
        let codes = Format(decoded: [199, 200].map { .success(BatchAnswer(code: $0)) })
        let found = try codes.answers(body, count: 2)
        XCTAssertThrowsError(try found[0].get()) {
            XCTAssertEqual(($0 as? BatchError)?.field, "[0].code")
        }
        XCTAssertEqual(try found[1].get().code, 200)
    }
}
