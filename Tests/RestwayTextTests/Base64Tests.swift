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

    func testWhatAReaderMayAcceptIsRead() {
        let cases = [
            "Zm9v\n", "Zm\r\n9v", " Z m\t9v ", "Zm9v=", "Zm9v====", "Zm9v=\n=\n",
        ]
        for text in cases {
            XCTAssertEqual(decode(text), Array("foo".utf8), text)
        }
        for text in ["Zg=", "Zg===", "Zh==", "Zh", "Z\ng=="] {
            XCTAssertEqual(decode(text), Array("f".utf8), text)
        }
        XCTAssertEqual(decode("Zm9="), Array("fo".utf8))
        XCTAssertEqual(decode("=="), [])
    }

    func testEverythingElseIsRefused() {
        for text in ["Z", "Zm9vZ", "Z===", "é", "Zg==Zg==", "Zm.9v", "Zm9v\0", "%3D"] {
            XCTAssertNil(decode(text), text)
        }
    }
}
