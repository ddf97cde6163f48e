import RestwayHTTP
import RestwayJSON
import RestwayRouting
import XCTest

@testable import RestwayClient

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
