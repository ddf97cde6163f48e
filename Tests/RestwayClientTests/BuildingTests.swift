import RestwayMapping
import RestwayObjects
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Entities and transforms that are added by functions.
final class BuildingTests: XCTestCase {
    private let transport = FakeTransport()

    private func client(_ api: API) throws -> Client {
        var options = ClientOptions()
        options.baseURL = "http://api.test"
        return try Client(api: api, options: options, transport: transport, clock: FakeClock())
    }

    private func addAttribute(
        _ api: API, _ name: String, to entity: String = "Person", source: String? = nil,
        _ type: AttributeType = .any, format: String? = nil, transform: String? = nil
    ) throws {
        try api.addAttribute(
            name, toEntity: entity, source: source, type: type, format: format,
            transform: transform)
    }

    private func addRelationship(
        _ api: API, _ name: String, of entity: String, to target: String, isMany: Bool = false
    ) throws {
        try api.addRelationship(
            name, toEntity: entity, source: nil, target: target, isMany: isMany,
            isByIdentity: false, policy: .assign)
    }

    private func emptyPeople() throws -> API {
        let api = try TestAPI.load(#"{"restway": 1}"#)
        try api.add(entity: "Person", "{}")
        return api
    }

    func testEntitiesThatReferToEachOtherAreBuiltStepByStep() throws {
        let api = try emptyPeople()
        try api.add(entity: "Team", "{}")
        // An earlier descriptor maps to the entity that these steps have built.
        try api.add(response: #"{"path": "people", "entity": "Person"}"#)
        try api.add(route: "teams", #"{"path": "teams", "response": {"entity": "Team"}}"#)
        try addAttribute(api, "id", source: "key.id", .int)
        try addAttribute(api, "born", .date, format: "dd/MM/yyyy")
        try addAttribute(
            api, "active", .bool, transform: #"{"name": "boolWords", "true": "Y", "false": "N"}"#)
        try addAttribute(api, "id", to: "Team", .int)
        try addRelationship(api, "team", of: "Person", to: "Team")
        try addRelationship(api, "members", of: "Team", to: "Person", isMany: true)
        try api.setIdentity("id", ofEntity: "Person")
        try api.setIdentity("id", ofEntity: "Team")

        let client = try client(api)
        let call = try client.send(.get("people"))
        transport.answer(
            200,
            """
            [{"key": {"id": 1}, "born": "02/01/1970", "active": "N",
              "team": {"id": 7, "members": [{"key": {"id": 1}}, {"key": {"id": 2}}]}}]
            """)
        let person = try XCTUnwrap(try call.wait(milliseconds: 0).objects.first)
        XCTAssertEqual(person.value(named: "born"), .date(86_400_000_000))
        XCTAssertEqual(person.value(named: "active"), .bool(false))
        let team = try XCTUnwrap(client.store.related(person, relationship: 0).first)
        let members = try client.store.related(team, relationship: 0)
        XCTAssertEqual(members.map(\.identity), [.integer(1), .integer(2)])
        XCTAssertTrue(members[0] === person)

        let teams = try client.send(.route("teams"))
        transport.answer(200, #"{"id": 7}"#)
        XCTAssertTrue(try teams.wait(milliseconds: 0).objects.first === team)
        client.close()
    }

    func testWhatIsWrongWithAStepIsSaidAndChangesNothing() throws {
        let api = try emptyPeople()
        try addAttribute(api, "name", .string)
        func relate(_ entity: String, to target: String) throws {
            try addRelationship(api, "a", of: entity, to: target)
        }
        let cases: [(Failure.Reason, String?, () throws -> Void)] = [
            (.unknownEntity, "Persn", { try self.addAttribute(api, "a", to: "Persn") }),
            (.duplicate, "name", { try self.addAttribute(api, "name") }),
            (.config, "$.source", { try self.addAttribute(api, "a", source: "a..b") }),
            (.config, "$.format", { try self.addAttribute(api, "a", .int, format: "yyyy") }),
            (.config, "$.format", { try self.addAttribute(api, "a", .date, format: "YYYY") }),
            (.config, "$.transform", { try self.addAttribute(api, "a", .int, transform: "url") }),
            (.config, "$.transform", { try self.addAttribute(api, "a", .int, transform: "{") }),
            (.config, "$.transform", { try self.addAttribute(api, "a", .int, transform: "{}") }),
            (.unknownEntity, "Team", { try relate("Person", to: "Team") }),
            (.unknownEntity, "Team", { try relate("Team", to: "Person") }),
            (
                .duplicate, "name",
                { try self.addRelationship(api, "name", of: "Person", to: "Person") }
            ),
            (.unknownAttribute, "nam", { try api.setIdentity("nam", ofEntity: "Person") }),
            (.unknownEntity, "Team", { try api.setIdentity(nil, ofEntity: "Team") }),
        ]
        for (reason, field, step) in cases {
            let found = failure(step)
            XCTAssertEqual(found?.reason, reason, found?.message ?? "")
            XCTAssertEqual(found?.field, field, found?.message ?? "")
        }
        let entity = try api.entity(named: "Person")
        XCTAssertEqual(entity.attributes.map(\.name), ["name"])
        XCTAssertEqual(entity.relationships, [])
    }

    func testAnIdentityIsAnIntegerOrAString() throws {
        let api = try emptyPeople()
        try addAttribute(api, "born", .date)
        try addAttribute(api, "id", .string)
        XCTAssertEqual(
            failure { try api.setIdentity("born", ofEntity: "Person") }?.reason, .config)
        try api.setIdentity("id", ofEntity: "Person")
        XCTAssertEqual(try api.entity(named: "Person").identityIndex, 1)
        try api.setIdentity(nil, ofEntity: "Person")
        XCTAssertNil(try api.entity(named: "Person").identityIndex)
    }

    func testAFrozenAPITakesNoSteps() throws {
        let api = try emptyPeople()
        try addAttribute(api, "id", .int)
        let client = try client(api)
        for step in [
            { try self.addAttribute(api, "name") },
            { try self.addRelationship(api, "a", of: "Person", to: "Person") },
            { try api.setIdentity("id", ofEntity: "Person") },
            { try api.addTransform("t", CustomTransform(decode: { $0 }, encode: nil)) },
        ] {
            XCTAssertEqual(failure(step)?.reason, .frozen)
        }
        client.close()
    }

    // MARK: Transforms

    private static let shouting = CustomTransform(
        decode: { value throws(TransformError) in
            guard case .string(let text) = value else { throw TransformError("no text") }
            return .string(text.uppercased())
        }, encode: nil)

    func testAnAttributesOwnTransformOverridesTheDefaultOfItsType() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1,
             "transforms": {"string": "shout", "date": "epoch", "bool": "boolWords"},
             "entities": {"Person": {"attributes": {
                "name": {"type": "string"},
                "code": {"type": "string", "transform": "numberText"},
                "born": {"type": "date"},
                "died": {"type": "date", "format": "dd/MM/yyyy"},
                "met": {"type": "date", "transform": "iso8601"},
                "active": {"type": "bool"}}}},
             "responses": [{"entity": "Person"}]}
            """)
        try api.addTransform("shout", Self.shouting)
        let client = try client(api)
        let call = try client.send(.get("people"))
        transport.answer(
            200,
            """
            {"name": "ada", "code": 5, "born": 1, "died": "02/01/1970",
             "met": "1970-01-01T00:00:01Z", "active": "yes"}
            """)
        let response = try call.wait(milliseconds: 0)
        let person = try XCTUnwrap(response.objects.first)
        XCTAssertEqual(response.issues, [])
        XCTAssertEqual(
            person.entity.attributes.indices.map(person.value(at:)),
            [
                .string("ADA"), .string("5"), .date(1_000_000), .date(86_400_000_000),
                .date(1_000_000), .bool(true),
            ])
        client.close()
    }

    func testASourceThatIsAListOfKeysReadsKeysWithDots() throws {
        let api = try TestAPI.load(
            #"""
            {"restway": 1, "entities": {"Person": {"attributes": {
               "a.b": "nested.name", "literal": ["a.b"], "deep": {"source": ["a", "b.c"]},
               "x.y": {}}, "relationships": {"friends": {
                 "source": ["f.f"], "entity": "Person", "many": true}}}},
             "responses": [{"path": "people", "entity": "Person", "keyPath": ["data.list"]}]}
            """#)
        try addAttribute(api, "added", source: #"["a", "b.c"]"#)
        let client = try client(api)
        defer { client.close() }
        let call = try client.send(.get("people"))
        transport.answer(
            200,
            #"""
            {"data.list": [{"a.b": 1, "a": {"b.c": 2}, "x.y": 3, "nested": {"name": 4},
                            "f.f": [{"x.y": 5}]}]}
            """#)
        let person = try XCTUnwrap(call.wait(milliseconds: 0).objects.first)
        for (name, value) in [("literal", 1), ("deep", 2), ("added", 2), ("x.y", 3), ("a.b", 4)] {
            XCTAssertEqual(person.value(named: name), .int64(Int64(value)), name)
        }
        XCTAssertEqual(person.relatedKeys(at: 0).count, 1)
        // The value is written at the key path from which it was read.
        let draft = Draft(copying: person)
        let spec = RequestSpec(
            target: .path(.post, "people"), subject: .draft(draft, client.store))
        let sent = try client.calls.prepare(
            spec, client.api.loaded, BodyQuestions().asking())
        guard case .bytes(let bytes) = sent.exchange.body else { return XCTFail("no body") }
        let body = String(decoding: bytes, as: UTF8.self)
        XCTAssertTrue(body.contains(#""a.b":1"#), body)
        XCTAssertTrue(body.contains(#""a":{"b.c":2}"#), body)
        for wrong in [#"[""]"#, "[1]", "["] {
            XCTAssertEqual(
                failure { try addAttribute(emptyPeople(), "x", source: wrong) }?.reason, .config)
        }
    }

    func testAnIdentityThatStandsTwiceInAListIsLinkedOnce() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "entities": {"Person": {"identity": "id", "attributes": {"id": "id"},
               "relationships": {"friends": {"entity": "Person", "many": true}}}},
             "responses": [{"path": "people", "entity": "Person"}]}
            """)
        let client = try client(api)
        defer { client.close() }
        let call = try client.send(.get("people"))
        transport.answer(200, #"{"id": 1, "friends": [2, {"id": 3}, 2, {"id": 2}]}"#)
        let person = try XCTUnwrap(call.wait(milliseconds: 0).objects.first)
        XCTAssertEqual(person.relatedKeys(at: 0).count, 2)
    }

    func testAnIssueOfTheWholeBodyReadsAsASentence() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "entities": {"Person": {"attributes": {"name": "name"}}},
             "responses": [{"path": "people", "entity": "Person"}]}
            """)
        var options = ClientOptions()
        options.baseURL = "http://api.test"
        options.calls.isMappingStrict = true
        let client = try Client(
            api: api, options: options, transport: transport, clock: FakeClock())
        defer { client.close() }
        let call = try client.send(.get("people"))
        transport.answer(200, "5")
        let failure = failure { _ = try call.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .mapping)
        XCTAssertNil(failure?.field)
        XCTAssertTrue(
            failure?.message.contains(" does not map: expected an object") ?? false,
            failure?.message ?? "")
    }

    func testAFailingTransformIsAnIssueAndInStrictModeAnError() throws {
        let document = """
            {"restway": 1, "entities": {"Person": {"attributes": {
                "name": {"type": "string", "transform": "shout"}, "age": "age"}}},
             "responses": [{"entity": "Person", "keyPath": "list"}]}
            """
        for isStrict in [false, true] {
            let api = try TestAPI.load(document)
            try api.addTransform("shout", Self.shouting)
            var options = ClientOptions()
            options.baseURL = "http://api.test"
            options.calls.isMappingStrict = isStrict
            let transport = FakeTransport()
            let client = try Client(
                api: api, options: options, transport: transport, clock: FakeClock())
            let call = try client.send(.get("people"))
            transport.answer(200, #"{"list": [{"name": 5, "age": 1}, {"name": "x"}]}"#)
            if isStrict {
                let failure = failure { _ = try call.wait(milliseconds: 0) }
                XCTAssertEqual(failure?.reason, .mapping)
                XCTAssertEqual(failure?.field, "list[0].name")
                XCTAssertEqual(try client.store.count(nil), 0)
            } else {
                let response = try call.wait(milliseconds: 0)
                XCTAssertEqual(response.objects.map { $0.value(at: 0) }, [.absent, .string("X")])
                XCTAssertEqual(
                    response.issues,
                    [
                        MappingIssue(
                            keyPath: "list[0].name", reason: #"transform "shout": no text"#)
                    ])
            }
            client.close()
        }
    }

    func testAClientNeedsAllTransformsAndHooksThatTheDocumentNames() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "transforms": {"any": "early"},
             "entities": {"Person": {"attributes": {
                "name": {"type": "string", "transform": "shout"}}}},
             "responses": [{"entity": "Person", "hook": "family"}]}
            """)
        let failure = failure { _ = try client(api) }
        XCTAssertEqual(failure?.reason, .config)
        XCTAssertEqual(
            failure?.details.map(\.path),
            [
                "$.transforms.any", "$.entities.Person.attributes.name.transform",
                "$.responses[0].hook",
            ])
        try api.addTransform("early", Self.shouting)
        try api.addTransform("shout", Self.shouting)
        try api.addHook("family") { _ in }
        try client(api).close()
        // A route that is added later must be complete at once.
        let late = #"{"path": "a", "response": {"entity": "Person", "hook": "late"}}"#
        XCTAssertThrowsError(try api.add(route: "late", late)) {
            XCTAssertEqual(($0 as? Failure)?.reason, .config)
        }
        try api.addHook("late") { _ in }
        try api.add(route: "late", late)
    }

    func testANameIsTakenOnce() throws {
        let api = try emptyPeople()
        try api.addTransform("shout", Self.shouting)
        XCTAssertEqual(
            failure { try api.addTransform("shout", Self.shouting) }?.reason, .duplicate)
        XCTAssertEqual(
            failure { try api.addTransform("epoch", Self.shouting) }?.reason, .invalidArgument)
        try api.addHook("shout") { _ in }
        XCTAssertEqual(failure { try api.addHook("shout") { _ in } }?.reason, .duplicate)
    }
}
