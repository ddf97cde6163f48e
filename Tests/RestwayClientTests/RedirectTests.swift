import RestwayHTTP
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

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
            second.headers.map(\.name).sorted(),
            ["Accept", "Accept-Encoding", "Accept-Language", "User-Agent"])
        let third = transport.answer(200)
        XCTAssertNil(header("Authorization", third), "a dropped header does not come back")
        _ = try call.wait(milliseconds: 0)
        client.close()
    }

    private static let redirecting = TestAPI.document.replacing(
        "\"errors\":",
        with: "\"redirectHeaders\": [\"X-Mine\"], \"redirectBodies\": true, \"errors\":")

    private static func post() -> RequestSpec {
        var spec = RequestSpec(target: .path(.post, "companies"))
        spec.parameters = [Parameter(keys: ["name"], value: .string("x"))]
        spec.headers = [("X-Mine", "1"), ("X-Other", "2"), ("traceparent", "00-1-2-01")]
        return spec
    }

    func testABodyDoesNotFollowARedirectToAnotherOrigin() throws {
        let client = try client()
        for status in [307, 308] {
            let call = try client.send(Self.post())
            transport.answer(status, redirectURL: "http://stranger.test/x")
            let failure = failure { _ = try call.wait(milliseconds: 0) }
            XCTAssertEqual(failure?.reason, .http)
            XCTAssertEqual(failure?.httpStatus, status)
            XCTAssertTrue(failure?.message.contains("redirectBodies") ?? false)
            XCTAssertEqual(transport.waitingCount, 0)
        }
        // Without a body nothing needs to be kept back, and a trusted origin may receive it.
        var spec = RequestSpec(target: .path(.delete, "companies/1"))
        spec.headers = [("X-Mine", "1")]
        let bare = try client.send(spec)
        transport.answer(307, redirectURL: "http://stranger.test/x")
        XCTAssertEqual(transport.answer(204).method, "DELETE")
        _ = try bare.wait(milliseconds: 0)
        let trusted = try client.send(Self.post())
        transport.answer(307, redirectURL: "http://friend.test/x")
        guard case .bytes = transport.answer(200).body else { return XCTFail("the body was lost") }
        _ = try trusted.wait(milliseconds: 0)
        client.close()
    }

    func testTheDocumentNamesHeadersAndLetsBodiesFollow() throws {
        let client = try Client(
            api: try TestAPI.load(Self.redirecting), options: ClientOptions(),
            transport: transport, clock: clock)
        let call = try client.send(Self.post())
        transport.answer(307, redirectURL: "http://stranger.test/x")
        let second = transport.answer(303, redirectURL: "http://other.test/y")
        XCTAssertEqual(
            second.headers.map(\.name).sorted(),
            [
                "Accept", "Accept-Encoding", "Accept-Language", "Content-Type", "User-Agent",
                "X-Mine", "traceparent",
            ])
        guard case .bytes = second.body else { return XCTFail("the body was lost") }
        let third = transport.answer(200)
        XCTAssertEqual(third.method, "GET")
        XCTAssertNil(header("Content-Type", third))
        XCTAssertEqual(header("X-Mine", third), "1")
        _ = try call.wait(milliseconds: 0)
        client.close()
    }

    func testCredentialsCannotBeNamedAmongTheHeadersThatFollow() {
        for name in ["Authorization", "cookie", "Proxy-Authorization", "", "a b", "X\nY"] {
            let document = TestAPI.document.replacing(
                "\"errors\":", with: "\"redirectHeaders\": [\"\(name)\"], \"errors\":"
            ).replacing("X\nY", with: "X\\nY")
            let failure = failure { _ = try TestAPI.load(document) }
            XCTAssertEqual(failure?.details.map(\.path), ["$.redirectHeaders[0]"], name)
        }
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
        let client = try client { $0.calls.redirectsMax = 2 }
        let call = try client.send(.get("companies/1"))
        for _ in 0..<3 { transport.answer(302, redirectURL: "http://api.test/v2/loop") }
        let failure = failure { _ = try call.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .tooManyRedirects)
        XCTAssertEqual(transport.waitingCount, 0)
        client.close()
    }

    func testWithoutFollowingARedirectIsAnAnswer() throws {
        let client = try client { $0.calls.followsRedirects = false }
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
        spec.timeouts.totalMilliseconds = 1_000
        let call = try client.send(spec)
        clock.advance(milliseconds: 400)
        transport.answer(302, redirectURL: "http://api.test/v2/a")
        let second = transport.next()
        XCTAssertEqual(second.exchange.timeouts.totalMilliseconds, 600)
        clock.advance(milliseconds: 700)
        second.answer(302, redirectURL: "http://api.test/v2/b")
        let failure = failure { _ = try call.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .timedOut)
        XCTAssertEqual(failure?.isRetryable, true)
        client.close()
    }
}
