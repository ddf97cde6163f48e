import Foundation
import Restway
import XCTest

/// Identities of several parts, without a server.
final class IdentityTests: DemoTestCase {
    private struct Issue: Mapped, Equatable {
        static let entity = "Issue"
        static var names: [PartialKeyPath<Issue>: String] { [\.number: "number"] }

        let owner: String
        let repo: String
        let number: Int
        let title: String?
    }

    private let document: JSON = [
        "restway": 1,
        "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
        "entities": [
            "Issue": [
                "identity": ["owner", "repo", "number"],
                "attributes": [
                    "owner": ["type": "string"], "repo": ["type": "string"],
                    "number": ["type": "int"], "title": ["type": "string"],
                ],
            ],
            "Line": [
                "attributes": ["order": ["type": "int"], "number": ["type": "int"]]
            ],
        ],
    ]

    func testIssuesOfTwoRepositoriesAreFoundByAllParts() throws {
        let client = try ending(Client(API(document: document)))
        for repo in ["hello", "world"] {
            _ = try client.draft(
                "Issue", ["owner": "octocat", "repo": repo, "number": 7, "title": repo]
            ).insert()
        }
        let found = try XCTUnwrap(client.store.find("Issue", ["octocat", "world", 7]))
        XCTAssertEqual(found.identity, ["octocat", "world", 7])
        XCTAssertEqual(found.identity, .parts([.string("octocat"), .string("world"), .integer(7)]))
        XCTAssertEqual(found.description, #"<Issue ["octocat","world",7]>"#)
        XCTAssertEqual(found.attributeNames, ["number", "owner", "repo", "title"])
        XCTAssertEqual(
            try client.store.find(Issue.self, ["octocat", "hello", 7]),
            Issue(owner: "octocat", repo: "hello", number: 7, title: "hello"))
        XCTAssertNil(try client.store.find("Issue", ["octocat", "world", 8]))
        XCTAssertTrue(try client.store.delete("Issue", ["octocat", "hello", 7]))
        XCTAssertEqual(try client.store.count("Issue"), 1)
    }

    func testOtherPartsAreRefused() throws {
        let client = try ending(Client(API(document: document)))
        for identity: Object.Identity in [7, "octocat", ["octocat", 7], ["octocat", "a", "7"],
            ["octocat", ["a"], 7]]
        {
            XCTAssertThrowsError(try client.store.find("Issue", identity)) { error in
                let message = (error as? RestwayError)?.message ?? ""
                XCTAssertTrue(
                    message.contains("owner (string), repo (string), number (int)"), message)
            }
        }
    }

    func testAFunctionSetsTheParts() throws {
        let api = try API(document: document)
        try api.setIdentity(["order", "number"], of: "Line")
        let client = try ending(Client(api))
        for order in [1, 2] {
            _ = try client.draft("Line", ["order": order, "number": 1]).insert()
        }
        XCTAssertEqual(try client.store.count("Line"), 2)
        XCTAssertEqual(try client.store.find("Line", [2, 1])?["order"], 2)
    }
}
