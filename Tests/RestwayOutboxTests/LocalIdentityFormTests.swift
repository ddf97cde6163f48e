import RestwayHTTP
import RestwayObjects
import XCTest

@testable import RestwayOutbox

/// How an identity replaces a local identity in the formats of bodies.
final class LocalIdentityFormTests: XCTestCase {
    private let local = LocalID.random()

    private func replaced(
        _ body: [UInt8], _ mediaType: String, _ identity: Identity
    ) -> [UInt8] {
        let headers = [HeaderField(name: "Content-Type", value: mediaType)]
        var text = LocalIDText(
            path: "", headers: HeaderText.stored(headers), body: body, places: nil)
        XCTAssertEqual(text.locals, [local])
        text.replace(local, by: identity)
        return text.body ?? []
    }

    private func replacedJSON(_ form: LocalID.Form, _ identity: Identity) -> String {
        let body = "[\"\(local.text(as: form))\",1]"
        return String(
            decoding: replaced(Array(body.utf8), "application/json", identity), as: UTF8.self)
    }

    func testJSONHasTheFormOfTheAttribute() {
        XCTAssertEqual(replacedJSON(.plain, .integer(-7)), "[-7,1]")
        XCTAssertEqual(replacedJSON(.plain, .string("7")), #"["7",1]"#)
        XCTAssertEqual(replacedJSON(.text, .integer(7)), #"["7",1]"#)
        XCTAssertEqual(replacedJSON(.number, .string("007")), "[7,1]")
        XCTAssertEqual(replacedJSON(.number, .string("1.5")), "[1.5,1]")
        XCTAssertEqual(replacedJSON(.number, .string("a\"b")), #"["a\"b",1]"#)
        XCTAssertEqual(replacedJSON(.number, .string("nan")), #"["nan",1]"#)
        XCTAssertEqual(replacedJSON(.base64, .string("hi")), #"["aGk=",1]"#)
    }

    func testAFormIsPercentEncoded() {
        let body = Array("id=\(local.text(as: .base64))&a=1".utf8)
        XCTAssertEqual(
            replaced(body, "application/x-www-form-urlencoded", .string("hi")),
            Array("id=aGk%3D&a=1".utf8))
    }

    /// {"id": …, "a": 1}
    private func messagePack(_ value: [UInt8]) -> [UInt8] {
        [0x82, 0xA2] + Array("id".utf8) + value + [0xA1, 0x61, 0x01]
    }

    func testMessagePackKeepsItsLengths() {
        for form in [LocalID.Form.plain, .text] {
            let name = Array(local.text(as: form).utf8)
            let body = messagePack([0xD9, UInt8(name.count)] + name)
            let isText = form == .text
            XCTAssertEqual(
                replaced(body, "application/msgpack", .integer(7)),
                messagePack(isText ? [0xA1, 0x37] : [0xD3, 0, 0, 0, 0, 0, 0, 0, 7]))
        }
        let body = messagePack([0xD9, 46] + Array(local.text.utf8))
        for (count, header) in [
            (31, [0xBF]), (32, [0xD9, 32]), (255, [0xD9, 255]), (256, [0xDA, 1, 0]),
            (65_536, [0xDB, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])] {
            let text = String(repeating: "x", count: count)
            XCTAssertEqual(
                replaced(body, "application/vnd.things+msgpack; v=1", .string(text)),
                messagePack(header + Array(text.utf8)), "\(count)")
        }
    }

    func testOtherFormatsHaveTheTextItself() {
        XCTAssertEqual(
            replaced(Array("<id>\(local.text)</id>".utf8), "text/xml", .integer(7)),
            Array("<id>7</id>".utf8))
    }
}
