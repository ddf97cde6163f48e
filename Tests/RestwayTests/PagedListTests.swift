import Foundation
import LoopbackServer
import Restway
import XCTest

/// Lists of pages that the store keeps.
final class PagedListTests: DemoTestCase {
    private struct Issue: Decodable, Equatable { let number: Int }

    private let document: JSON = [
        "restway": 1,
        "entities": DemoTestCase.issues,
        "routes": [
            "issues": [
                "path": "repos/octo/hello/issues", "response": ["entity": "Issue"],
                "pages": ["next": "link", "total": ["header": "X-Total-Count"]],
            ],
            "issue": ["path": "repos/octo/hello/issues/:number", "response": ["entity": "Issue"]],
        ],
    ]

    private func tracker(store: String? = nil) throws -> Client {
        try ending(
            Client(
                API(document: document), options: Client.Options(baseURL: url(), store: store)))
    }

    private func list(_ client: Client) throws -> PagedList {
        try client.list(.route("issues"), parameters: ["per_page": 4])
    }

    private func numbers(_ list: PagedList) throws -> [Int] {
        try list.objects().compactMap { $0["number"] }
    }

    func testAListIsLoadedPageByPage() async throws {
        let list = try list(tracker())
        XCTAssertEqual(try numbers(list), [])
        XCTAssertFalse(list.isComplete)
        XCTAssertNil(list.total)
        let response = try await list.loadMore()
        XCTAssertEqual(response?.status, 200)
        XCTAssertEqual(try numbers(list), [1, 2, 3, 4])
        try await list.loadAll()
        XCTAssertTrue(list.isComplete)
        let count = try XCTUnwrap(list.total)
        XCTAssertEqual(try numbers(list).count, count)
        XCTAssertEqual(try list.values(as: Issue.self).last?.number, try numbers(list).last)
        let further = try await list.loadMore()
        XCTAssertNil(further)

        list.restart()
        XCTAssertFalse(list.isComplete)
        XCTAssertEqual(try numbers(list).count, count)
        try await list.loadMore()
        XCTAssertEqual(try numbers(list), [1, 2, 3, 4])
    }

    func testAListGoesOnAfterARestartWithoutANetwork() async throws {
        let file = try temporaryFile("store.db")
        do {
            let client = try tracker(store: file)
            try await list(client).loadMore()
            client.close()
        }
        let client = try tracker(store: file)
        try client.setReachability(.unreachable)
        let list = try list(client)
        XCTAssertEqual(try numbers(list), [1, 2, 3, 4])
        try client.setReachability(.reachable)
        try await list.loadMore()
        XCTAssertEqual(try numbers(list), Array(1...8))
        XCTAssertTrue(try client.store.delete("Issue", 2))
        XCTAssertEqual(try numbers(list), [1, 3, 4, 5, 6, 7, 8])
        XCTAssertGreaterThan(try client.store.statistics().fileBytes, 0)
    }

    func testAPageThatCouldNotBeLoadedIsLoadedAgain() async throws {
        let calls = Counter()
        let server = try TestServer { connection in
            while connection.readRequest() != nil {
                calls.add(1)
                if calls.value == 1 {
                    connection.answer(status: "500 Internal Server Error")
                } else {
                    connection.answer(
                        "[{\"number\": 1}]", headers: ["Content-Type: application/json"])
                }
            }
        }
        let client = try client(of: server, document)
        let list = try list(client)
        let error = try await failure { () throws(RestwayError) in try await list.loadMore() }
        XCTAssertEqual(error.httpStatus, 500)
        try await list.loadMore()
        XCTAssertEqual(try numbers(list), [1])
        XCTAssertTrue(list.isComplete)
    }

    func testACancelledTaskCancelsItsPageWhichIsLoadedAgain() async throws {
        let calls = Counter()
        let server = try TestServer { connection in
            while connection.readRequest() != nil {
                calls.add(1)
                if calls.value == 1 { return connection.readToEnd() }
                connection.answer(
                    "[{\"number\": 1}]", headers: ["Content-Type: application/json"])
            }
        }
        let client = try client(of: server, document)
        let list = try list(client)
        let task = CallTask { () throws(RestwayError) in try await list.loadMore() }
        XCTAssertTrue(server.waitForRequests(1))
        // The server must have counted the first request before it gets another one.
        while calls.value == 0 { await Task.yield() }
        task.cancel()
        let kind = await task.kind
        XCTAssertEqual(kind, .cancelled)
        XCTAssertEqual(try numbers(list), [])
        try await list.loadMore()
        XCTAssertEqual(try numbers(list), [1])
    }

    func testAListIsWatched() async throws {
        let client = try tracker()
        let list = try list(client)
        var results = try list.results().makeAsyncIterator()
        var differences = try list.differences().makeAsyncIterator()
        var changes = try list.changes().makeAsyncIterator()
        let first = await results.next()
        XCTAssertEqual(first, [])
        try await list.loadMore()
        let second = await results.next()
        XCTAssertEqual(second?.count, 4)
        let come = await differences.next()
        XCTAssertEqual(come?.insertions, [0, 1, 2, 3])
        let added = await changes.next()
        XCTAssertEqual(added?.map(\.kind), [.updated, .updated, .updated, .updated])

        let object = try XCTUnwrap(second?[1])
        let draft = try client.draft(of: object)
        try draft.set("title", to: "Changed here")
        try draft.insert()
        let changed = await differences.next()
        XCTAssertEqual(changed?.updates, [1])
        XCTAssertEqual(changed?.objects[1]["title"], "Changed here")
        try client.store.delete(object)
        let gone = await differences.next()
        XCTAssertEqual(gone?.deletions, [1])
        client.close()
        let end = await differences.next()
        XCTAssertNil(end)
    }

    func testARouteWithoutPagesIsRefused() throws {
        XCTAssertThrowsError(try tracker().list(.route("issue"), variables: ["number": 1])) {
            XCTAssertNotNil($0 as? RestwayError)
        }
    }
}
