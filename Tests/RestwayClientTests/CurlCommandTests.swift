import RestwayHTTP
import RestwayJSON
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

final class CurlCommandTests: XCTestCase {
    private func client() throws -> Client {
        try Client(
            api: try TestAPI.load(), options: ClientOptions(), transport: FakeTransport())
    }

    func testSecretsStayOutUnlessTheyAreAskedFor() throws {
        let client = try client()
        defer { client.close() }
        var spec = RequestSpec.get("companies/1?token=abc")
        spec.headers = [("Authorization", "Bearer xyz"), ("X-Empty", "")]
        let redacted = try client.curlCommand(spec, reveals: false)
        XCTAssertTrue(redacted.hasPrefix("curl "), redacted)
        XCTAssertTrue(redacted.contains("'Authorization: [redacted]'"), redacted)
        XCTAssertTrue(redacted.contains("'X-Empty;'"), redacted)
        XCTAssertTrue(
            redacted.hasSuffix("'http://api.test/v2/companies/1?token=[redacted]'"), redacted)
        let revealed = try client.curlCommand(spec, reveals: true)
        XCTAssertTrue(revealed.contains("'Authorization: Bearer xyz'"), revealed)
        XCTAssertTrue(revealed.contains("token=abc"), revealed)
    }

    func testSecretsOfJSONAndFormBodiesStayOutUnlessTheyAreAskedFor() throws {
        let client = try client()
        defer { client.close() }
        func command(_ body: String, _ mediaType: String, reveals: Bool = false) throws -> String {
            var spec = RequestSpec(target: .path(.post, "companies"))
            spec.given.body = .init(bytes: Array(body.utf8), mediaType: mediaType)
            return try client.curlCommand(spec, reveals: reveals)
        }
        let login = #"{"user": "ann", "in": [{"Password": "hush"}], "x-vendor-token": {"a": 1}}"#
        for mediaType in ["application/json; charset=utf-8", "application/problem+json"] {
            let redacted = try command(login, mediaType)
            XCTAssertTrue(
                redacted.contains(
                    #"--data-raw '{"user":"ann","in":[{"Password":"[redacted]"}],"#
                        + #""x-vendor-token":"[redacted]"}'"#), redacted)
            XCTAssertTrue(try command(login, mediaType, reveals: true).contains(login))
        }
        let form = "a=1&client_secret=hush&pass%77ord=hush&b&c%5Btoken%5D=hush"
        let formType = "application/x-www-form-urlencoded"
        XCTAssertTrue(
            try command(form, formType)
                .contains(
                    "--data-raw 'a=1&client_secret=[redacted]&pass%77ord=[redacted]&b"
                        + "&c%5Btoken%5D=[redacted]'"))
        XCTAssertTrue(try command(form, formType, reveals: true).contains("'\(form)'"))
        let twice = #"{"a": {"token": "hush"}, "a": 1}"#
        XCTAssertFalse(try command(twice, "application/json").contains("hush"))
        for broken in [#"{"password": "hush"#, "{\"password\": \"hush\0\"}\u{7F}"] {
            // A body in another charset is not checked before it is sent.
            let redacted = try command(broken, "application/json; charset=iso-8859-1")
            XCTAssertTrue(redacted.contains("--data-raw '[redacted]'"), redacted)
            XCTAssertThrowsError(try command(broken, "application/json")) { error in
                XCTAssertFalse("\(error)".contains("hush"), "\(error)")
            }
        }
        let plain = #"{"name" : "Acme"}"#
        XCTAssertTrue(try command(plain, "application/json").contains("'\(plain)'"))
    }

    func testSecretPartsOfMultipartBodiesAreReplaced() throws {
        let client = try client()
        defer { client.close() }
        func part(_ name: String, _ more: String, _ content: String) -> String {
            "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\(more)"
                + "\r\n\r\n\(content)\r\n"
        }
        let type = "\r\ncontent-type: text/plain"
        let body =
            part("name", "", "password\r\n\r\n=1") + part("password", "", "hush")
            + part("card[token]", "; filename=\"a;b\"\(type)", "hu\r\nsh") + "--B--\r\n"
        func command(_ mediaType: String, reveals: Bool = false) throws -> String {
            var spec = RequestSpec(target: .path(.post, "companies"))
            spec.given.body = .init(bytes: Array(body.utf8), mediaType: mediaType)
            return try client.curlCommand(spec, reveals: reveals)
        }
        let redacted =
            part("name", "", "password\r\n\r\n=1") + part("password", "", "[redacted]")
            + part("card[token]", "; filename=\"a;b\"\(type)", "[redacted]") + "--B--\r\n"
        for mediaType in ["multipart/form-data; boundary=B", "Multipart/Form-Data;boundary=\"B\""] {
            XCTAssertTrue(try command(mediaType).contains("--data-raw '\(redacted)'"))
            XCTAssertTrue(try command(mediaType, reveals: true).contains("'\(body)'"))
        }
        XCTAssertTrue(try command("multipart/form-data").contains("--data-raw '[redacted]'"))
    }

    func testBodiesAreQuotedForTheShell() throws {
        let client = try client()
        defer { client.close() }
        var spec = RequestSpec(target: .path(.post, "companies"))
        spec.parameters = [Parameter(keys: ["name"], value: .string("O'Neill $HOME"))]
        XCTAssertTrue(
            try client.curlCommand(spec, reveals: false)
                .contains(#"--request POST"#))
        XCTAssertTrue(
            try client.curlCommand(spec, reveals: false)
                .contains(#"--data-raw '{"name":"O'\''Neill $HOME"}'"#))
        spec.given.body = .init(bytes: [0, 255, 65], mediaType: "application/octet-stream")
        XCTAssertTrue(
            try client.curlCommand(spec, reveals: false)
                .hasPrefix(#"printf '\000\377\101' | curl "#))
    }
}
