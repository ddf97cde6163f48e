import RestwayHTTP
import RestwayRouting
import XCTest

@testable import RestwayClient

final class RedirectTests: XCTestCase {
    private let transport = FakeTransport()
    private let clock = FakeClock()

    private func client(_ change: (inout ClientOptions) -> Void = { _ in }) throws -> Client {
        var options = ClientOptions()
        change(&options)
        return try Client(
            api: try TestAPI.load(), options: options, transport: transport, clock: clock)
    }

    private func header(_ name: String, _ exchange: Exchange) -> String? {
        exchange.headers.first { $0.name == name }?.value
    }

    func testARedirectIsFollowedAndTheAnswerMappedAsTheFirstRequest() throws {
        let client = try client()
        let call = try client.send(.get("companies/1"))
        transport.answer(302, redirectURL: "http://api.test/v2/moved")
        let second = transport.answer(200, #"{"id": 1}"#)
        XCTAssertEqual(second.url, "http://api.test/v2/moved")
        XCTAssertEqual(header("X-Key", second), "secret")
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.url, "http://api.test/v2/moved")
        XCTAssertEqual(response.objects.count, 1)
        client.close()
    }

    func testAnotherOriginSeesNothingThatSaysWhoAsks() throws {
        let client = try client()
        var spec = RequestSpec.get("companies/1")
        spec.headers = [("Authorization", "Bearer t"), ("X-Mine", "1"), ("Accept-Language", "de")]
        let call = try client.send(spec)
        transport.answer(307, redirectURL: "http://stranger.test/x")
        let second = transport.answer(302, redirectURL: "http://api.test/v2/back")
        XCTAssertEqual(
            second.headers.map(\.name).sorted(), ["Accept", "Accept-Language", "User-Agent"])
        let third = transport.answer(200)
        XCTAssertNil(header("Authorization", third), "what was dropped does not come back")
        _ = try call.wait(milliseconds: 0)
        client.close()
    }

    func testATrustedOriginKeepsTheHeaders() throws {
        let client = try client()
        let call = try client.send(.get("companies/1"))
        transport.answer(308, redirectURL: "http://friend.test/x")
        XCTAssertEqual(header("X-Key", transport.answer(200, #"{"id": 1}"#)), "secret")
        _ = try call.wait(milliseconds: 0)
        client.close()
    }

    func testAPostBecomesAGetAfter303AndKeepsItsBodyAfter307() throws {
        let client = try client()
        var spec = RequestSpec(target: .path(.post, "companies"))
        spec.parameters = [Parameter(keys: ["name"], value: .string("x"))]
        let first = try client.send(spec)
        transport.answer(303, redirectURL: "http://api.test/v2/done")
        let followed = transport.answer(200)
        XCTAssertEqual(followed.method, "GET")
        XCTAssertNil(header("Content-Type", followed))
        guard case .none = followed.body else { return XCTFail("the body went along") }
        _ = try first.wait(milliseconds: 0)

        let second = try client.send(spec)
        transport.answer(307, redirectURL: "http://api.test/v2/done")
        let repeated = transport.answer(200)
        XCTAssertEqual(repeated.method, "POST")
        guard case .bytes = repeated.body else { return XCTFail("the body was lost") }
        _ = try second.wait(milliseconds: 0)
        client.close()
    }

    func testRedirectsAreBounded() throws {
        let client = try client { $0.redirectsMax = 2 }
        let call = try client.send(.get("companies/1"))
        for _ in 0..<3 { transport.answer(302, redirectURL: "http://api.test/v2/loop") }
        let failure = failure { _ = try call.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .tooManyRedirects)
        XCTAssertEqual(transport.waitingCount, 0)
        client.close()
    }

    func testWithoutFollowingARedirectIsAnAnswer() throws {
        let client = try client { $0.redirectsMax = nil }
        let call = try client.send(.get("companies/1"))
        transport.answer(302, redirectURL: "http://api.test/v2/moved")
        let failure = failure { _ = try call.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .http)
        XCTAssertEqual(failure?.httpStatus, 302)
        client.close()
    }

    func testTheTotalTimeoutSpansAllHops() throws {
        let client = try client()
        var spec = RequestSpec.get("companies/1")
        spec.timeoutMilliseconds = 1_000
        let call = try client.send(spec)
        clock.advance(milliseconds: 400)
        transport.answer(302, redirectURL: "http://api.test/v2/a")
        let second = transport.next()
        XCTAssertEqual(second.exchange.timeouts.totalMilliseconds, 600)
        clock.advance(milliseconds: 700)
        second.answer(302, redirectURL: "http://api.test/v2/b")
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .timedOut)
        client.close()
    }
}
