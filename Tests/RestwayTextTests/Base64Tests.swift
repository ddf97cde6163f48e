import XCTest

@testable import RestwayText

final class Base64Tests: XCTestCase {
    private func decode(_ text: String) -> [UInt8]? {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { text in
            var output = [UInt8](repeating: 0, count: Base64.byteCountMax(text.count))
            return Base64.decode(text, into: &output).map { Array(output.prefix($0)) }
        }
    }

    func testTheVectorsOfTheStandard() {
        let cases = [
            ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"), ("Zg", "f"), ("Zm8", "fo"),
        ]
        for (text, content) in cases {
            XCTAssertEqual(decode(text), Array(content.utf8), text)
        }
        XCTAssertEqual(decode("+/8="), [0xFB, 0xFF])
        XCTAssertEqual(decode("-_8="), [0xFB, 0xFF])
    }

    func testEverythingElseIsRefused() {
        for text in [
            "Z", "Zg=", "Zg===", "=", "==", "Zh==", "Zm9=", "Zm 9v", "Zm9v\n", "é", "Zg==Zg==",
        ] {
            XCTAssertNil(decode(text), text)
        }
    }
}
