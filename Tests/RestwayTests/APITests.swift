import Restway
import XCTest

/// The document, its mistakes, and JSON values.
final class APITests: XCTestCase {
    private let document: JSON = [
        "restway": 1,
        "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
        "entities": ["Note": ["identity": "id", "attributes": ["id": ["type": "int"]]]],
        "routes": ["note": ["path": "notes/:id", "response": ["entity": "Note"]]],
    ]

    func testADocumentIsALiteralOrATextOrAFile() throws {
        let literal = try API(document: document)
        let text = try API(json: document.description)
        for api in [literal, text] {
            XCTAssertEqual(api.environments, ["local"])
            XCTAssertEqual(api.entities, ["Note"])
            XCTAssertEqual(api.routes, ["note"])
        }
        let file = try API(file: DemoAPI.path("examples/demo-api/demo.restway.json"))
        XCTAssertTrue(file.entities.contains("Enterprise"))
    }

    func testEveryMistakeIsNamedWithItsPlace() {
        XCTAssertThrowsError(
            try API(document: ["restway": 1, "routes": ["note": ["paht": "notes/:id"]]])
        ) { error in
            let error = error as? RestwayError
            XCTAssertEqual(error?.kind, .config)
            XCTAssertEqual(
                error?.details.map(\.path), ["$.routes.note.paht", "$.routes.note"])
            XCTAssertEqual(error?.description.split(separator: "\n").count, 3)
        }
    }

    func testAFileThatIsMissingIsAnError() {
        XCTAssertThrowsError(try API(file: "/nowhere.json")) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .io)
        }
    }

    func testRoutesAndEntitiesAreAdded() throws {
        let api = try API(document: document)
        try api.addEntity("Tag", ["attributes": ["name": "name"]])
        try api.addRoute("tags", ["path": "tags", "response": ["entity": "Tag"]])
        XCTAssertEqual(api.entities, ["Note", "Tag"])
        try api.joinRoutes("noteTags", parent: "note", child: "tags")
        XCTAssertEqual(api.routes, ["note", "tags", "noteTags"])
        XCTAssertThrowsError(try api.addRoute("tags", ["path": "labels"])) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .duplicate)
        }
        try api.addRoute("tags", ["path": "labels"], replaces: true)
        _ = try Client(api)
        XCTAssertThrowsError(try api.addEntity("Late", [:])) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .frozen)
        }
    }

    func testPartsOfADocumentAreAddedOneByOne() async throws {
        let api = try API(document: [
            "restway": 1, "x-note": ["a": [1, 2]],
            "environments": ["here": ["baseURL": "http://127.0.0.1:9"]],
        ])
        try api.addEntity("Person", [:])
        try api.addEntity("Team", [:])
        try api.addAttribute("id", to: "Person", type: .int)
        try api.addAttribute("name", to: "Person", source: "profile.name", type: .string)
        try api.addAttribute(
            "code", to: "Person", type: .string, transform: ["plain", "numberText"])
        try api.setIdentity("id", of: "Person")
        try api.addAttribute("title", to: "Team", type: .string)
        try api.addRelationship(
            "members", to: "Team", target: "Person", source: "people", isMany: true,
            policy: .merge)
        try api.addRoute(
            "team", ["method": ["GET", "POST"], "path": "team", "entity": "Team", "x-page": 3])
        try api.addResponse(["path": "team", "entity": "Team"])
        try api.addRequest(
            ["method": "POST", "path": "team", "entity": "Team", "keyPath": "team"])
        XCTAssertEqual(try api.json(at: "/x-note/a/1"), 2)
        XCTAssertNil(try api.json(at: "/nothing"))
        XCTAssertEqual(try api.json()?["entities"]?["Person"]?["identity"], "id")
        XCTAssertEqual(try api.property("x-page", ofRoute: "team"), 3)
        XCTAssertNil(try api.property("x-other", ofRoute: "team"))
        XCTAssertEqual(api.routes(of: "Team"), ["team"])
        XCTAssertEqual(api.routes(of: "Person"), [])
        XCTAssertThrowsError(try api.addAttribute("name", to: "Person")) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .duplicate)
        }
        let client = try Client(api)
        let body = #"{"title": "A", "people": [{"id": 7, "profile": {"name": "Ann"}}]}"#
        let team = try await client.map(Array(body.utf8), by: .entity("Team")).object
        let member = try XCTUnwrap(team?.related("members").first)
        XCTAssertEqual(member.identity, 7)
        XCTAssertEqual(member["name"], "Ann")
        let draft = try client.draft("Team", ["title": "B"])
        let sent = try client.inspect(Request(.post, .draft(draft))).body
        XCTAssertEqual(sent.map { String(decoding: $0, as: UTF8.self) }, #"{"team":{"title":"B"}}"#)
        XCTAssertThrowsError(try api.setIdentity(nil, of: "Person")) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .frozen)
        }
    }

    func testADocumentIsCheckedWithoutAnAPI() throws {
        try API.check(json: #"{"restway": 1}"#)
        XCTAssertThrowsError(try API.check(json: #"{"restway": 2, "a": 1}"#)) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .config)
        }
    }

    func testAnUnknownEnvironmentIsRefused() throws {
        let api = try API(document: document)
        XCTAssertThrowsError(try Client(api, options: .init(environment: "moon"))) { error in
            let error = error as? RestwayError
            XCTAssertEqual(error?.kind, .unknownEnvironment)
            XCTAssertEqual(error?.field, "moon")
        }
    }

    func testALimitOutOfItsRangeIsRefused() throws {
        var options = Client.Options()
        options.limits.objects = 0
        XCTAssertThrowsError(try Client(API(document: document), options: options)) { error in
            XCTAssertEqual((error as? RestwayError)?.field, "options.limits.objects")
        }
    }

    func testJSONValuesAreWrittenAndRead() throws {
        let value: JSON = [
            "a": nil, "b": [true, 1, 2.5, "x"], "c": ["d": "\(1 + 1)"], "e": -9_007_199_254_740_993,
        ]
        let text = #"{"a":null,"b":[true,1,2.5,"x"],"c":{"d":"2"},"e":-9007199254740993}"#
        XCTAssertEqual(value.description, text)
        XCTAssertEqual(try JSON(parsing: text), value)
        XCTAssertEqual(try JSON(encoding: value), value)
        XCTAssertEqual(value["c"]?["d"]?.string, "2")
        XCTAssertEqual(value["b"]?[1]?.integer, 1)
        XCTAssertEqual(value["b"]?[1]?.number, 1)
        XCTAssertEqual(value["b"]?[0]?.bool, true)
        XCTAssertNil(value["b"]?[9])
        XCTAssertThrowsError(try JSON(parsing: "{")) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .invalidArgument)
        }
    }
}
