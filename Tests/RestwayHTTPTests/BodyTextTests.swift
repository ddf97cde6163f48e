import RestwayHTTP
import XCTest

final class BodyTextTests: XCTestCase {
    private func text(_ bytes: [UInt8], _ contentType: String) throws -> String {
        try bytes.withUnsafeBytes { bytes in
            String(
                decoding: try BodyText.utf8(bytes, contentType: contentType), as: UTF8.self)
        }
    }

    func testTheCharsetOfTheMediaTypeCounts() throws {
        XCTAssertEqual(try text([0x80, 0xE4], "text/plain; charset=windows-1252"), "€ä")
        XCTAssertEqual(try text([0xE4], "text/plain;format=flowed; Charset=\"ISO-8859-1\""), "ä")
        XCTAssertEqual(try text([0x82, 0xA0], "text/html; charset=Shift_JIS"), "あ")
        XCTAssertEqual(try text([0xFF, 0xFE, 0x3D, 0xD8, 0x00, 0xDE], "a/b; charset=utf-16"), "😀")
        XCTAssertEqual(try text([], "text/plain; charset=iso-8859-1"), "")
    }

    func testADeclaredCharsetCountsForJSONThatIsNotUTF8() {
        func declared(_ bytes: [UInt8], _ type: String?) -> String? {
            bytes.withUnsafeBytes { BodyText.declared($0, contentType: type) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        let latin = Array("\"M".utf8) + [0xFC] + Array("\"".utf8)
        XCTAssertEqual(declared(latin, "application/json; charset=ISO-8859-1"), "\"Mü\"")
        XCTAssertNil(declared(Array("\"Mü\"".utf8), "application/json; charset=ISO-8859-1"))
        XCTAssertNil(declared(latin, "application/json; charset=utf-8"))
        XCTAssertNil(declared(latin, "application/json; charset=nothing-known"))
        XCTAssertNil(declared(latin, "application/json"))
        XCTAssertNil(declared(latin, nil))
        // ASCII in UTF-16 is valid UTF-8, with NULs, and ISO-2022-JP has seven bits.
        XCTAssertEqual(declared([0x31, 0, 0x32, 0], "a/json; charset=utf-16le"), "12")
        let japanese: [UInt8] = [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42]
        XCTAssertEqual(declared(japanese, "a/json; charset=iso-2022-jp"), "日")
    }

    func testAnotherParameterMayNameACharset() throws {
        let type = #"text/plain; title="a; charset=iso-8859-1"; charset='windows-1252'"#
        XCTAssertEqual(try text([0x80], type), "€")
    }

    func testWithoutACharsetTheBytesAreUTF8() throws {
        for type in ["", "text/plain", "text/plain; charset=UTF-8", "text/plain; charset"] {
            XCTAssertEqual(try text(Array("ä€".utf8), type), "ä€")
        }
    }

    func testWrongBytesAreReplaced() throws {
        XCTAssertEqual(try text([0x61, 0xFF, 0x62], ""), "a\u{FFFD}b")
        XCTAssertEqual(try text([0x61, 0xFF, 0x62], "a/b; charset=us-ascii"), "a\u{FFFD}b")
        XCTAssertEqual(try text([0x61, 0x82], "a/b; charset=Shift_JIS"), "a\u{FFFD}")
    }

    func testALongTextIsWhole() throws {
        let bytes = [UInt8](repeating: 0xE4, count: 100_000)
        let type = "text/plain; charset=iso-8859-1"
        XCTAssertEqual(try text(bytes, type), String(repeating: "ä", count: 100_000))
    }

    func testAnUnknownCharsetIsAnErrorWithItsName() {
        for name in ["klingon", "utf-16//TRANSLIT", "../x", "a b/"] {
            XCTAssertThrowsError(try text([0x61], "text/plain; charset=\(name)")) { error in
                XCTAssertEqual((error as? UnknownCharset)?.name, name)
            }
        }
    }
}
