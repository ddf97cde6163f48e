import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

final class APITests: XCTestCase {
    func testAWholeDocumentLoads() throws {
        let definition = try TestAPI.load().definition
        XCTAssertEqual(definition.environments["parts"]?.baseURL.text, "http://parts.test:81/a/v1")
        XCTAssertEqual(definition.environments["parts"]?.timeouts.totalMilliseconds, 1_500)
        XCTAssertEqual(definition.entityCatalog.names, ["Company", "Note"])
        XCTAssertEqual(
            try definition.routes.route(named: "reviews").template.text,
            "companies/:itemID/reviews/:reviewID")
        XCTAssertEqual(definition.descriptors.count, 4)
        XCTAssertEqual(definition.errors.code, ["error", "code"])
    }

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
        XCTAssertEqual(api.definition.entityCatalog.names, before.entityCatalog.names)
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

    func testANameThatIsTakenIsAnErrorOfTheConfiguration() throws {
        let api = try TestAPI.load()
        let added = failure { try api.add(route: "company", #"{"path": "a"}"#) }
        XCTAssertEqual(added?.reason, .duplicate)
        XCTAssertEqual(added?.domain, .config)
        XCTAssertEqual(added?.field, "company")
        let joined = failure {
            try api.joinRoutes("company", parent: "company", child: "companies")
        }
        XCTAssertEqual(joined?.reason, .duplicate)
        XCTAssertEqual(joined?.domain, .config)
    }

    func testAReplacedRouteIsGoneWithEverythingThatWasItsOwn() throws {
        let api = try TestAPI.load()
        try api.add(
            route: "company",
            #"{"path": "firms/:id", "entity": "Company", "response": {"entity": "Note"}}"#,
            replaces: true)
        let definition = api.definition
        XCTAssertEqual(try definition.routes.route(named: "company").template.text, "firms/:id")
        XCTAssertEqual(
            try definition.routes.route(forEntity: "Company", method: .get).template.text,
            "firms/:id")
        XCTAssertTrue(definition.routes.routes(method: .get, path: "companies/1").isEmpty)
        XCTAssertEqual(
            try definition.routes.route(named: "reviews").template.text,
            "companies/:itemID/reviews/:reviewID", "a route joined to the old route keeps its path")
        XCTAssertNil(try api.property("x-note", ofRoute: "company"))
        XCTAssertEqual(
            definition.descriptors.map(\.mapping.entity.name),
            ["Company", "Company", "Note", "Note"])
        // An equal route may replace the route, and its equal descriptor is not a duplicate.
        try api.add(
            route: "company",
            #"{"path": "firms/:id", "entity": "Company", "response": {"entity": "Note"}}"#,
            replaces: true)
        try api.joinRoutes("company", parent: "company", child: "companies", replaces: true)
        XCTAssertEqual(
            try api.definition.routes.route(named: "company").template.text, "firms/:id/companies")
        // An invalid replacement replaces nothing, and a new name does not need an earlier route.
        XCTAssertThrowsError(try api.add(route: "company", #"{"path": 1}"#, replaces: true))
        XCTAssertEqual(
            try api.definition.routes.route(named: "company").template.text, "firms/:id/companies")
        try api.add(route: "fresh", #"{"path": "fresh"}"#, replaces: true)
    }

    func testACallThatHasStartedKeepsTheRouteThatWasReplaced() throws {
        let api = try TestAPI.load()
        let transport = FakeTransport()
        let client = try Client(api: api, options: ClientOptions(), transport: transport)
        defer { client.close() }
        let first = try client.send(.route("companies"))
        try api.add(
            route: "companies", #"{"path": "firms", "response": {"entity": "Note"}}"#,
            replaces: true)
        let second = try client.send(.route("companies"))
        let body = #"{"text": "note", "list": [{"id": 1}]}"#
        let old = transport.answer(200, body).url
        XCTAssertTrue(old.hasPrefix("http://api.test/v2/companies?"), old)
        XCTAssertEqual(transport.answer(200, body).url, "http://api.test/v2/firms")
        XCTAssertEqual(
            try first.wait(milliseconds: 0).objects.map(\.entity.name), ["Company"])
        XCTAssertEqual(try second.wait(milliseconds: 0).objects.map(\.entity.name), ["Note"])
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
