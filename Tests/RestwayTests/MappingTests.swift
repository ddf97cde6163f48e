import Foundation
import LoopbackServer
import Restway
import XCTest

/// Answers that are values, and bytes that did not come over HTTP.
final class MappingTests: DemoTestCase {
    private struct Issue: Decodable, Equatable {
        let number: Int
        let title: String
    }

    private let document: JSON = [
        "restway": 1,
        "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
        "entities": DemoTestCase.issues,
        "routes": [
            "count": ["path": "count", "response": ["type": "int", "keyPath": "total"]],
            "labels": ["path": "labels", "response": ["type": ["string"]]],
            "days": ["path": "days", "response": ["type": ["*": ["date"]]]],
            "report": ["path": "report", "response": ["type": "json"]],
            "text": ["path": "text", "parse": "text"],
            "issues": ["path": "issues", "response": ["entity": "Issue", "keyPath": "items"]],
        ],
    ]

    private func client(answering body: String) throws -> (Client, TestServer) {
        let server = try TestServer { connection in
            while connection.readRequest() != nil {
                connection.answer(body, headers: ["Content-Type: application/json"])
            }
        }
        return (try client(of: server, document), server)
    }

    private let bytes = Array(#"{"items": [{"number": 1, "title": "a"}, {"number": 2}]}"#.utf8)

    // MARK: Values

    func testASingleValue() async throws {
        let (client, server) = try client(answering: #"{"total": 17}"#)
        let count: Int = try await client.get(.route("count"))
        XCTAssertEqual(count, 17)
        let response = try await client.get(.route("count"))
        XCTAssertEqual(response.value, .integer(17))
        XCTAssertEqual(response.objects, [])
        let error = try await failure { () throws(RestwayError) in
            let _: String = try await client.get(.route("count"))
        }
        XCTAssertEqual(error.kind, .mapping)
        withExtendedLifetime(server) {}
    }

    func testListsAndMaps() async throws {
        let (first, server) = try client(answering: #"["bug", "urgent"]"#)
        let labels: [String] = try await first.get(.route("labels"))
        XCTAssertEqual(labels, ["bug", "urgent"])
        let json: JSON = try await first.get(.route("labels"))
        XCTAssertEqual(json, ["bug", "urgent"])
        let (second, other) = try client(answering: #"{"a": ["1970-01-02T00:00:00Z"], "b": []}"#)
        let days: [String: [Date]] = try await second.get(.route("days"))
        XCTAssertEqual(days, ["a": [Date(timeIntervalSince1970: 86_400)], "b": []])
        struct Report: Decodable, Equatable { let a: [String] }
        let report: Report = try await second.get(.route("report"))
        XCTAssertEqual(report, Report(a: ["1970-01-02T00:00:00Z"]))
        let text: String = try await second.get(.route("text"))
        XCTAssertTrue(text.hasPrefix("{\"a\""))
        withExtendedLifetime((server, other)) {}
    }

    func testAValueThatDoesNotFitIsMissing() async throws {
        let (client, server) = try client(answering: #"{"total": "many"}"#)
        let response = try await client.get(.route("count"))
        XCTAssertNil(response.value)
        XCTAssertEqual(response.issueCount, 1)
        let error = try await failure { () throws(RestwayError) in
            let _: Int = try await client.get(.route("count"))
        }
        XCTAssertEqual(error.kind, .mapping)
        withExtendedLifetime(server) {}
    }

    // MARK: Other bytes

    func testBytesAreMappedIntoTheStore() async throws {
        let client = try ending(Client(API(document: document)))
        let response = try await client.map(bytes, by: .entity("Issue", keyPath: "items"))
        XCTAssertEqual(response.objects.compactMap { $0["number"] }, [1, 2])
        XCTAssertEqual(response.status, 0)
        XCTAssertEqual(try client.store.count("Issue"), 2)
        let issue: Issue = try await client.map(Data(bytes), by: .route("issues"))
        XCTAssertEqual(issue, Issue(number: 1, title: "a"))
        let labels: [String] = try await client.map(
            Array(#"["x"]"#.utf8), by: .route("labels"))
        XCTAssertEqual(labels, ["x"])
    }

    func testObjectsCanStayOutOfTheStore() async throws {
        let client = try ending(Client(API(document: document)))
        let progress = ProgressReporter()
        let response = try await client.map(
            bytes, by: .route("issues").withoutStoring(), progress: progress)
        XCTAssertEqual(response.object?["title"], "a")
        XCTAssertEqual(try client.store.count(), 0)
        XCTAssertEqual(progress.state.objects.done, 2)
        XCTAssertEqual(progress.state.fraction, 1)
    }

    func testOneObjectOfSeveralShapes() async throws {
        let document: JSON = [
            "restway": 1,
            "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
            "entities": [
                "User": ["identity": "id", "attributes": ["id": "id", "login": "login"]],
                "Member": ["extends": "User", "attributes": ["plan": "plan"]],
                "Bot": ["extends": "User"],
            ],
        ]
        let client = try ending(Client(API(document: document)))
        _ = try await client.map(Array(#"{"id": 1, "plan": "pro"}"#.utf8), by: .entity("Member"))
        let response = try await client.map(
            Array(#"{"id": 1, "login": "ada"}"#.utf8), by: .entity("User"))
        let user = try XCTUnwrap(response.object)
        XCTAssertEqual(user.entity, "Member")
        XCTAssertTrue(user.isA("User") && user.isA("Member"))
        XCTAssertFalse(user.isA("Bot") || user.isA("Nothing"))
        XCTAssertEqual(user["plan"], "pro")
        XCTAssertEqual(user["login"], "ada")
        XCTAssertEqual(try client.store.count("User"), 1)
        XCTAssertEqual(try client.store.count("Bot"), 0)
        let draft = try client.draft("Bot")
        do {
            try draft.set("plan", to: "pro")
            XCTFail("a bot has no plan")
        } catch {
            XCTAssertEqual(error.kind, .unknownAttribute)
        }
    }

    func testMistakesAreErrors() async throws {
        let client = try ending(Client(API(document: document)))
        let bytes = bytes
        let rules: [(MappingRules, RestwayError.Kind)] = [
            (.entity("Isue"), .unknownEntity), (.route("isues"), .unknownRoute),
            (.entity("Issue", keyPath: "nothing"), .mapping),
            (.route("issues").reading(mapper: "nobody"), .invalidArgument),
        ]
        for (rules, kind) in rules {
            let error = try await failure { () throws(RestwayError) in
                try await client.map(bytes, by: rules)
            }
            XCTAssertEqual(error.kind, kind)
        }
        let broken = try await failure { () throws(RestwayError) in
            try await client.map(Array("{".utf8), by: .route("issues"))
        }
        XCTAssertEqual(broken.kind, .mapping)
    }

    func testAReporterEndsTheMapping() async throws {
        let client = try ending(Client(API(document: document)))
        let progress = ProgressReporter()
        progress.cancel()
        let bytes = bytes
        let error = try await failure { () throws(RestwayError) in
            try await client.map(bytes, by: .route("issues"), progress: progress)
        }
        XCTAssertEqual(error.kind, .cancelled)
        XCTAssertEqual(try client.store.count(), 0)
    }

    func testACancelledTaskMapsNothing() async throws {
        let client = try ending(Client(API(document: document)))
        let bytes = bytes
        let task = CallTask { () throws(RestwayError) in
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await client.map(bytes, by: .route("issues"))
        }
        let kind = await task.kind
        XCTAssertEqual(kind, .cancelled)
        XCTAssertEqual(try client.store.count(), 0)
    }
}
