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
        XCTAssertNoThrow(try text.replace(local, by: identity))
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

    func testOtherFormatsHaveTheTextItself() {
        XCTAssertEqual(
            replaced(Array("<id>\(local.text)</id>".utf8), "text/xml", .integer(7)),
            Array("<id>7</id>".utf8))
    }
}
