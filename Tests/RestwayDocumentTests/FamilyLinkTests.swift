import RestwayMapping
import RestwayObjects
import XCTest

@testable import RestwayDocument
@testable import RestwayOutcome

/// Entities that extend others, together with maps, whole objects, unions, constants and defaults.
final class FamilyLinkTests: XCTestCase {
    private func mapping(_ api: API, _ name: String) throws -> EntityMapping {
        try XCTUnwrap(api.loaded.definition.mapping(named: name))
    }

    private func addAttribute(_ name: String, to entity: String, of api: API) throws {
        try api.addAttribute(
            name, toEntity: entity, source: nil, type: .string, format: nil, transform: nil)
    }

    // MARK: Maps

    private let maps = """
        {"restway": 1, "entities": {
            "Team": {"identity": "id", "attributes": {"id": {"type": "int"}}, "relationships": {
                "people": {"entity": "Member", "many": true, "map": "nick"},
                "payers": {"entity": "Member", "many": true, "map": "plan"}}},
            "Club": {"extends": "Team"},
            "User": {"identity": "id", "attributes": {
                "id": {"type": "int"}, "nick": {"type": "string"}}},
            "Member": {"extends": "User", "attributes": {"plan": {"type": "string"}}}}}
        """

    /// The names of the attributes that have the keys of maps.
    private func keys(_ api: API, _ name: String) throws -> [String?] {
        let member = try mapping(api, "Member").entity
        return try mapping(api, name).relationships.map { relationship in
            relationship.mapKey.map { member.attributes[$0.attribute].name }
        }
    }

    func testAMapOfAShapeHasInheritedAndOwnAttributesAsKeys() throws {
        let api = try TestAPI.load(maps)
        for name in ["Team", "Club"] { XCTAssertEqual(try keys(api, name), ["nick", "plan"]) }
    }

    func testKeysOfMapsFollowTheirAttributesWhenTheFamilyGetsMore() throws {
        let api = try TestAPI.load(maps)
        let before = try mapping(api, "Member").entity.attributeIndex(named: "plan")
        try addAttribute("mail", to: "User", of: api)
        let after = try mapping(api, "Member").entity.attributeIndex(named: "plan")
        XCTAssertNotEqual(before, after, "the test has to move the attribute")
        for name in ["Team", "Club"] { XCTAssertEqual(try keys(api, name), ["nick", "plan"]) }
        try addAttribute("motto", to: "Club", of: api)
        for name in ["Team", "Club"] { XCTAssertEqual(try keys(api, name), ["nick", "plan"]) }
    }

    func testAnAttributeOfAnotherShapeIsNoKey() {
        XCTAssertEqual(
            TestAPI.problems(
                """
                {"restway": 1, "entities": {
                    "Team": {"relationships": {
                        "people": {"entity": "Member", "many": true, "map": "token"},
                        "days": {"entity": "User", "many": true, "map": "day"}}},
                    "Club": {"extends": "Team"},
                    "User": {"identity": "id", "attributes": {
                        "id": {"type": "int"}, "day": {"type": "date"}}},
                    "Bot": {"extends": "User", "attributes": {"token": "token"}},
                    "Member": {"extends": "User"}}}
                """),
            [
                "$.entities.Team.relationships.people.map: unknown attribute \"token\"",
                "$.entities.Team.relationships.days.map: a key is of type string, int or any, and "
                    + "has no transform, \"day\" is not",
            ])
    }

    // MARK: Whole objects

    func testACircleThroughAnInheritedRelationshipIsReportedOnceAtItsPlace() {
        XCTAssertEqual(
            TestAPI.problems(
                """
                {"restway": 1, "entities": {
                    "User": {"relationships": {"self": {"entity": "Member", "source": []}}},
                    "Member": {"extends": "User"}, "Admin": {"extends": "Member"}}}
                """),
            [
                "$.entities.User.relationships.self.source: the whole object would contain itself "
                    + "without end"
            ])
    }

    func testProgramsMakeNoCircleThroughAShape() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "entities": {
                "User": {"attributes": {"name": "name"}}, "Member": {"extends": "User"},
                "Badge": {"relationships": {"owner": {"entity": "Member", "source": []}}}}}
            """)
        let refused = failure {
            try api.addRelationship(
                "badge", toEntity: "User", source: "[]", target: "Badge", isMany: false,
                isByIdentity: false, policy: .assign)
        }
        XCTAssertEqual(refused?.message, "the whole object would contain itself without end")
        XCTAssertEqual(try mapping(api, "Member").relationships.count, 0)
        try api.addRelationship(
            "badge", toEntity: "User", source: "badge", target: "Badge", isMany: false,
            isByIdentity: false, policy: .assign)
        XCTAssertEqual(try mapping(api, "Member").relationships.count, 1)
    }

    // MARK: Unions

    private let unions = """
        {"restway": 1, "entities": {
            "User": {"identity": "id", "attributes": {"id": {"type": "int"}}},
            "Bot": {"extends": "User", "attributes": {"token": "token"}},
            "Owner": {"identity": "key", "attributes": {"key": "key", "id": {"type": "int"}},
                "relationships": {"by": {"entity": {"oneOf": ["Owner", "User"]}}}},
            "Shop": {"extends": "Owner"}},
         "unions": {"Item": {"oneOf": ["Shop", "Bot"]}},
         "routes": {"items": {"path": "items", "response": {"entity": "Item"}}}}
        """

    func testUnionsHaveTheirShapesAfterChanges() throws {
        let api = try TestAPI.load(unions)
        try addAttribute("login", to: "User", of: api)
        let plan = try XCTUnwrap(
            api.loaded.plan(
                method: .get, status: 200,
                .init(route: try api.loaded.definition.routes.route(named: "items"), path: nil),
                mediaType: nil))
        XCTAssertEqual(plan.descriptors.map { $0.mapping.entity.name }, ["Shop"])
        let shop = try mapping(api, "Shop")
        XCTAssertTrue(plan.descriptors[0].mapping === shop)
        XCTAssertEqual(shop.relationships.map { $0.union?.name }, ["Owner | User"])
        XCTAssertEqual(
            shop.entity.relationships[0].targets.map { api.entities(at: [$0])[0].name },
            ["Owner", "User"])
        let bot = try mapping(api, "Bot").entity
        XCTAssertTrue(shop.entity.links(shop.entity.relationships[0], to: bot))
    }

    func testMembersOfAFamilyWithoutARuleAreToldApartByNothing() {
        XCTAssertEqual(
            TestAPI.problems(
                """
                {"restway": 1, "entities": {
                    "User": {"identity": "id", "attributes": {"id": {"type": "int"}},
                        "relationships": {"by": {"entity": {"oneOf": ["User", "Bot"]}}}},
                    "Bot": {"extends": "User"}, "Member": {"extends": "User"}},
                 "unions": {"Item": {"oneOf": ["Member", "Bot"]},
                    "Told": {"oneOf": ["Member", "Bot"], "keys": {"Member": ["plan"]}}}}
                """),
            [
                "$.unions.Item: nothing tells \"Member\" and \"Bot\" apart; give a "
                    + "\"discriminator\" or \"keys\"",
                "$.entities.User.relationships.by.entity: nothing tells \"User\" and \"Bot\" "
                    + "apart; give a \"discriminator\" or \"keys\"",
            ])
    }

    func testAnIdentityOfAProgramMustTellMembersApart() throws {
        let api = try TestAPI.load(unions)
        let refused = failure { try api.setIdentity("id", ofEntity: "Owner") }
        XCTAssertEqual(
            refused?.details.map(\.path),
            ["$.unions.Item", "$.entities.Owner.relationships.by.entity"])
        XCTAssertEqual(try mapping(api, "Shop").entity.identityIndex, 0)
    }

    // MARK: Rules of values

    func testAShapeRepeatsTheRulesOfAnInheritedAttribute() throws {
        func document(_ rules: String) -> String {
            """
            {"restway": 1, "entities": {
                "User": {"attributes": {"state": {"type": "string", "default": "new",
                    "values": ["new", "old"]}}},
                "Member": {"extends": "User", "attributes": {
                    "state": {"type": "string", "source": "status"\(rules)}}}}}
            """
        }
        let api = try TestAPI.load(document(#", "default": "new", "values": ["new", "old"]"#))
        let member = try mapping(api, "Member")
        XCTAssertEqual(member.entity.attributes[0].rules.initial, .string("new"))
        XCTAssertEqual(member.attributes[0].source, ["status"])
        let others = [#", "default": "old", "values": ["new", "old"]"#, #", "constant": "new""#]
        for rules in others + [""] {
            XCTAssertEqual(
                TestAPI.problems(document(rules)),
                [
                    "$.entities.Member.attributes.state: differs from the attribute at "
                        + "$.entities.User.attributes.state in its constant, its default or its "
                        + "listed values"
                ])
        }
    }

    func testNoShapeReadsTheIdentityFromTheWholeObject() {
        XCTAssertEqual(
            TestAPI.problems(
                """
                {"restway": 1, "entities": {
                    "User": {"identity": "id", "attributes": {"id": "id"}},
                    "Member": {"extends": "User", "attributes": {"id": {"source": []}}}}}
                """),
            ["$.entities.Member.attributes.id.source: the whole object is no identity"])
    }
}
