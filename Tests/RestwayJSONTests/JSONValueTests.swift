import RestwayJSON
import XCTest

final class JSONValueTests: XCTestCase {
    private func parse(
        _ text: String, _ options: JSONValue.ParseOptions = .init()
    ) throws -> JSONValue {
        try JSONValue.parse(text, options)
    }

    private func text(_ value: JSONValue) -> String {
        String(decoding: value.text(), as: UTF8.self)
    }

    func testEveryKindIsReadAndWrittenBack() throws {
        let source = #"{"a":[null,true,false,-7,2.5,"é\u0000\n"],"b":{}}"#
        let value = try parse(source)
        XCTAssertEqual(value.kind, .object)
        let elements = try XCTUnwrap(value["a"]?.elements)
        XCTAssertEqual(
            elements.map(\.kind), [.null, .boolean, .boolean, .integer, .real, .string])
        XCTAssertEqual(elements[1].bool, true)
        XCTAssertEqual(elements[3].integer, -7)
        XCTAssertEqual(elements[4].double, 2.5)
        XCTAssertEqual(elements[5].string, "é\u{0}\n")
        XCTAssertEqual(text(value), source)
    }

    func testMembersKeepTheOrderOfTheText() throws {
        let value = try parse(#"{"z":1,"a":2,"m":3}"#)
        XCTAssertEqual(value.members?.map(\.key), ["z", "a", "m"])
    }

    func testTopLevelScalarsAndAByteOrderMarkAreFine() throws {
        XCTAssertEqual(try parse("42").integer, 42)
        XCTAssertEqual(try parse("\u{FEFF}\"x\"").string, "x")
    }

    func testAnErrorSaysWhereAndNeverQuotesTheText() {
        XCTAssertThrowsError(try parse("{\n  \"token\": secret\n}")) { error in
            guard case JSONError.malformed(let line, _, _, _)? = error as? JSONError else {
                return XCTFail("\(error)")
            }
            XCTAssertEqual(line, 2)
            let message = (error as? JSONError)?.message ?? ""
            XCTAssertFalse(message.contains("secret"), message)
        }
    }

    func testEmptyTextIsAnErrorOfItsOwn() {
        XCTAssertThrowsError(try parse("")) { XCTAssertEqual($0 as? JSONError, .empty) }
    }

    func testNestingBeyondTheParserIsRefused() {
        let text = String(repeating: "[", count: 100_000)
        XCTAssertThrowsError(try parse(text)) {
            XCTAssertEqual($0 as? JSONError, .tooDeep(max: 2_048))
        }
    }

    func testDuplicateKeysAreAnErrorWhereThatIsAsked() throws {
        let text = #"{"a": 1, "a": 2}"#
        XCTAssertEqual(try parse(text)["a"]?.integer, 2)
        XCTAssertThrowsError(try parse(text, .init(rejectsDuplicateKeys: true)))
    }

    func testANULIsRefusedWhereverItStands() {
        for text in ["1\u{0}", "[1\u{0},2]", "[true\u{0}]", "{\"a\":1.5\u{0}}", "[1]\u{0}"] {
            XCTAssertThrowsError(try parse(text), text)
        }
        XCTAssertThrowsError(try parse("[1,\n 2\u{0}]")) {
            XCTAssertEqual(
                $0 as? JSONError,
                .malformed(line: 2, column: 3, byteOffset: 6, reason: "NUL byte"))
        }
    }

    func testInvalidUTF8IsRefused() {
        let bytes: [UInt8] = [0x22, 0xFF, 0x22]
        XCTAssertThrowsError(try bytes.withUnsafeBytes { try JSONValue.parse($0) })
    }

    func testADoubleHasTheShortestTextThatReadsBack() throws {
        let texts = [
            (0.1, "0.1"), (19.99, "19.99"), (1e-7, "1e-7"), (1e16, "1e16"), (-0.0, "-0.0"),
            (5, "5.0"), (5e-324, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e308"),
            (-1.25e-10, "-1.25e-10"), (123_456_789.125, "123456789.125"),
        ] as [(Double, String)]
        for (number, expected) in texts {
            XCTAssertEqual(text(try XCTUnwrap(JSONValue.real(number))), expected)
            var direct = JSONText(capacity: 8)
            direct.append(real: number)
            XCTAssertEqual(String(decoding: direct.bytes, as: UTF8.self), expected)
            XCTAssertEqual(try parse(expected).double, number)
        }
        let del = "\u{7F}"
        let nested = #"{"b":[0.1,{"a":1.1,"":"\u001F/\#(del)"}],"a":null}"#
        XCTAssertEqual(text(try parse(nested)), nested)
        XCTAssertEqual(
            String(decoding: try parse(nested).text(sortsKeys: true), as: UTF8.self),
            #"{"a":null,"b":[0.1,{"":"\u001F/\#(del)","a":1.1}]}"#)
    }

    func testTheDigitsOfNumbersAreKeptWhereThatIsAsked() throws {
        let source = #"{"a":12345678901234567.89,"b":[1.10,1E5,-0.0,7],"c":"1.10","d":1e999}"#
        let value = try parse(source, .validJSON(keepsDigits: true))
        XCTAssertEqual(text(value), source)
        XCTAssertEqual(value["c"]?.string, "1.10")
        XCTAssertEqual(value.borrowedTree["a"]?.digits, "12345678901234567.89")
        XCTAssertThrowsError(try parse(#"{"a":1.5,"b":01}"#, .validJSON(keepsDigits: true))) {
            guard case .malformed(_, _, let byteOffset, _)? = $0 as? JSONError else {
                return XCTFail("\($0)")
            }
            XCTAssertEqual(byteOffset, 14, "the place in the text that was given")
        }
    }

    func testTextThatIsNotUnicodeIsRepairedWhereThatIsAsked() throws {
        let half = #"{"a":"x\ud83d","b":"\ud83d\ude00","c\udc00":"\ude00\\ud83d"}"#
        XCTAssertThrowsError(try parse(half))
        let value = try parse(half, .anyJSON)
        XCTAssertEqual(value["a"]?.string, "x\u{FFFD}")
        XCTAssertEqual(value["b"]?.string, "😀")
        XCTAssertEqual(value["c\u{FFFD}"]?.string, "\u{FFFD}\\ud83d")
        let bytes = Array("[\"".utf8) + [0xE9, 0x78] + Array("\",1]".utf8)
        let list = try bytes.withUnsafeBytes { try JSONValue.parse($0, .anyJSON) }
        XCTAssertEqual(list.elements?.first?.string, "\u{FFFD}x")
        XCTAssertThrowsError(try parse(#"["\ud83d",]"#, .anyJSON))
        let fine = Array(#"["\\ud83d","\u00e9","ä"]"#.utf8)
        XCTAssertNil(fine.withUnsafeBytes { RepairedText($0) })
    }

    func testNumbersOutOfRangeAreKeptAndWrittenBack() throws {
        let source = #"{"a":123456789012345678901234567890,"b":-1e999,"c":"99999999999999999999"}"#
        XCTAssertThrowsError(try parse(source))
        let value = try parse(source, .anyJSON)
        XCTAssertTrue(value.hasOutOfRangeNumbers)
        XCTAssertEqual(text(value), source)
        XCTAssertEqual(value["c"]?.string, "99999999999999999999")
    }

    func testKeysThatHoldANULAreReadInOrderWhereThatIsAsked() throws {
        let source =
            #"{"b\u0000":1,"b":2,"\u0000":{"\u0000\u0000":null,"#
            + #""\u0001":[{"x\u0000\"\\":"\u0000"}]},"#
            + #""\u00010":3,"n":99999999999999999999}"#
        XCTAssertThrowsError(try parse(source))
        let value = try parse(source, .anyJSON)
        XCTAssertEqual(text(value), source)
        XCTAssertEqual(value.members?.map(\.key), ["b\0", "b", "\0", "\u{1}0", "n"])
        XCTAssertEqual(value["b\0"]?.integer, 1)
        XCTAssertEqual(value["b"]?.integer, 2)
        XCTAssertNil(value["n\0"])
        let twice = try parse(#"{"\u0000":1,"\u0000":2}"#, .anyJSON)
        XCTAssertEqual(twice["\0"]?.integer, 2)
        for broken in [#"{"\u0000"}"#, #"{"\u0000":}"#, #"{"\u0000":1"#, #"{"\u0000\":1}"#] {
            XCTAssertThrowsError(try parse(broken, .anyJSON), broken)
        }
    }

    func testKeysWithANULAndNumbersOutOfRangeAreAskedForApart() throws {
        let keys = JSONValue.ParseOptions(keepsNULInKeys: true)
        let numbers = JSONValue.ParseOptions(keepsOutOfRangeNumbers: true)
        XCTAssertFalse(try parse(#"{"\u0000":1}"#, keys).hasOutOfRangeNumbers)
        XCTAssertThrowsError(try parse(#"{"\u0000":1}"#, numbers))
        for text in [#"{"\u0000":1e400}"#, #"{"n":1e400,"\u0000":1}"#, #"[{"\u0000":1},1e400]"#] {
            XCTAssertThrowsError(try parse(text, keys), text)
            XCTAssertThrowsError(try parse(text, numbers), text)
            XCTAssertNoThrow(try parse(text, .anyJSON), text)
        }
    }

    func testBoundaryIntegersAreInRange() throws {
        let source = "[9223372036854775807,-9223372036854775808]"
        let value = try parse(source, .anyJSON)
        XCTAssertFalse(value.hasOutOfRangeNumbers)
        XCTAssertEqual(value.elements?.map(\.integer), [.max, .min])
    }

    func testAMalformedTextWithABigNumberIsStillMalformed() {
        let options = JSONValue.ParseOptions.anyJSON
        XCTAssertThrowsError(try parse("[123456789012345678901234567890, 01]", options))
        XCTAssertThrowsError(try parse("[123456789012345678901234567890", options))
    }

    func testNumbersAreReadAndWrittenTheSameUnderAnyLocale() throws {
        let before = setlocale(LC_ALL, nil).map { String(cString: $0) }
        defer { setlocale(LC_ALL, before ?? "C") }
        let names = ["de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "it_IT.UTF-8"]
        guard names.contains(where: { setlocale(LC_ALL, $0) != nil }) else {
            throw XCTSkip("this system has no locale with a decimal comma")
        }
        XCTAssertEqual(try parse("2.5").double, 2.5)
        XCTAssertEqual(text(try parse("[2.5]")), "[2.5]")
    }

    func testTreesAreBuiltByHand() throws {
        XCTAssertNil(JSONValue.real(.infinity))
        let value = JSONValue.object([
            ("n", .null), ("b", .bool(true)), ("i", .integer(.min)),
            ("d", try XCTUnwrap(.real(0.1))), ("s", .string("")), ("t", .string("a\u{0}b")),
            ("l", .array([.integer(1), .string("ü")])), ("n", .integer(3)),
        ])
        XCTAssertEqual(
            text(value),
            #"{"n":3,"b":true,"i":-9223372036854775808,"d":0.1,"s":"","#
                + #""t":"a\u0000b","l":[1,"ü"]}"#)
    }

    func testAValueOutlivesItsTree() throws {
        var tree: JSONValue? = try parse(#"{"a": {"b": "deep"}}"#)
        let inner = try XCTUnwrap(tree?.value(atKeyPath: ["a"]))
        tree = nil
        XCTAssertEqual(inner["b"]?.string, "deep")
        XCTAssertNil(inner.value(atKeyPath: ["b", "c"]))
    }
}
