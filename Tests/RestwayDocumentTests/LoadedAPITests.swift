import RestwayHTTP
import RestwayRouting
import XCTest

@testable import RestwayClient

final class LoadedAPITests: XCTestCase {
    private func request(_ path: String?, route: Route? = nil) -> PreparedRequest {
        PreparedRequest(
            exchange: Exchange(method: "GET", url: "http://api.test/"), method: .get, path: path,
            route: route, dataMapper: nil, isTrusted: true)
    }

    func testPlansAreMadeOncePerKindOfResponse() throws {
        let loaded = try TestAPI.load().loaded
        let first = try XCTUnwrap(loaded.plan(for: request("companies/1"), status: 200))
        let second = try XCTUnwrap(loaded.plan(for: request("companies/2"), status: 204))
        XCTAssertTrue(first === second)
        XCTAssertEqual(first.descriptors.count, 1)
        XCTAssertNil(loaded.plan(for: request("companies/1"), status: 404))
        XCTAssertNil(loaded.plan(for: request(nil), status: 200))
        let notes = try XCTUnwrap(loaded.plan(for: request("/companies/1/notes/?x=1"), status: 200))
        XCTAssertFalse(notes === first)
    }

    func testARouteElsewhereMapsByItsName() throws {
        let api = try TestAPI.load()
        try api.add(
            route: "far",
            #"{"path": ":base/x", "absolute": true, "response": {"entity": "Company"}}"#)
        let far = try api.definition.routes.route(named: "far")
        let other = try api.definition.routes.route(named: "elsewhere")
        XCTAssertNotNil(api.loaded.plan(for: request(nil, route: far), status: 200))
        XCTAssertNil(api.loaded.plan(for: request(nil, route: other), status: 200))
    }
}
