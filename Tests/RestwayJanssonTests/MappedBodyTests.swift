import RestwayMapping
import RestwayObjects
import XCTest

@testable import RestwayJansson

/// A body is read and written again with other values in place of its texts.
final class MappedBodyTests: XCTestCase {
    private func body(_ json: String) throws -> MappedBody {
        try MappedBody(reading: Array(json.utf8), by: JanssonMapper())
    }

    private func rewritten(_ json: String, _ values: [Int: Value] = [:]) throws -> String {
        String(decoding: try body(json).bytes(replacing: values), as: UTF8.self)
    }

    func testScalarsAreCountedAndKeysAreNot() throws {
        let texts = try body(#"{"a":"x","b":[1,null,"y",{"x":"x"}],"c":{},"d":[]}"#).texts
        XCTAssertEqual(texts.map(\.number), [0, 3, 4])
        XCTAssertEqual(texts.map(\.text), ["x", "y", "x"])
        XCTAssertEqual(try body(#""x""#).texts.map(\.number), [0])
    }

    func testOnlyTheNumberedTextsAreReplaced() throws {
        XCTAssertEqual(
            try rewritten(
                #"{"a":"x","b":[1,"x",{"x":"x"}]}"#,
                [1: .string("no text"), 2: .int64(7), 3: .string("a\"b")]),
            #"{"a":"x","b":[1,7,{"x":"a\"b"}]}"#)
        XCTAssertEqual(try rewritten(#""x""#, [0: .double(1.5)]), "1.5")
    }

    func testEverythingElseStaysAsItIs() throws {
        let json =
            #"{"z":1.10,"e":1E400,"i":123456789012345678901234567890,"t":"é\n😀","":[true,[],{}],"#
            + #""a":-0.0}"#
        XCTAssertEqual(try rewritten(json), json)
    }

    func testABodyThatIsNotWholeIsRefused() {
        for json in ["", "{", "[1,"] {
            XCTAssertThrowsError(try body(json), json) { error in
                XCTAssertTrue(error is MapperError, "\(error)")
            }
        }
    }
}
