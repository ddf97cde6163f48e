import RestwayText
import XCTest

final class EscapedTextTests: XCTestCase {
    func testControlCharactersAreEscaped() {
        let cases = [
            "a\nb": #"a\nb"#, "\r\n": #"\r\n"#, "\t": #"\t"#,
            "\u{0}\u{1B}[31m": #"\u0000\u001b[31m"#,
            "\u{7F}\u{85}\u{9B}": #"\u007f\u0085\u009b"#, "\u{2028}\u{2029}": #"\u2028\u2029"#,
            "\u{202E}x\u{2066}": #"\u202ex\u2066"#,
        ]
        for (text, escaped) in cases { XCTAssertEqual(text.escapingControls, escaped) }
    }

    func testOtherTextStaysAsItIs() {
        for text in ["", "plain", "città – 你好 👍 â€", #"a\nb \u001b"#, "\u{A0}\u{2027}\u{202F}"] {
            XCTAssertEqual(text.escapingControls, text)
        }
        XCTAssertEqual("é\n".escapingControls.escapingControls, #"é\n"#)
    }
}
