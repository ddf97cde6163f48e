import XCTest

@testable import RestwayRouting

final class RouteTableTests: XCTestCase {
    private func route(
        _ name: String?, _ methods: [RestwayRouting.Method], _ path: String,
        _ entity: String? = nil, _ properties: [String: String] = [:]
    ) throws -> Route {
        Route(
            name: name, methods: methods, template: try PathTemplate(path), entity: entity,
            properties: properties)
    }

    private func table(_ routes: [Route]) throws -> RouteTable {
        var table = RouteTable()
        for route in routes { try table.add(route) }
        return table
    }

    func testEveryTokenIsAMethod() {
        XCTAssertEqual(Method(token: "PATCH"), .patch)
        for token in ["PROPFIND", "M-SEARCH", "purge", "0", "!#$%&'*+-.^_`|~"] {
            XCTAssertEqual(Method(token: token)?.rawValue, token)
        }
        for token in [
            "", " ", "a b", "GET ", "GET\r\n", "a/b", "ä", "(", "get", "Propfind", "CONNECT",
            "connect",
        ] {
            XCTAssertNil(Method(token: token), token)
        }
    }

    func testTheRefusalOfAMethodNamesIt() {
        func reason(_ text: String, path: String = "") -> String? {
            do throws(Method.Refusal) {
                _ = try Method(text, path: path)
                return nil
            } catch {
                return error.reason
            }
        }
        XCTAssertEqual(
            reason("a b"),
            "\"a b\", which is no token: it has letters, digits and !#$%&'*+-.^_`|~ alone "
                + "(RFC 9110, section 9.1)")
        XCTAssertEqual(
            reason("Report"), "\"Report\", and methods are case-sensitive: write \"REPORT\"")
        XCTAssertEqual(
            reason("users", path: "GET"),
            "\"users\", and the path is \"GET\": the method comes first")
        XCTAssertNil(reason("GET", path: "SEARCH"))
        XCTAssertNil(reason("purge", path: "get"))
    }

    func testAMethodWithoutAConstantIsNeitherSafeNorIdempotent() {
        for token in ["M-SEARCH", "purge", "MKCOL"] {
            guard let method = Method(token: token) else { return XCTFail(token) }
            XCTAssertFalse(method.isSafe)
            XCTAssertFalse(Method.idempotent.contains(method))
            XCTAssertFalse(method.parametersGoIntoQuery)
            XCTAssertFalse(method.hasNoBody)
            XCTAssertFalse(MethodSet.answeringWithObjects.contains(method))
            XCTAssertFalse(MethodSet.withBodies.contains(method))
        }
        XCTAssertEqual(
            Set(Method.idempotent.map(\.rawValue)),
            [
                "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "REPORT",
                "SEARCH",
            ])
        XCTAssertEqual(Method.idempotent.filter { !$0.isSafe }, [.put, .delete])
        XCTAssertEqual(
            Method.standard.filter(\.parametersGoIntoQuery),
            [.get, .head, .delete, .options, .trace])
    }

    func testSetsOfMethodsHaveNoOrder() throws {
        let search = try XCTUnwrap(Method(token: "M-SEARCH"))
        XCTAssertEqual(MethodSet([search, .get]), MethodSet([.get, search, .get]))
        XCTAssertTrue(MethodSet([search, .get]).contains(search))
        XCTAssertTrue(MethodSet([search]).isDisjoint(with: MethodSet([.get, .report])))
        XCTAssertFalse(MethodSet([search, .put]).isDisjoint(with: MethodSet([.put])))
    }

    func testARouteIsFoundByName() throws {
        let table = try table([route("a", [.get], "a"), route(nil, [.put], "b")])
        XCTAssertEqual(try table.route(named: "a").template.text, "a")
        XCTAssertEqual(table.all.map(\.displayName), ["a", "PUT b"])
        XCTAssertEqual(failure(try table.route(named: "b")), .unknownRoute("b"))
    }

    func testANameStandsOnce() throws {
        var table = try table([route("a", [.get], "a")])
        XCTAssertEqual(
            failure(try table.add(route("a", [.put], "b"))),
            .duplicateRoute("\"a\" names both GET a and PUT b"))
        XCTAssertEqual(table.all.count, 1)
    }

    func testAnEqualObjectRouteStandsOnce() throws {
        var table = try table([route("a", [.get, .put], "e/:id", "E")])
        guard
            case .duplicateRoute(let what)? = failure(
                try table.add(route("b", [.put], "/e/{itemID}", "E")))
        else { return XCTFail("accepted") }
        XCTAssertTrue(what.contains("\"a\" and \"b\""))
        try table.add(route("c", [.delete], "e/:id", "E"))
        try table.add(route("d", [.get], "e/:id", "F"))
        try table.add(route("e", [.get], "e/:id"))
        try table.add(route("f", [.get], "e/:id"))
        XCTAssertEqual(table.all.count, 5)
    }

    func testAFixedQueryTellsRoutesApart() throws {
        let table = try table([
            route("beta", [.get], "e/:id?beta=true", "E"), route("usual", [.get], "e/:id", "E"),
            route("only", [.get], "f/:id?beta=true", "F"),
        ])
        XCTAssertEqual(table.routes(method: .get, path: "e/1?beta=true").map(\.name), ["beta"])
        XCTAssertEqual(table.routes(method: .get, path: "e/1?beta=1").map(\.name), ["usual"])
        XCTAssertEqual(try table.route(forEntity: "E", method: .get).name, "usual")
        XCTAssertEqual(try table.route(forEntity: "F", method: .get).name, "only")
        XCTAssertTrue(table.routes(method: .get, path: "f/1").isEmpty)
    }

    func testPostPrefersThePathWithoutVariablesAndOthersTheOneWith() throws {
        let table = try table([
            route("all", [.get, .post], "e{?page}", "E"),
            route("one", [.get, .post, .put], "e/:id", "E"),
        ])
        XCTAssertEqual(try table.route(forEntity: "E", method: .post).name, "all")
        XCTAssertEqual(try table.route(forEntity: "E", method: .get).name, "one")
        XCTAssertEqual(try table.route(forEntity: "E", method: .put).name, "one")
        XCTAssertEqual(
            failure(try table.route(forEntity: "E", method: .delete)),
            .noRouteForObject(entity: "E", method: .delete))
        XCTAssertEqual(
            failure(try table.route(forEntity: "e", method: .get)),
            .noRouteForObject(entity: "e", method: .get))
    }

    func testTheOnlyRouteIsTakenEvenWhenItIsNotPreferred() throws {
        let table = try table([
            route("nested", [.post], "a/:b/e", "E"), route("single", [.get], "e", "E"),
        ])
        XCTAssertEqual(try table.route(forEntity: "E", method: .post).name, "nested")
        XCTAssertEqual(try table.route(forEntity: "E", method: .get).name, "single")
    }

    func testSeveralLeftAreListed() throws {
        let table = try table([
            route("a", [.get], "a/:b", "E"), route(nil, [.get], "c/:b", "E"),
            route("d", [.get], "d", "E"),
        ])
        XCTAssertEqual(
            failure(try table.route(forEntity: "E", method: .get)),
            .ambiguousRoute(entity: "E", method: .get, candidates: ["a", "GET c/:b"]))
    }

    func testTheFirstMethodIsTheDefault() throws {
        let table = RouteTable()
        let route = try route("a", [.put, .get], "a")
        XCTAssertEqual(try table.method(nil, of: route), .put)
        XCTAssertEqual(try table.method(.get, of: route), .get)
        XCTAssertEqual(
            failure(try table.method(.post, of: route)),
            .methodNotAllowed(.post, route: "a", allowed: [.put, .get]))
        XCTAssertEqual(try self.route("a", [], "a").methods, [.get])
    }

    func testJoiningKeepsEverythingButThePathOfTheChild() throws {
        let child = try route("review", [.put], "reviews/:reviewID", "Review", ["x-a": "1"])
        var table = try table([route("product", [.get], "products/:id"), child])
        let joined = try table.joined(name: "productReview", parent: "product", child: "review")
        try table.add(joined)
        XCTAssertEqual(joined.parentCount, 1)
        XCTAssertEqual(joined.template.text, "products/:id/reviews/:reviewID")
        XCTAssertEqual(joined.methods, [.put])
        XCTAssertEqual(joined.entity, "Review")
        XCTAssertEqual(joined.properties, ["x-a": "1"])
        XCTAssertEqual(
            failure(try table.joined(name: "x", parent: "none", child: "review")),
            .unknownRoute("none"))
        guard
            case .duplicateRoute? = failure(
                try table.add(
                    try table.joined(name: "product", parent: "product", child: "review")))
        else { return XCTFail("accepted") }
    }

    func testEachErrorHasAMessage() {
        let errors: [RoutingError] = [
            .unknownEnvironment("x", known: ["a", "b"]), .unknownEnvironment("x", known: []),
            .unknownEnvironment("", known: []), .unknownEnvironment("", known: ["a", "b"]),
            .methodNotAllowed(.post, route: "r", allowed: [.get, .put]),
            .missingVariable(name: "id", template: ":id/a@b"),
        ]
        XCTAssertEqual(
            errors.map(\.message),
            [
                "there is no environment \"x\"; there are: a, b",
                "there is no environment \"x\"; there are: none",
                "the API document has no environment: give the client a base URL (base_url)",
                "the client names no environment; there are: a, b",
                "route \"r\" does not take POST; it takes: GET, PUT",
                "variable \"id\" of path \":id/a@b\" has no value",
            ])
    }
}
