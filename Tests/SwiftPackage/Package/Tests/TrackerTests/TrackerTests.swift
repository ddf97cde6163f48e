import Foundation
import Restway
import XCTest

/// The types that `restway-stubs --swift` writes for examples/tracker.restway.json, against the
/// demo API, which RESTWAY_DEMO_URL names.
final class TrackerTests: XCTestCase {
    private func client() throws -> Client {
        let environment = ProcessInfo.processInfo.environment
        let url = try XCTUnwrap(environment["RESTWAY_DEMO_URL"], "there is no demo API")
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<6 { folder.deleteLastPathComponent() }
        let document = folder.appendingPathComponent("examples/tracker.restway.json")
        return try Client(API(file: document.path), options: Client.Options(baseURL: url))
    }

    func testAnAnswerIsReadIntoTheStructWithItsRelationships() async throws {
        let client = try client()
        let issue: Issue = try await client.send(Routes.issue(number: 5))
        XCTAssertEqual(issue.number, 5)
        XCTAssertEqual(issue.title, "Typo in the manual")
        XCTAssertEqual(issue.created, Date(timeIntervalSince1970: 1_772_701_200))
        XCTAssertNotNil(issue.user?.login)
        XCTAssertFalse(try XCTUnwrap(issue.labels).isEmpty)
        let page: [Issue] = try await client.send(Routes.issues(parameters: ["per_page": 3]))
        XCTAssertEqual(page.map(\.number), [1, 2, 3])
    }

    func testAStructKeepsItsValuesThroughJSON() async throws {
        let issue: Issue = try await client().send(Routes.issue(number: 5))
        let encoder = JSONEncoder()
        let text = try encoder.encode(issue)
        let again = try JSONDecoder().decode(Issue.self, from: text)
        encoder.outputFormatting = .sortedKeys
        XCTAssertEqual(try encoder.encode(again), try encoder.encode(issue))
    }

    func testADraftSetsAttributesAndIsSent() async throws {
        let client = try client()
        let object = try await client.send(Routes.issue(number: 4)).object
        let draft = try XCTUnwrap(IssueDraft(of: XCTUnwrap(object), client))
        try draft.set(body: "Page 7")
        XCTAssertEqual(draft.draft.changed, ["body"])
        let changed: Issue = try await client.patch(.draft(draft.draft))
        XCTAssertEqual(changed.body, "Page 7")
        XCTAssertNil(try LabelDraft(of: XCTUnwrap(object), client))
    }

    func testARouteWithSeveralMethodsTakesOneOfThem() throws {
        let client = try client()
        let request = try client.inspect(
            Routes.issue(.patch, number: 3, body: .json(["title": "x"])))
        XCTAssertEqual(request.method, .patch)
        XCTAssertTrue(request.url.hasSuffix("/repos/octo/hello/issues/3"), request.url)
    }

    func testQueriesAndDraftsTakeTheKeyPathsOfTheStruct() async throws {
        let client = try client()
        try await client.send(Routes.issues(parameters: ["per_page": 4]))
        let query = try client.store.query(Issue.self).order(by: \.number, descending: true)
        XCTAssertEqual(try query.all().map(\.number), [4, 3, 2, 1])
        let draft = try IssueDraft(client)
        try draft.draft.set(\Issue.title, to: "New")
        XCTAssertEqual(draft.draft["title"], "New")
    }
}
