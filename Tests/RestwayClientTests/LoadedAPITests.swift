import RestwayMapping
import RestwayRouting
import XCTest

@testable import RestwayClient
@testable import RestwayDocument

final class LoadedAPITests: XCTestCase {
    private func plan(
        _ loaded: LoadedAPI, _ path: String?, route: Route? = nil, status: Int,
        mediaType: String? = nil
    ) -> MappingPlan? {
        loaded.plan(
            method: .get, status: status, DescriptorChoice(route: route, path: path),
            mediaType: mediaType)
    }

    func testTheMostSpecificMediaTypesApply() throws {
        let document = """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
             "entities": {"A": {"attributes": {"a": "a"}}},
             "responses": [
               {"path": "x", "entity": "A", "keyPath": "full",
                "mediaType": "application/vnd.a+json"},
               {"path": "x", "entity": "A", "keyPath": "again",
                "mediaType": ["text/plain", "application/vnd.a+json"]},
               {"path": "x", "entity": "A", "keyPath": "two",
                "mediaType": "application/json; v=2"},
               {"path": "x", "entity": "A", "keyPath": "json", "mediaType": "application/json"},
               {"path": "x", "entity": "A", "keyPath": "other", "mediaType": "*/*"},
               {"path": "x", "entity": "A", "keyPath": "always"},
               {"path": ":any", "entity": "A", "keyPath": "variable",
                "mediaType": "application/json"},
               {"path": "y", "entity": "A", "keyPath": "y", "mediaType": "application/vnd.y"}]}
            """
        let loaded = try TestAPI.load(document).loaded
        func found(_ type: String?, _ path: String = "x") -> [String]? {
            plan(loaded, path, status: 200, mediaType: type)?.descriptors.map { $0.keyPath[0] }
        }
        XCTAssertEqual(found("application/vnd.a+json; v=2"), ["full", "again", "always"])
        XCTAssertEqual(found("application/vnd.b+json"), ["json", "always"])
        XCTAssertEqual(found("application/json; v=2; charset=utf-8"), ["two", "always"])
        XCTAssertEqual(found("application/json"), ["json", "always"])
        XCTAssertEqual(found("text/plain"), ["again", "always"])
        XCTAssertEqual(found("text/html"), ["other", "always"])
        XCTAssertEqual(found(nil), ["other", "always"])
        // A more specific path whose descriptors name other types replaces no descriptor.
        XCTAssertEqual(found("application/json", "y"), ["variable"])
        XCTAssertEqual(found("application/vnd.y", "y"), ["y"])
        XCTAssertNil(found("text/html", "y"))
    }

    func testPlansAreMadeOncePerKindOfResponse() throws {
        let loaded = try TestAPI.load().loaded
        let first = try XCTUnwrap(plan(loaded, "companies/1", status: 200))
        let second = try XCTUnwrap(plan(loaded, "companies/2", status: 204))
        XCTAssertTrue(first === second)
        XCTAssertEqual(first.descriptors.count, 1)
        XCTAssertNil(plan(loaded, "companies/1", status: 404))
        XCTAssertNil(plan(loaded, nil, status: 200))
        let notes = try XCTUnwrap(plan(loaded, "/companies/1/notes/?x=1", status: 200))
        XCTAssertFalse(notes === first)
    }

    func testARouteElsewhereMapsByItsName() throws {
        let api = try TestAPI.load()
        try api.add(
            route: "far",
            #"{"path": ":base/x", "absolute": true, "response": {"entity": "Company"}}"#)
        let far = try api.definition.routes.route(named: "far")
        let other = try api.definition.routes.route(named: "elsewhere")
        XCTAssertNotNil(plan(api.loaded, nil, route: far, status: 200))
        XCTAssertNil(plan(api.loaded, nil, route: other, status: 200))
    }

    func testTheDescriptorsOfARouteAndOfAnyAnswerApplyInTheOrderOfTheDocument() throws {
        let document = """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
             "entities": {"A": {"attributes": {"a": "a"}}, "B": {"attributes": {"b": "b"}}},
             "responses": [{"entity": "B", "keyPath": "b"}],
             "routes": {"one": {"path": "one", "response": {"entity": "A", "keyPath": "a"}},
                        "two": {"path": "two"}}}
            """
        let loaded = try TestAPI.load(document).loaded
        func keyPaths(_ name: String) throws -> [[String]]? {
            let route = try loaded.definition.routes.route(named: name)
            return plan(loaded, nil, route: route, status: 200)?.descriptors.map(\.keyPath)
        }
        let all = loaded.definition.descriptors.map(\.keyPath)
        XCTAssertEqual(Set(all), [["a"], ["b"]])
        XCTAssertEqual(try keyPaths("one"), all)
        XCTAssertEqual(try keyPaths("two"), [["b"]])
    }
}
