import RestwayJSON
import XCTest

final class JSONTextTests: XCTestCase {
    func testStringsAreEscapedAsThoseOfATree() {
        let all = String(decoding: (0..<0x80).map { UInt8($0) }, as: UTF8.self)
        let foreign = "caf\u{e9} \u{20ac} \u{1f600}\u{7f}"
        for string in ["", "plain", "\"quoted\" \\ and / more", all, foreign] {
            var text = JSONText(capacity: 0)
            text.append(string: string)
            XCTAssertEqual(text.bytes, JSONValue.string(string).text(), string)
        }
    }

    /// Eight bytes are scanned together: each of them may be the special byte, beside any other
    /// byte.
    func testWhatIsEscapedMayStandAnywhere() {
        for place in 0..<20 {
            for byte in UInt8(0)..<0x80 {
                for next: UInt8 in [0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F] {
                    var plain = [UInt8](repeating: 0x61, count: 20)
                    plain[place] = byte
                    if place < 19 { plain[place + 1] = next }
                    var text = JSONText(capacity: 0)
                    XCTAssertTrue(text.append(text: plain))
                    let string = String(decoding: plain, as: UTF8.self)
                    XCTAssertEqual(text.bytes, JSONValue.string(string).text(), "\(plain)")
                }
            }
        }
    }

    func testWhatStandsBetweenGoesInAsItIs() {
        var text = JSONText(capacity: 16)
        text.append("{")
        text.append(string: "a")
        text.append(":1}")
        XCTAssertEqual(text.bytes, Array(#"{"a":1}"#.utf8))
    }

    func testBytesGoInAsTheStringThatTheyAre() {
        for string in ["", "plain", "\"a\"\n\u{1}", "caf\u{e9} \u{1f600}"] {
            var text = JSONText(capacity: 0)
            XCTAssertTrue(text.append(text: Array(string.utf8)))
            XCTAssertEqual(text.bytes, JSONValue.string(string).text(), string)
        }
    }

    func testBytesThatAreNoTextAreRefusedAndLeaveNothing() {
        var text = JSONText(capacity: 0)
        for bytes: [UInt8] in [[0x61, 0xFF], [0xC3], [0xED, 0xA0, 0x80]] {
            XCTAssertFalse(text.append(text: bytes))
        }
        XCTAssertEqual(text.bytes, [])
    }

    func testInvalidTextIsRepaired() {
        let texts: [[UInt8]] = [[], [0x61, 0x22], [0xC3, 0xA9, 0], [0x61, 0xFF], [0xED, 0xA0, 0x80]]
        for bytes in texts {
            var text = JSONText(capacity: 0)
            bytes.withUnsafeBytes { text.append(repairing: $0) }
            let repaired = String(decoding: bytes, as: UTF8.self)
            XCTAssertEqual(text.bytes, JSONValue.string(repaired).text())
        }
    }

    func testNumbersKeepAllTheirDigits() throws {
        var text = JSONText(capacity: 0)
        text.append("[")
        text.append(integer: .min)
        text.append(",")
        text.append(integer: .max)
        let reals: [Double] = [
            0.1, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e16, 123_456_789.25,
        ]
        for real in reals {
            text.append(",")
            text.append(real: real)
        }
        text.append("]")
        let read = try JSONValue.parse(String(decoding: text.bytes, as: UTF8.self))
        let elements = try XCTUnwrap(read.elements)
        XCTAssertEqual(elements[0].integer, .min)
        XCTAssertEqual(elements[1].integer, .max)
        XCTAssertEqual(elements[2].double, 0.1)
        XCTAssertEqual(elements[3].double?.sign, .minus)
        XCTAssertEqual(elements[4].double, .leastNonzeroMagnitude)
        XCTAssertEqual(elements[5].double, .greatestFiniteMagnitude)
        XCTAssertEqual(elements[6].double, 1e16)
        XCTAssertEqual(elements[7].double, 123_456_789.25)
    }
}
