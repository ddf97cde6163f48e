import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutcome
@testable import RestwayRequests

final class OutgoingRequestTests: XCTestCase {
    private let transport = FakeTransport()

    private func client() throws -> Client {
        try Client(api: try TestAPI.load(), options: ClientOptions(), transport: transport)
    }

    func testAResponseHoldsTheRequestOfItsLastExchange() throws {
        let client = try client()
        defer { client.close() }
        let call = try client.send(.get("companies/1"))
        transport.answer(302, redirectURL: "http://other.test/moved")
        let second = transport.answer(200, "{}")
        let sent = try XCTUnwrap(try call.wait(milliseconds: 0).request)
        XCTAssertEqual(sent.url, "http://other.test/moved")
        XCTAssertEqual(sent.headers, second.headers)
        XCTAssertNil(sent.headers.first { $0.isNamed("X-Key") })
    }

    func testARequestIsInspectedAsItIsSent() throws {
        let client = try client()
        defer { client.close() }
        var spec = RequestSpec(target: .route("company", nil))
        spec.variables["itemID"] = .value(.string("7"))
        let inspected = try client.inspect(spec)
        XCTAssertEqual(inspected.route?.name, "company")
        let call = try client.send(spec)
        let started = transport.next()
        XCTAssertEqual(inspected.url, started.exchange.url)
        XCTAssertEqual(inspected.headers, started.exchange.headers)
        call.cancel()
    }

    func testTheFailureOfACallThatWasNotSentHoldsThePreparedRequest() throws {
        let client = try client()
        defer { client.close() }
        try client.setModifier { _ in .failure(Failure(.invalidArgument, "refused")) }
        let call = try client.send(.get("companies/1"))
        XCTAssertThrowsError(try call.wait(milliseconds: 0)) { error in
            let request = (error as? Failure)?.request
            XCTAssertEqual(request?.url, "http://api.test/v2/companies/1")
        }
        XCTAssertEqual(transport.waitingCount, 0)
    }
}
