import XCTest

@testable import RestwayClient

final class APITests: XCTestCase {
    func testPartsAreAddedByFunction() throws {
        let api = try TestAPI.load(#"{"restway": 1}"#)
        try api.add(entity: "A", #"{"identity": "x", "attributes": {"x": {"type": "int"}}}"#)
        try api.add(route: "one", #"{"path": "a/:x", "entity": "A", "x-limit": [1, 2]}"#)
        try api.add(route: nil, #"{"method": "POST", "path": "a", "entity": "A"}"#)
        try api.add(response: #"{"path": "a/:x", "entity": "A"}"#)
        XCTAssertEqual(try api.entity(named: "A").attributes.map(\.name), ["x"])
        XCTAssertEqual(try api.property("x-limit", ofRoute: "one"), "[1,2]")
        XCTAssertNil(try api.property("x-other", ofRoute: "one"))
        XCTAssertEqual(
            try api.definition.routes.route(forEntity: "A", method: .post).template.text, "a")
        XCTAssertEqual(api.definition.descriptors.count, 1)
    }

    func testWhatIsWrongAddsNothing() throws {
        let api = try TestAPI.load()
        let before = api.definition
        XCTAssertEqual(failure { try api.add(route: "new", #"{"pth": "a"}"#) }?.reason, .config)
        XCTAssertEqual(failure { try api.add(route: "new", "{") }?.reason, .config)
        XCTAssertEqual(failure { try api.add(route: nil, #"{"path": "a"}"#) }?.reason, .config)
        XCTAssertEqual(
            failure { try api.add(route: "company", #"{"path": "a"}"#) }?.reason, .duplicate)
        XCTAssertEqual(
            failure { try api.add(entity: "Note", #"{"attributes": {}}"#) }?.reason, .duplicate)
        XCTAssertEqual(api.definition.routes.all.count, before.routes.all.count)
        XCTAssertEqual(api.definition.entityNames, before.entityNames)
    }

    func testAClientFreezesEntitiesAndDescriptorsButNotRoutes() throws {
        let api = try TestAPI.load()
        let client = try Client(api: api, options: ClientOptions(), transport: FakeTransport())
        XCTAssertEqual(
            failure { try api.add(entity: "B", #"{"attributes": {}}"#) }?.reason, .frozen)
        XCTAssertEqual(
            failure { try api.add(response: #"{"entity": "Note"}"#) }?.reason, .frozen)
        try api.add(route: "late", #"{"path": "late", "response": {"entity": "Note"}}"#)
        XCTAssertEqual(client.api.definition.descriptors.count, 5)
        client.close()
    }

    func testRoutesAreJoined() throws {
        let api = try TestAPI.load()
        try api.joinRoutes("both", parent: "company", child: "companies")
        let route = try api.definition.routes.route(named: "both")
        XCTAssertEqual(route.template.text, "companies/:itemID/companies")
        XCTAssertEqual(api.definition.settings(of: route).parameters.map(\.keys), [["per_page"]])
        XCTAssertEqual(
            failure { try api.joinRoutes("x", parent: "nowhere", child: "company") }?.reason,
            .unknownRoute)
        XCTAssertEqual(
            failure { try api.joinRoutes("both", parent: "company", child: "addCompany") }?.reason,
            .duplicate)
    }

    func testAFileThatCannotBeReadIsNamed() {
        let failure = failure { _ = try API(file: "/nowhere/at/all.json") }
        XCTAssertEqual(failure?.reason, .io)
        XCTAssertTrue(failure?.message.contains("/nowhere/at/all.json") ?? false)
        XCTAssertTrue(failure?.message.contains("No such file") ?? false)
    }

    func testAnUnknownEntityIsNamedWithItsNeighbour() throws {
        let api = try TestAPI.load()
        let failure = failure { _ = try api.entity(named: "Compony") }
        XCTAssertEqual(failure?.reason, .unknownEntity)
        XCTAssertEqual(failure?.message, "unknown entity \"Compony\"; did you mean \"Company\"?")
    }
}
