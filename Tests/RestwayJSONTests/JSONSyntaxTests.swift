import RestwayJSON
import XCTest

final class JSONSyntaxTests: XCTestCase {
    /// Returns the message about a text; `nil` if it is JSON.
    private func problem(_ text: String) -> String? {
        do throws(JSONError) {
            try JSONSyntax.check(Array(text.utf8))
            return nil
        } catch {
            return error.message
        }
    }

    func testEveryTextOfTheGrammarIsJSON() {
        for text in [
            "{}", "[]", " \r\n\t1 ", "0", "-0", "-0.5e+10", "1E-2", "\"\"", "true", "false", "null",
            #"{"a": [1, {"b": []}, "\u00e9\n\"", null], "": {}}"#, "\"\u{e9}\u{1F600}\"",
            // No type holds these numbers, but a server may.
            "123456789012345678901234567890", "1e999", "\u{FEFF}{}",
            String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
        ] {
            XCTAssertNil(problem(text), String(text.prefix(40)))
        }
    }

    func testTheFirstWrongPlaceIsNamed() {
        for (text, place) in [
            ("{title: 1}", "a key in quotation marks expected at line 1, column 2 (byte 1)"),
            ("{\"a\": 1,}", "a key in quotation marks expected at line 1, column 9 (byte 8)"),
            ("{\"a\" 1}", "':' expected at line 1, column 6 (byte 5)"),
            ("[1 2]", "',' or ']' expected at line 1, column 4 (byte 3)"),
            ("{\"a\": 1", "',' or '}' expected at line 1, column 8 (byte 7)"),
            ("[\n1,\n]", "a value expected at line 3, column 1 (byte 5)"),
            ("{} {}", "end of text expected at line 1, column 4 (byte 3)"),
            ("01", "end of text expected at line 1, column 2 (byte 1)"),
            ("tru", "a value expected at line 1, column 4 (byte 3)"),
            ("1.", "a digit expected at line 1, column 3 (byte 2)"),
            ("-", "a value expected at line 1, column 2 (byte 1)"),
            ("NaN", "a value expected at line 1, column 1 (byte 0)"),
            ("'a'", "a value expected at line 1, column 1 (byte 0)"),
            ("\"a", "end of a string expected at line 1, column 3 (byte 2)"),
            ("\"\\x\"", "invalid escape at line 1, column 3 (byte 2)"),
            ("\"\\u12g4\"", "invalid escape at line 1, column 6 (byte 5)"),
            ("\"\t\"", "control character in a string at line 1, column 2 (byte 1)"),
            ("\u{0}", "a value expected at line 1, column 1 (byte 0)"),
        ] {
            XCTAssertEqual(problem(text), "not valid JSON: " + place, text)
        }
        XCTAssertEqual(problem(""), "no JSON: the text is empty")
    }

    func testEveryBeginningOfATextIsRefused() {
        let text = Array(#"{"a":[-1.5e3,"x\u00e9",true,{"b":null}]}"#.utf8)
        for count in text.indices {
            XCTAssertThrowsError(try JSONSyntax.check(Array(text[..<count])), "\(count)")
        }
        XCTAssertNoThrow(try JSONSyntax.check(text))
    }
}
