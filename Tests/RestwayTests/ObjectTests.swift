import Foundation
import LoopbackServer
import Restway
import XCTest

/// Objects, the gaps between them, and the policies of their relationships.
final class ObjectTests: DemoTestCase {
    private let document: JSON = [
        "restway": 1,
        "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
        "entities": [
            "Person": [
                "identity": "id",
                "attributes": [
                    "id": ["type": "int"], "name": "name",
                    "state": ["type": "string", "values": ["open", "closed"]],
                ],
                "relationships": [
                    "friends": ["entity": "Person", "many": true, "empty": "gap"]
                ],
            ]
        ],
        "routes": [
            "person": [
                "method": ["PATCH"], "path": "people/:id", "entity": "Person", "offline": true,
                "request": ["entity": "Person", "changedOnly": true],
            ]
        ],
        "outbox": ["path": "outbox.db", "intervalMilliseconds": -1],
    ]

    private func client(_ server: TestServer? = nil) throws -> Client {
        let file = try temporaryFile("outbox.db")
        var options = Client.Options(baseURL: server?.url("/v2"))
        options.files.outbox = file
        return try ending(Client(API(document: document), options: options))
    }

    private func person(_ client: Client, _ text: String) async throws -> Object {
        let response = try await client.map(Array(text.utf8), by: .entity("Person"))
        return try XCTUnwrap(response.object)
    }

    func testGapsKeepTheirPlaces() async throws {
        let client = try client()
        let ann = try await person(client, #"{"id": 1, "friends": [{"id": 2}, null, {"id": 3}]}"#)
        XCTAssertEqual(try ann.places(of: "friends").map { $0?.identity }, [2, nil, 3])
        XCTAssertEqual(try ann.related("friends").map(\.identity), [2, 3])
        try client.store.delete("Person", 2)
        XCTAssertEqual(try ann.places(of: "friends").map { $0?.identity }, [nil, nil, 3])
        XCTAssertThrowsError(try ann.places(of: "foes")) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .unknownAttribute)
        }
    }

    func testListedValuesAreKnown() async throws {
        let client = try client()
        for (state, isKnown) in [("\"open\"", true), ("\"lost\"", false), ("null", true)] {
            let ann = try await person(client, "{\"id\": 1, \"state\": \(state), \"name\": \"x\"}")
            XCTAssertEqual(ann.isKnown("state"), isKnown, state)
            XCTAssertTrue(ann.isKnown("name"), "an attribute without a list knows all values")
        }
    }

    func testSnapshotsOfOneObjectAreTheSameObject() async throws {
        let client = try client()
        let old = try await person(client, #"{"id": 1, "name": "Ann"}"#)
        let new = try await person(client, #"{"id": 1, "name": "Anna"}"#)
        let other = try await person(client, #"{"id": 2, "name": "Anna"}"#)
        XCTAssertTrue(old.isSame(as: new))
        XCTAssertNotEqual(old, new)
        XCTAssertFalse(new.isSame(as: other))
        XCTAssertEqual(try client.store.newest(old), new)
    }

    func testPoliciesDecideAboutEarlierObjects() async throws {
        for (policy, members, count) in [
            (API.LinkPolicy.assign, [3, 2], 3), (.merge, [1, 2, 3], 3), (.replace, [3, 2], 2),
        ] {
            let api = try API(document: [
                "restway": 1, "environments": ["here": ["baseURL": "http://127.0.0.1:1"]],
                "entities": [
                    "Person": ["identity": "id", "attributes": ["id": ["type": "int"]]],
                    "Team": ["identity": "id", "attributes": ["id": ["type": "int"]]],
                ],
            ])
            try api.addRelationship(
                "members", to: "Team", target: "Person", isMany: true, policy: policy)
            let client = try ending(Client(api))
            for ids in ["{\"id\": 1}, {\"id\": 2}", "{\"id\": 3}, {\"id\": 2}"] {
                let bytes = Array("{\"id\": 7, \"members\": [\(ids)]}".utf8)
                _ = try await client.map(bytes, by: .entity("Team"))
            }
            let team = try XCTUnwrap(client.store.find("Team", 7))
            XCTAssertEqual(
                try team.related("members").map { $0["id"] }, members, "\(policy)")
            XCTAssertEqual(try client.store.count("Person"), count, "\(policy)")
        }
    }

    func testIdentitiesAreSentInPlaceOfObjects() throws {
        for (sendsIdentities, text) in [(true, "[1]"), (false, #"[{"id":1}]"#)] {
            let api = try API(document: [
                "restway": 1, "environments": ["here": ["baseURL": "http://127.0.0.1:1"]],
                "entities": [
                    "Person": ["identity": "id", "attributes": ["id": ["type": "int"]]],
                    "Team": [:],
                ],
                "routes": [
                    "teams": [
                        "method": "POST", "path": "teams", "entity": "Team",
                        "request": ["entity": "Team"],
                    ]
                ],
            ])
            try api.addRelationship(
                "members", to: "Team", target: "Person", isMany: true,
                sendsIdentities: sendsIdentities)
            let client = try ending(Client(api))
            let person = try client.draft("Person", ["id": 1]).insert()
            let team = try client.draft("Team")
            try team.relate("members", to: [person])
            let body = try XCTUnwrap(client.inspect(Request(.post, .draft(team))).body)
            XCTAssertEqual(String(decoding: body, as: UTF8.self), "{\"members\":\(text)}")
        }
    }

    func testAnObjectWhoseChangeWasRefusedIsRejected() async throws {
        let server = try TestServer { connection in
            while connection.readRequest() != nil {
                connection.answer(status: "422 Unprocessable Content")
            }
        }
        let client = try client(server)
        let ann = try await person(client, #"{"id": 1, "name": "Ann"}"#)
        let bob = try await person(client, #"{"id": 2, "name": "Bob"}"#)
        try client.setReachability(.unreachable)
        let draft = try client.draft(of: ann)
        try draft.set("name", to: "Anna")
        let error = try await failure { () throws(RestwayError) in
            try await client.patch(.draft(draft))
        }
        XCTAssertEqual(error.kind, .queued)
        XCTAssertFalse(try client.store.isRejected(ann))
        try client.setReachability(.reachable)
        let items = try await client.outbox.flush()
        XCTAssertEqual(items.map(\.state), [.dead])
        XCTAssertEqual(items.map(\.deathReason), [.refused])
        XCTAssertTrue(try client.store.isRejected(ann))
        XCTAssertFalse(try client.store.isRejected(bob))
        let query = try client.store.query("Person")
        XCTAssertEqual(try query.rejected().all().map(\.identity), [1])
        XCTAssertEqual(try query.rejected(false).all().map(\.identity), [2])
    }
}
