import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// If several templates match, only the descriptors of the most specific template apply.
final class SpecificityTests: SubmissionTestCase {
    override class var document: String { """
        {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
         "entities": {
           "Issue": {"identity": "number", "attributes": {"number": {"source": "id"},
                                                          "text": "text"}},
           "Comment": {"identity": "id", "attributes": {"id": "id", "text": "text"}},
           "Problem": {"identity": "code", "attributes": {"code": {"type": "int"}}},
           "Page": {"attributes": {"next": "next"}}
         },
         "routes": {
           "issue": {"method": ["GET", "PUT", "DELETE"], "path": "issues/{number}",
                     "entity": "Issue", "response": {"entity": "Issue"},
                     "request": {"entity": "Comment", "method": "PUT", "keyPath": "issue"}},
           "comments": {"method": ["GET", "PUT", "DELETE"], "path": "issues/comments",
                        "response": {"entity": "Comment"},
                        "request": {"entity": "Comment", "method": "PUT", "keyPath": "comment"}},
           "other": {"path": "issues/:other", "response": {"entity": "Problem"}},
           "broad": {"method": ["GET", "DELETE"], "path": ":kind/:id", "entity": "Comment"},
           "narrow": {"method": "DELETE", "path": "narrow/:id", "entity": "Comment"},
           "plainPath": {"path": "issues/{number}/plain"}
         },
         "responses": [
           {"path": "issues/:any", "entity": "Page"},
           {"path": "issues/:any", "entity": "Problem", "status": "4xx"},
           {"path": "issues/:number/:part", "entity": "Comment"},
           {"entity": "Problem", "status": "500"}
         ]}
        """
    }

    private func entities(_ response: Response) -> [String] {
        response.objects.map(\.entity.name)
    }

    private func text(_ entity: String, _ identity: Identity) throws -> Value? {
        try client.store.object(self.entity(entity), identity)?.value(named: "text")
    }

    func testAnAnswerIsNotMappedByDescriptorsOfALessSpecificTemplate() throws {
        var issue = RequestSpec.route("issue")
        issue.variables = ["number": .value(.string("1"))]
        try send(issue, 200, #"{"id": 1, "text": "issue"}"#)
        let specs = [
            RequestSpec.route("comments"), .get("issues/comments"), .get("/issues/comments/?x"),
        ]
        for spec in specs {
            let response = try send(spec, 200, #"{"id": 1, "text": "comment"}"#)
            XCTAssertEqual(entities(response), ["Comment"])
        }
        XCTAssertEqual(try text("Issue", .integer(1)), .string("issue"))
        XCTAssertEqual(try text("Comment", .integer(1)), .string("comment"))
    }

    func testACallByRouteTakesItsOwnDescriptorsAndThoseOfResponsesWithItsTemplate() throws {
        var issue = RequestSpec.route("issue", .get)
        issue.variables = ["number": .value(.string("1"))]
        XCTAssertEqual(entities(try send(issue, 200, #"{"id": 1, "next": 2}"#)), ["Issue", "Page"])
        // Because of its path, it also applies to the other route with this template.
        XCTAssertEqual(
            entities(try send(.get("issues/1"), 200, #"{"id": 1, "code": 2, "next": 2}"#)),
            ["Issue", "Problem", "Page"])
        var plain = RequestSpec.route("plainPath")
        plain.variables = ["number": .value(.string("1"))]
        XCTAssertFalse(try send(plain, 200, #"{"id": 9}"#).isMapped)
        XCTAssertEqual(entities(try send(.get("issues/1/plain"), 200, #"{"id": 9}"#)), ["Comment"])
    }

    func testMethodAndStatusAreLookedAtFirstAndWithoutAPathADescriptorAlwaysApplies() throws {
        func problems(_ spec: RequestSpec, _ status: Int) throws -> [String] {
            let call = try client.send(spec)
            transport.answer(status, #"{"code": 7}"#)
            do {
                _ = try call.wait(milliseconds: 0)
                return []
            } catch {
                return error.response.map { entities($0) } ?? ["no response"]
            }
        }
        XCTAssertEqual(try problems(.get("issues/comments"), 404), ["Problem"])
        XCTAssertEqual(try problems(.route("comments", .get), 404), [])
        XCTAssertEqual(try problems(.route("comments", .get), 500), ["Problem"])
        XCTAssertEqual(try problems(.get("nowhere/at/all"), 500), ["Problem"])
    }

    func testARequestIsWrittenByTheDescriptorOfTheMostSpecificTemplate() throws {
        let draft = try draft("Comment", ["text": .string("t")])
        func sent(_ target: RequestSpec.Target) throws -> String? {
            try body(RequestSpec(target: target, subject: .draft(draft, client.store)))
        }
        XCTAssertEqual(
            try sent(.path(.put, "issues/comments")), #"{"comment":{"text":"t"}}"#)
        XCTAssertEqual(try sent(.path(.put, "issues/1")), #"{"issue":{"text":"t"}}"#)
        XCTAssertEqual(try sent(.route("comments", .put)), #"{"comment":{"text":"t"}}"#)
    }

    func testADeleteRemovesOnlyWhatTheMostSpecificTemplateNames() throws {
        try send(.get("issues/1"), 200, #"{"id": "comments"}"#)
        XCTAssertEqual(try count("Issue"), 1)
        try send(RequestSpec(target: .path(.delete, "issues/comments")), 204)
        XCTAssertEqual(try count("Issue"), 1, "the path is a route of its own")
        try send(.get("issues/comments"), 200, #"{"id": 5}"#)
        try send(RequestSpec(target: .path(.delete, "issues/5")), 204)
        XCTAssertEqual(try count("Comment"), 1, "the broad route is less specific")
        try send(RequestSpec(target: .path(.delete, "narrow/5")), 204)
        XCTAssertEqual(try count("Comment"), 0)
    }

    func testADescriptorOfFailuresNamesNothingThatADeleteRemoves() throws {
        let document = """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
             "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}},
                          "Problem": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
             "routes": {"thing": {"method": ["GET", "DELETE"], "path": "things/:id", "response": [
                {"entity": "Thing"}, {"entity": "Problem", "status": "4xx"}]}},
             "responses": [{"path": "problems", "entity": "Problem"}]}
            """
        try replaceClient { transport in
            try Client(
                api: try TestAPI.load(document), options: ClientOptions(), transport: transport)
        }
        try send(.get("things/1"), 200, #"{"id": 1}"#)
        try send(.get("problems"), 200, #"{"id": 1}"#)
        // The route has no entity: its own response has one.
        try send(RequestSpec(target: .path(.delete, "things/1")), 204)
        XCTAssertEqual(try count("Thing"), 0)
        XCTAssertEqual(try count("Problem"), 1)
    }

    func testTheOutboxAsksTheMostSpecificRoute() throws {
        let definition = try TestAPI.load(
            """
            {"restway": 1, "outbox": {"path": "unused.db"}, "routes": {
              "issue": {"method": "PUT", "path": "issues/{number}", "offline": true},
              "comments": {"method": "PUT", "path": "issues/comments"},
              "deep": {"method": "PUT", "path": "issues/:number/:part", "offline": true},
              "note": {"method": "PUT", "path": "issues/:number/note", "offline": false}}}
            """
        ).definition
        XCTAssertEqual(definition.storing(.put, "issues/1"), .failed)
        XCTAssertNil(definition.storing(.put, "issues/comments"))
        XCTAssertEqual(definition.storing(.put, "issues/1/part"), .failed)
        XCTAssertEqual(definition.storing(.put, "issues/1/note"), .never)
    }

    func testTheObjectRouterTakesTheMoreSpecificOfTwoThatOverlap() throws {
        let routes = client.api.definition.routes
        XCTAssertEqual(
            try routes.route(forEntity: "Comment", method: .delete).name, "narrow")
        XCTAssertEqual(try routes.route(forEntity: "Comment", method: .get).name, "broad")
    }

    // MARK: Undecided

    private func problems(_ routes: String, _ rest: String = "") -> [String] {
        TestAPI.problems(
            """
            {"restway": 1, "entities": {"A": {"attributes": {"x": "x"}},
                                        "B": {"attributes": {"x": "x"}}},
             "routes": {\(routes)}\(rest)}
            """)
    }

    func testAnOverlapThatRemainsUndecidedIsAProblemThatNamesBoth() {
        XCTAssertEqual(
            problems(#""a": {"path": "f/{n}.json"}, "b": {"path": "f/report-{id}"}"#),
            [
                #"$.routes.b: route "b" with path "f/report-{id}" and route "a" with path "#
                    + #""f/{n}.json" match the same paths, and neither path is more specific"#
            ])
        XCTAssertEqual(
            problems(
                "",
                #"""
                , "responses": [{"path": "f/{n}.json", "entity": "A"},
                                {"path": "f/r-{id}", "entity": "B", "status": "4xx"},
                                {"path": "f/r-{id}", "entity": "B", "status": "200"}],
                  "requests": [{"path": "f/{n}.json", "entity": "A"},
                               {"path": "f/r-{id}", "entity": "B"},
                               {"path": "f/r-{id}", "entity": "A"}]
                """#
            ).map { String($0.prefix { $0 != ":" }) },
            ["$.responses[2]", "$.requests[2]"])
    }

    func testWhatIsDecidedOrNeverMeetsIsNoProblem() {
        XCTAssertEqual(
            problems(
                #"""
                "a": {"path": "f/{n}.json"}, "b": {"path": "f/report-{id}", "method": "PUT"},
                "c": {"path": "f/{n}.xml"}, "d": {"path": "f/report-{id}.json"},
                "e": {"path": "f/:n"}, "g": {"path": "f/{n}.json"}, "h": {"path": "f/report-1"}
                """#),
            [])
    }

    func testAnOverlapIsAProblemForFunctionsToo() throws {
        let api = try TestAPI.load(
            #"""
            {"restway": 1, "entities": {"A": {"attributes": {"x": "x"}}},
             "routes": {"a": {"path": "f/{n}.json"}, "up": {"path": "f"}, "r": {"path": "r-{id}"}},
             "responses": [{"path": "g/{n}.json", "entity": "A"}]}
            """#)
        for (what, add) in [
            ("f/report-{id}", { try api.add(route: "b", #"{"path": "f/report-{id}"}"#) }),
            ("g/r-{id}", { try api.add(response: #"{"path": "g/r-{id}", "entity": "A"}"#) }),
            ("f/r-{id}", { try api.joinRoutes("b", parent: "up", child: "r") }),
        ] {
            let failure = failure { try add() }
            XCTAssertEqual(failure?.reason, .config)
            XCTAssertEqual(failure?.domain, .config)
            XCTAssertTrue(failure?.message.contains(what) ?? false, failure?.message ?? "")
            XCTAssertTrue(failure?.message.contains("{n}.json") ?? false, failure?.message ?? "")
        }
        XCTAssertEqual(api.definition.routes.all.count, 3)
        XCTAssertEqual(api.definition.descriptors.count, 1)
    }
}
