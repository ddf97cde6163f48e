import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

final class RoutingClientTests: XCTestCase {
    private func routing(standard: String?) throws -> RoutingClient<String> {
        var routing = RoutingClient(standard: standard)
        try routing.add("tracker", forRoute: "issues")
        try routing.add("tracker", forRoute: "issue")
        try routing.add("shop", forRoute: "orders")
        return routing
    }

    func testARequestGoesToTheClientOfItsRoute() throws {
        let routing = try routing(standard: nil)
        XCTAssertEqual(try routing.member(for: .route("issue")), "tracker")
        XCTAssertEqual(try routing.member(for: .route("orders", .post)), "shop")
        let routed = RequestSpec.Target.routed(.get, "repositories/1/issues", route: "issues")
        XCTAssertEqual(try routing.member(for: RequestSpec(target: routed)), "tracker")
        let link = RequestSpec.Target.link("http://api.test/2", from: .route("issues", nil))
        XCTAssertEqual(try routing.member(for: RequestSpec(target: link)), "tracker")
    }

    func testAllOtherRequestsGoToTheDefaultClient() throws {
        let routing = try routing(standard: "other")
        XCTAssertEqual(try routing.member(for: .route("status")), "other")
        XCTAssertEqual(try routing.member(for: .get("issues")), "other")
        XCTAssertEqual(try routing.member(for: RequestSpec(target: .subject(.get))), "other")
        let link = RequestSpec.Target.link("http://api.test/2", from: .path(.get, "issues"))
        XCTAssertEqual(try routing.member(for: RequestSpec(target: link)), "other")
    }

    func testWhatFitsNoClientIsNamed() throws {
        let routing = try routing(standard: nil)
        let unknown = failure { _ = try routing.member(for: .route("isues")) }
        XCTAssertEqual(unknown?.reason, .unknownRoute)
        XCTAssertEqual(unknown?.field, "isues")
        XCTAssertEqual(
            unknown?.message,
            "route \"isues\" has no client, and there is no default client; routes with a client: "
                + "issue, issues, orders; did you mean \"issues\"?")
        let unnamed = failure { _ = try routing.member(for: .get("issues")) }
        XCTAssertEqual(unnamed?.reason, .unknownRoute)
        XCTAssertEqual(
            failure { _ = try RoutingClient<String>(standard: nil).member(for: .get("a")) }?
                .message,
            "the request names no route, and there is no default client; routes with a client: "
                + "none")
    }

    func testARouteHasOneClient() throws {
        var routing = try routing(standard: nil)
        XCTAssertEqual(
            failure { try routing.add("shop", forRoute: "issues") }?.reason, .duplicate)
        XCTAssertEqual(try routing.member(for: .route("issues")), "tracker")
    }

    func testAClientNeedsTheRoute() throws {
        let client = try Client(api: TestAPI.load(), options: ClientOptions())
        defer { client.close() }
        XCTAssertNoThrow(try client.requireRoute(named: "companies"))
        let unknown = failure { try client.requireRoute(named: "compnies") }
        XCTAssertEqual(unknown?.reason, .unknownRoute)
        XCTAssertEqual(
            unknown?.message, "there is no route \"compnies\"; did you mean \"companies\"?")
    }
}
