import RestwayHTTP
import XCTest

@testable import RestwayClient

/// Plain GETs are not prepared anew, unless something has changed.
final class PreparedRequestsTests: XCTestCase {
    private let transport = FakeTransport()

    private func client() throws -> Client {
        try Client(api: try TestAPI.load(), options: ClientOptions(), transport: transport)
    }

    private func prepared(_ spec: RequestSpec, _ client: Client) throws -> PreparedRequest {
        let call = try client.send(spec)
        XCTAssertEqual(transport.answer().url, call.original.exchange.url)
        _ = try call.wait(milliseconds: 0)
        return call.original
    }

    func testAPlainGETIsPreparedOnce() throws {
        let client = try client()
        let first = try prepared(.get("companies/1"), client)
        XCTAssertTrue(first === (try prepared(.get("companies/1"), client)))
        XCTAssertFalse(first === (try prepared(.get("companies/2"), client)))
        XCTAssertFalse(first === (try prepared(.get("companies/1"), try self.client())))
    }

    func testWhatMoreIsSaidOfARequestCounts() throws {
        let client = try client()
        let plain = try prepared(.get("companies/1"), client)
        var spec = RequestSpec.get("companies/1")
        spec.headers = [("X-More", "1")]
        let other = try prepared(spec, client)
        XCTAssertEqual(Headers(other.exchange.headers)[first: "X-More"], "1")
        spec.headers = []
        spec.timeoutMilliseconds = 7
        XCTAssertEqual(try prepared(spec, client).exchange.timeouts.totalMilliseconds, 7)
        XCTAssertTrue(plain === (try prepared(.get("companies/1"), client)))
        let query = try prepared(.get("companies/1?key=secret"), client)
        XCTAssertFalse(query === (try prepared(.get("companies/1?key=secret"), client)))
    }

    func testANewPolicyIsANewRequest() throws {
        let client = try client()
        let first = try prepared(.get("companies/1"), client)
        try client.setRetry(nil)
        XCTAssertFalse(first === (try prepared(.get("companies/1"), client)))
    }

    func testManyPathsAreNotKeptForEver() throws {
        let client = try client()
        let first = try prepared(.get("companies/0"), client)
        for number in 1...256 { _ = try prepared(.get("companies/\(number)"), client) }
        XCTAssertFalse(first === (try prepared(.get("companies/0"), client)))
    }
}
