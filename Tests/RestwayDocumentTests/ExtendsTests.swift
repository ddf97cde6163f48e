import RestwayMapping
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayDocument
@testable import RestwayOutcome

/// Entities that extend others, in a document and by functions.
final class ExtendsTests: XCTestCase {
    private let document = """
        {"restway": 1, "entities": {
            "Admin": {"extends": "Member", "attributes": {"rights": {"type": "json"}}},
            "User": {"identity": "id", "fullText": ["login"],
                "attributes": {"id": {"type": "int"}, "login": "login"},
                "relationships": {"boss": {"entity": "User"}}},
            "Bot": {"extends": "User", "attributes": {"about": "description"}},
            "Member": {"extends": "User", "fullText": ["about"],
                "attributes": {"about": "about", "login": "profile.login"}}},
         "routes": {
            "user": {"path": "users/:id", "entity": "User", "method": ["GET", "PATCH"],
                "request": {"changedOnly": true}},
            "member": {"path": "members/:id", "entity": "Member"}},
         "requests": [
            {"method": "PATCH", "path": "users/:id", "entity": "Bot", "nulls": "omit"}]}
        """

    private func mapping(_ api: API, _ name: String) throws -> EntityMapping {
        try XCTUnwrap(api.loaded.definition.mapping(named: name))
    }

    private func names(_ entity: Entity) -> [String] {
        entity.ownAttributes.map { entity.attributes[$0].name }
    }

    func testAShapeInherits() throws {
        let api = try TestAPI.load(document)
        let (user, member, admin, bot) = try (
            mapping(api, "User"), mapping(api, "Member"), mapping(api, "Admin"),
            mapping(api, "Bot")
        )
        XCTAssertEqual(names(user.entity), ["id", "login"])
        XCTAssertEqual(names(member.entity), ["id", "login", "about"])
        XCTAssertEqual(names(admin.entity), ["id", "login", "about", "rights"])
        XCTAssertEqual(names(bot.entity), ["id", "login", "about"])
        XCTAssertEqual(admin.entity.baseName, "Member")
        XCTAssertNil(user.entity.baseName)
        XCTAssertEqual(admin.attributes.map(\.source), [["id"], ["profile", "login"], ["about"],
            ["rights"]])
        XCTAssertEqual(
            bot.attributes.map(\.source), [["id"], ["login"], ["description"]])
        for mapping in [user, member, admin, bot] {
            let entity = mapping.entity
            XCTAssertEqual(entity.identityIndex, 0)
            XCTAssertEqual(entity.fullText.map { entity.attributes[$0].name }, ["login", "about"])
            XCTAssertEqual(mapping.relationships.count, 1)
        }
        XCTAssertTrue(admin.entity.isA(user.entity) && admin.entity.isA(member.entity))
        XCTAssertFalse(bot.entity.isA(member.entity) || user.entity.isA(bot.entity))
        XCTAssertEqual(
            failure { _ = try user.entity.ownAttribute(named: "about") }?.reason,
            .unknownAttribute)
        XCTAssertEqual(api.names(.entities), ["Admin", "User", "Bot", "Member"])
    }

    func testRoutesAndDescriptorsOfTheBaseServeItsShapes() throws {
        let api = try TestAPI.load(document)
        let loaded = api.loaded
        let (admin, bot) = try (mapping(api, "Admin").entity, mapping(api, "Bot").entity)
        XCTAssertEqual(try loaded.route(for: admin, method: .get).name, "member")
        let users = try loaded.route(for: admin, method: .patch)
        XCTAssertEqual(users.name, "user")
        XCTAssertEqual(
            failure {
                do {
                    _ = try loaded.route(for: admin, method: .delete)
                } catch let error as RoutingError {
                    throw Failure(error)
                }
            }?.message.contains("Admin"), true)
        let own = try XCTUnwrap(
            loaded.requestDescriptor(method: .patch, entity: admin, route: users, path: nil))
        XCTAssertTrue(own.isChangedOnly)
        let near = try XCTUnwrap(
            loaded.requestDescriptor(method: .patch, entity: bot, route: nil, path: "users/1"))
        XCTAssertEqual(near.mapping.entity.name, "Bot", "the nearest entity")
    }

    func testFunctionsExtend() throws {
        let api = try TestAPI.load(#"{"restway": 1}"#)
        try api.add(entity: "User", #"{"attributes": {"id": "id"}, "identity": "id"}"#)
        try api.add(entity: "Bot", #"{"extends": "User", "attributes": {"token": "token"}}"#)
        try api.addAttribute(
            "login", toEntity: "User", source: nil, type: .string, format: nil, transform: nil)
        try api.addAttribute(
            "size", toEntity: "Bot", source: nil, type: .int, format: nil, transform: nil)
        try api.addRelationship(
            "boss", toEntity: "User", source: nil, target: "Bot", isMany: false,
            isByIdentity: false, policy: .assign)
        XCTAssertEqual(names(try mapping(api, "Bot").entity), ["id", "login", "token", "size"])
        XCTAssertEqual(names(try mapping(api, "User").entity), ["id", "login"])
        XCTAssertEqual(try mapping(api, "Bot").relationships.count, 1)
        XCTAssertEqual(
            failure {
                try api.addAttribute(
                    "token", toEntity: "User", source: nil, type: .bytes, format: nil,
                    transform: nil)
            }?.details.map(\.path), ["$.entities.Bot.attributes.token"])
        XCTAssertEqual(names(try mapping(api, "User").entity), ["id", "login"])
        XCTAssertEqual(
            failure { try api.setIdentity("token", ofEntity: "Bot") }?.message,
            "Bot extends User, and shares its identity")
        try api.setIdentity("login", ofEntity: "User")
        let bot = try mapping(api, "Bot").entity
        XCTAssertEqual(bot.identityIndex.map { bot.attributes[$0].name }, "login")
        XCTAssertEqual(
            failure { try api.add(entity: "Cat", #"{"extends": "Cat"}"#) }?.details.count, 1)
        XCTAssertEqual(
            failure { try api.add(entity: "Cat", #"{"extends": "Usr"}"#) }?.details.first?.message,
            #"unknown entity "Usr"; did you mean "User"?"#)
    }

    func testErrorsNameBothPlaces() {
        XCTAssertEqual(
            TestAPI.problems(
                """
                {"restway": 1, "entities": {
                    "A": {"extends": "B"}, "B": {"extends": "C"}, "C": {"extends": "B"},
                    "User": {"identity": "id", "attributes": {"id": {"type": "int"}}},
                    "One": {"extends": "User", "attributes": {"x": {"type": "int"},
                        "id": {"type": "string"}}},
                    "Two": {"extends": "User", "identity": "x", "attributes": {"x": "x"},
                        "relationships": {"id": {"entity": "User"}}}}}
                """),
            [
                "$.entities.B.extends: entities extend each other: B extends C extends B "
                    + "($.entities.B and $.entities.C)",
                "$.entities.Two.identity: Two extends User ($.entities.User), and shares its "
                    + "identity",
                "$.entities.One.attributes.id: is of type string, and of type int at "
                    + "$.entities.User.attributes.id",
                "$.entities.Two.attributes.x: is of type any, and of type int at "
                    + "$.entities.One.attributes.x",
                "$.entities.Two.relationships.id: is a relationship, and an attribute at "
                    + "$.entities.User.attributes.id",
            ])
    }
}

extension API {
    fileprivate func add(entity name: String, _ json: String) throws {
        let bytes = Array(json.utf8)
        let result: Result<Void, Failure> = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try addEntity(name, bytes) }
        }
        try result.get()
    }
}
