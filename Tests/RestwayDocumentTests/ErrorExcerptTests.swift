import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayDocument
@testable import RestwayOutcome

final class ErrorExcerptTests: XCTestCase {
    private func excerpt(
        _ text: String, type: String? = nil, request: Exchange? = nil, sent: Exchange? = nil
    ) -> String? {
        excerpt(Array(text.utf8), type: type, request: request, sent: sent)
    }

    private func excerpt(
        _ bytes: [UInt8], type: String?, request: Exchange? = nil, sent: Exchange? = nil
    ) -> String? {
        let redaction = Redaction(["pin"])
        let secrets = SentSecrets(
            request ?? Exchange(method: "GET", url: "http://a.test/"),
            sent: sent.map(AuthorizedParts.init), redaction)
        return ErrorExcerpt(redaction, secrets).text(of: Body(bytes), mediaType: type)
    }

    func testATextIsShownOnOneLine() {
        XCTAssertEqual(
            excerpt("upstream\r\n \u{1B}[31m down\n", type: "text/plain"), "upstream [31m down")
        XCTAssertEqual(
            excerpt("<html>\n<h1>502</h1>", type: "text/html; charset=utf-8"),
            "<html> <h1>502</h1>")
        XCTAssertEqual(excerpt("<e/>", type: "application/problem+xml"), "<e/>")
        XCTAssertEqual(excerpt("no type"), "no type")
        XCTAssertEqual(excerpt("not JSON", type: "application/json"), "not JSON")
        XCTAssertEqual(excerpt(#"{"a": 1}"#), #"{"a": 1}"#)
        XCTAssertNil(excerpt(" \n", type: "text/plain"))
    }

    func testTheCodeOfAnErrorIsShownAndAnAuthorizationCodeIsNot() {
        let error = #"{"code":"rest_invalid_param","data":{"status":400}}"#
        XCTAssertEqual(excerpt(error, type: "application/json"), error)
        XCTAssertEqual(excerpt("code: E17", type: "text/plain"), "code: E17")
        XCTAssertEqual(
            excerpt("see /cb?code=4%2F0A", type: "text/plain"), "see /cb?code=[redacted]")
        XCTAssertEqual(
            excerpt("code=4&a=2", type: "application/x-www-form-urlencoded"),
            "code=[redacted]&a=2")
        XCTAssertEqual(
            excerpt(#"{"grant_type":"authorization_code","code":"4"}"#, type: "application/json"),
            #"{"grant_type":"authorization_code","code":"[redacted]"}"#)
        let headers = [HeaderField(name: "Content-Type", value: "application/json")]
        let request = Exchange(
            method: "POST", url: "http://a.test/", headers: headers,
            body: .bytes(Array(#"{"code":"AT"}"#.utf8)))
        XCTAssertEqual(excerpt("no AT here", request: request), "no AT here")
        let exchange = Exchange(
            method: "POST", url: "http://a.test/", headers: headers,
            body: .bytes(Array(#"{"grant_type":"x","code":"s3cret"}"#.utf8)))
        XCTAssertEqual(excerpt("no s3cret", request: exchange), "no [redacted]")
    }

    func testALongTextIsCutBetweenTwoCharacters() {
        let text = String(repeating: "é", count: 500)
        let shown = excerpt(text, type: "text/plain")
        XCTAssertEqual(shown, String(repeating: "é", count: 98) + "...")
        XCTAssertEqual(excerpt(String(repeating: "a", count: 200))?.utf8.count, 200)
    }

    func testABodyThatIsNoTextIsNotShown() {
        XCTAssertNil(excerpt([0xFF, 0xFE, 0x41], type: "text/plain"))
        XCTAssertNil(excerpt("GIF89a", type: "image/gif"))
        XCTAssertNil(excerpt("PK", type: "application/octet-stream"))
        XCTAssertNil(excerpt("--x", type: "multipart/form-data; boundary=x"))
        XCTAssertNil(excerpt("{\"token\": \"abc", type: "application/json"))
        let large = "[" + String(repeating: "1,", count: 40_000) + "1]"
        XCTAssertNil(excerpt(large, type: "application/json"))
    }

    func testSecretMembersAreHiddenAndTheRestIsShown() {
        XCTAssertEqual(
            excerpt(#"{"pin":1234,"to\u006ben":"abc","note":"x"}"#, type: "application/json"),
            #"{"pin":"[redacted]","token":"[redacted]","note":"x"}"#)
        XCTAssertEqual(
            excerpt("pin=1&a=2", type: "application/x-www-form-urlencoded"), "pin=[redacted]&a=2")
    }

    func testATextEndsBeforeTheValueOfASecretName() {
        for text in [
            "bad token=abc", "bad token: abc", "bad token\" : \"abc", "bad token=\nabc",
            "bad token: 'abc' and more",
        ] {
            let shown = excerpt(text, type: "text/plain")
            XCTAssertEqual(shown?.hasPrefix("bad token"), true, text)
            XCTAssertEqual(shown?.hasSuffix("[redacted]"), true, shown ?? "")
        }
        XCTAssertEqual(excerpt("the token is bad", type: "text/plain"), "the token is bad")
        XCTAssertEqual(
            excerpt(#"{"note":"X-Vendor-Token: abc","b":1}"#, type: "application/json"),
            #"{"note":"X-Vendor-Token: [redacted]"#)
    }

    func testATextEndsBeforeASecretOfTheRequest() {
        var request = Exchange(
            method: "POST", url: "http://a.test/?api_key=q%2B1",
            headers: [
                HeaderField(name: "Content-Type", value: "application/json"),
                HeaderField(name: "Cookie", value: "a=biscuit; b=wafer"),
            ],
            body: .bytes(Array(#"{"user": {"password": "tiger", "pin": 4711}, "n": "fine"}"#.utf8)))
        var sent = request
        sent.headers += [
            HeaderField(name: "Authorization", value: "Bearer abc123"),
            HeaderField(name: "X-Mine", value: "mine"),
        ]
        for secret in ["q%2B1", "q+1", "biscuit", "wafer", "tiger", "4711", "abc123", "mine"] {
            XCTAssertEqual(
                excerpt("unknown \(secret) here", type: "text/plain", request: request, sent: sent),
                "unknown [redacted]", secret)
        }
        for text in ["fine", "Bearer", "application/json"] {
            XCTAssertEqual(
                excerpt(text, type: "text/plain", request: request, sent: sent), text)
        }
        request.headers = [HeaderField(name: "Authorization", value: "Basic dXNlcjpwYXNz")]
        XCTAssertEqual(
            excerpt("wrong pass", type: "text/plain", request: request), "wrong [redacted]")
        sent = request
        sent.digest = DigestCredential(user: "u", password: Secret("swordfish"))
        XCTAssertEqual(
            excerpt("no swordfish", type: "text/plain", request: request, sent: sent),
            "no [redacted]")
    }

    func testASecretThatIsCutOffAtTheEndIsNotShown() {
        var request = Exchange(method: "GET", url: "http://a.test/")
        request.headers = [
            HeaderField(name: "Authorization", value: String(repeating: "s", count: 300))
        ]
        let text = String(repeating: "-", count: 190) + request.headers[0].value
        let shown = excerpt(text, type: "text/plain", request: request)
        XCTAssertEqual(shown?.utf8.contains(UInt8(ascii: "s")), false)
    }
}
