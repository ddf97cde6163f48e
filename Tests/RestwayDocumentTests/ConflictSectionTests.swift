import RestwayObjects
import XCTest

@testable import RestwayDocument
@testable import RestwayOutcome

/// The keys `version` and `conflicts` of entities, and `conflict` of routes.
final class ConflictSectionTests: XCTestCase {
    private func entity(_ api: API, _ name: String) throws -> Entity {
        try XCTUnwrap(api.loaded.definition.mapping(named: name)).entity
    }

    /// The entity Note of a document, with these keys.
    private func note(_ keys: String) throws -> Entity {
        try entity(
            TestAPI.load(
                """
                {"restway": 1, "entities": {"Note": {"identity": "id", \(keys), "attributes": {
                    "id": "id", "title": {"type": "string"}, "rev": {"type": "int"},
                    "changed": {"type": "date"}, "tags": {"type": ["string"]}},
                 "relationships": {"labels": {"entity": "Note", "many": true}}}}}
                """),
            "Note")
    }

    func testAVersionIsInAHeaderOrInAnAttribute() throws {
        let rules: [(String, VersionRule)] = [
            (#"{"header": "ETag"}"#, VersionRule(.entityTag)),
            (#"{"header": "Last-Modified"}"#, VersionRule(.lastModified)),
            (#"{"attribute": "title"}"#, VersionRule(.attribute(1))),
            (#"{"attribute": "changed", "ordered": true}"#,
                VersionRule(.attribute(3), isOrdered: true)),
            (#"{"attribute": "rev", "ordered": true, "send": {"body": "meta.rev"}}"#,
                VersionRule(.attribute(2), isOrdered: true, bodyKeyPath: ["meta", "rev"])),
            (#"{"attribute": "rev", "send": {"body": ["meta.rev"]}}"#,
                VersionRule(.attribute(2), bodyKeyPath: ["meta.rev"])),
        ]
        for (json, rule) in rules {
            XCTAssertEqual(try note(#""version": \#(json)"#).version, rule, json)
        }
        XCTAssertNil(try note(#""keep": true"#).version)
    }

    func testConflictsAreParkedUnlessTheDocumentSaysOtherwise() throws {
        for keys in [#""version": {"header": "ETag"}"#,
            #""version": {"header": "ETag"}, "conflicts": {}"#,
            #""keep": true"#]
        {
            let rules = try note(keys).conflicts
            XCTAssertEqual(rules, ConflictRules(), keys)
            XCTAssertEqual(
                [rules.policy, rules.theyDeleted, rules.iDelete, rules.uncertain],
                [.park, .park, .park, .park], keys)
            XCTAssertEqual(rules.triesMax, 5, keys)
        }
    }

    func testPoliciesOfAttributesAndRelationships() throws {
        let rules = try note(
            """
            "version": {"header": "ETag"},
            "conflicts": {"policy": "mine", "theyDeleted": "theirs", "iDelete": "ask",
                "uncertain": "theirs", "triesMax": 7,
                "attributes": {"title": "theirs", "rev": "add", "tags": "union",
                    "labels": "union"}}
            """
        ).conflicts
        XCTAssertEqual(rules.policy, .mine)
        XCTAssertEqual(rules.theyDeleted, .theirs)
        XCTAssertEqual(rules.iDelete, .ask)
        XCTAssertEqual(rules.uncertain, .theirs)
        XCTAssertEqual(rules.triesMax, 7)
        // The cells of relationships stand behind those of the attributes.
        XCTAssertEqual(rules.cells, [1: .theirs, 2: .add, 4: .union, 5: .union])
        XCTAssertEqual(rules.policy(of: 3), .mine)
    }

    func testAShapeHasTheVersionOfItsBaseAndPoliciesOfItsOwnInFrontOfTheBases() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "entities": {
                "Page": {"extends": "Long", "keep": false},
                "Long": {"extends": "Note", "attributes": {"text": {"type": "string"}},
                    "conflicts": {"theyDeleted": "mine",
                        "attributes": {"title": "ask", "text": "theirs"}}},
                "Note": {"identity": "id", "version": {"attribute": "rev"},
                    "conflicts": {"policy": "theirs", "attributes": {
                        "title": "mine", "author": "ask"}},
                    "attributes": {"id": "id", "title": "title", "rev": "rev"},
                    "relationships": {"author": {"entity": "Note"}}}}}
            """)
        let (base, long) = try (entity(api, "Note"), entity(api, "Long"))
        XCTAssertEqual(base.version, VersionRule(.attribute(2)))
        XCTAssertEqual(long.version, base.version)
        // The objects of all shapes have the same cells: three attributes, the text, the author.
        XCTAssertEqual(base.conflicts.cells, [1: .mine, 4: .ask])
        XCTAssertEqual(long.conflicts.cells, [1: .ask, 3: .theirs, 4: .ask])
        XCTAssertEqual([base, long].map(\.conflicts.policy), [.theirs, .theirs])
        XCTAssertEqual([base, long].map(\.conflicts.theyDeleted), [.park, .mine])
        // The store has no object of this shape, and so no version.
        XCTAssertNil(try entity(api, "Page").version)
    }

    func testAnEntityThatGetsMoreAttributesKeepsItsRules() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "entities": {
                "Long": {"extends": "Note", "attributes": {"text": {"type": "string"}}},
                "Note": {"identity": "id", "version": {"attribute": "rev"},
                    "conflicts": {"attributes": {"labels": "union", "rev": "theirs"}},
                    "attributes": {"id": "id", "rev": "rev"},
                    "relationships": {"labels": {"entity": "Note", "many": true}}}}}
            """)
        try api.addAttribute(
            "extra", toEntity: "Note", source: nil, type: .int, format: nil, transform: nil)
        for name in ["Note", "Long"] {
            let entity = try entity(api, name)
            let cells = try [
                entity.attribute(named: "rev"),
                entity.attributes.count + entity.relationship(named: "labels"),
            ]
            XCTAssertEqual(entity.version, VersionRule(.attribute(cells[0])), name)
            XCTAssertEqual(
                entity.conflicts.cells, [cells[0]: .theirs, cells[1]: .union], name)
        }
    }

    func testProblemsSayWhatIsWrongAndWhere() {
        let problems = TestAPI.problems(
            """
            {"restway": 1, "entities": {
                "Note": {"identity": "id", "version": {"attribute": "title", "ordered": true},
                    "conflicts": {"theyDeleted": "add", "attributes": {
                        "title": "add", "id": "union", "body": "mine", "author": "union"}},
                    "attributes": {"id": {"type": "int"}, "title": {"type": "string"}},
                    "relationships": {"author": {"entity": "Note"}}},
                "Tag": {"identity": "id", "version": {"header": "ETag", "ordered": true,
                    "send": {"body": "rev"}}, "attributes": {"id": "id"}},
                "Log": {"conflicts": {"policy": "mine"}},
                "Long": {"extends": "Note", "version": {"header": "ETag"}}}}
            """)
        let ofHeader = "is for versions in an attribute, not in a header"
        XCTAssertEqual(
            problems,
            [
                "$.entities.Note.version.ordered: an ordered version is of type int or date, "
                    + "\"title\" is of type string",
                "$.entities.Note.conflicts.theyDeleted: unknown policy \"add\" "
                    + "(there are mine, theirs, park, ask)",
                "$.entities.Note.conflicts.attributes.title: \"add\" is for numbers, \"title\" is "
                    + "of type string",
                "$.entities.Note.conflicts.attributes.id: \"union\" is for lists, \"id\" is of "
                    + "type int",
                "$.entities.Note.conflicts.attributes.body: unknown attribute or relationship "
                    + "\"body\"",
                "$.entities.Note.conflicts.attributes.author: \"union\" is for lists, \"author\" "
                    + "is a relationship to one object",
                "$.entities.Tag.version.ordered: \(ofHeader)",
                "$.entities.Tag.version.send: \(ofHeader)",
                "$.entities.Log.conflicts: stands without \"version\"",
                "$.entities.Long.version: Long extends Note ($.entities.Note), and shares its "
                    + "versions",
            ])
    }

    // MARK: Routes

    private func settings(_ conflict: String) throws -> ConflictSettings {
        let api = try TestAPI.load(
            """
            {"restway": 1, "routes": {
                "note": {"method": "PATCH", "path": "notes/:id", "conflict": \(conflict)}}}
            """)
        let route = try api.loaded.definition.routes.route(named: "note")
        return api.loaded.definition.settings(of: route).conflict
    }

    func testWithoutAWordOfTheRouteA412IsAConflict() throws {
        for settings in [ConflictSettings(), try settings("{}")] {
            XCTAssertEqual(settings, ConflictSettings())
            XCTAssertEqual(settings.newest, .fetch)
            XCTAssertTrue(settings.isConflict(status: 412, code: nil))
            XCTAssertTrue(settings.isConflict(status: 412, code: "ABORTED"))
            XCTAssertFalse(settings.isConflict(status: 409, code: "ABORTED"))
        }
    }

    func testStatusesCountBesides412AndCodesWithEveryRefusal() throws {
        let settings = try settings(#"{"status": ["420-428", 409], "codes": ["ABORTED", 17]}"#)
        XCTAssertTrue(settings.isConflict(status: 422, code: nil))
        XCTAssertTrue(settings.isConflict(status: 412, code: nil))
        XCTAssertFalse(settings.isConflict(status: 429, code: nil))
        for status in [400, 409, 412] {
            XCTAssertTrue(settings.isConflict(status: status, code: "ABORTED"), "\(status)")
            XCTAssertTrue(settings.isConflict(status: status, code: "17"), "\(status)")
        }
        XCTAssertFalse(settings.isConflict(status: 500, code: "ABORTED"))
        // A 409 also says that the server still works on the request.
        XCTAssertFalse(settings.isConflict(status: 409, code: nil))
        XCTAssertFalse(settings.isConflict(status: 409, code: "BUSY"))
        XCTAssertFalse(
            try self.settings(#"{"status": "4xx"}"#).isConflict(status: 409, code: nil))
    }

    func testThePlaceOfTheNewestValues() throws {
        XCTAssertEqual(try settings(#"{"newest": "fetch"}"#).newest, .fetch)
        XCTAssertEqual(try settings(#"{"newest": "body"}"#).newest, .body(keyPath: []))
        XCTAssertEqual(
            try settings(#"{"newest": "body", "keyPath": "details.existing"}"#).newest,
            .body(keyPath: ["details", "existing"]))
        XCTAssertEqual(
            try settings(#"{"inProgress": ["/busy", "/later"]}"#).inProgressTypes,
            ["/busy", "/later"])
    }

    func testA409WithoutCodesIsReported() {
        let problems = TestAPI.problems(
            """
            {"restway": 1, "routes": {
                "note": {"method": "PUT", "path": "notes/:id", "conflict": {"status": [409]}}}}
            """)
        XCTAssertEqual(
            problems,
            [
                "$.routes.note.conflict.status: a 409 is a conflict only by its code, because it "
                    + "may also say that the server still works on the request: name the code in "
                    + "\"codes\""
            ])
    }
}
