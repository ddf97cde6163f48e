import RestwayHTTP
import RestwayJSON
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

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
            spec.body = .init(bytes: Array(body.utf8), mediaType: mediaType)
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
        let form = "a=1&client_secret=hush&pass%77ord=hush&b"
        let formType = "application/x-www-form-urlencoded"
        XCTAssertTrue(
            try command(form, formType)
                .contains("--data-raw 'a=1&client_secret=[redacted]&pass%77ord=[redacted]&b'"))
        XCTAssertTrue(try command(form, formType, reveals: true).contains("'\(form)'"))
        let twice = #"{"a": {"token": "hush"}, "a": 1}"#
        XCTAssertFalse(try command(twice, "application/json").contains("hush"))
        for broken in [#"{"password": "hush"#, "{\"password\": \"hush\0\"}\u{7F}"] {
            let redacted = try command(broken, "application/json")
            XCTAssertTrue(redacted.contains("--data-raw '[redacted]'"), redacted)
        }
        let plain = #"{"name" : "Acme"}"#
        XCTAssertTrue(try command(plain, "application/json").contains("'\(plain)'"))
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
        spec.body = .init(bytes: [0, 255, 65], mediaType: "application/octet-stream")
        XCTAssertTrue(
            try client.curlCommand(spec, reveals: false)
                .hasPrefix(#"printf '\000\377\101' | curl "#))
    }
}
