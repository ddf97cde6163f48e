import LoopbackServer
import Restway
import XCTest

/// Pages, and watching the store.
final class SequenceTests: DemoTestCase {
    private let document: JSON = [
        "restway": 1,
        "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
        "entities": [
            "Issue": [
                "identity": "number",
                "attributes": ["number": ["type": "int"], "title": "title", "state": "state"],
            ]
        ],
        "routes": [
            "issues": [
                "path": "repos/octo/hello/issues", "response": ["entity": "Issue"],
                "pages": ["next": "link", "total": ["header": "X-Total-Count"]],
            ],
            "issue": ["path": "repos/octo/hello/issues/:number", "response": ["entity": "Issue"]],
        ],
    ]

    private func tracker() throws -> Client {
        try ending(Client(API(document: document), options: Client.Options(baseURL: url())))
    }

    // MARK: Pages

    func testThePagesOfARouteComeOneAfterTheOther() async throws {
        let client = try tracker()
        let pages = try client.pages(.route("issues"), parameters: ["per_page": 5])
        var numbers: [Int] = []
        var last: Page?
        for try await page in pages {
            XCTAssertEqual(page.offset, numbers.count)
            XCTAssertEqual(page.response.status, 200)
            numbers += page.objects.compactMap { $0["number"] }
            last = page
        }
        XCTAssertGreaterThanOrEqual(numbers.count, 12)
        XCTAssertEqual(last?.total, numbers.count)
        XCTAssertEqual(last?.isLast, true)
        XCTAssertEqual(Array(numbers.prefix(12)), Array(1...12))
    }

    func testALoopOverObjectsRequestsPagesAsItNeedsThem() async throws {
        let client = try tracker()
        var numbers: [Int] = []
        for try await issue in try client.pages(.route("issues"), parameters: ["per_page": 2])
            .objects
        {
            numbers.append(try XCTUnwrap(issue["number"]))
            if numbers.count == 3 { break }
        }
        XCTAssertEqual(numbers, [1, 2, 3])
        XCTAssertEqual(try client.store.count("Issue"), 4)
    }

    func testACancelledTaskCancelsThePageThatItWaitsFor() async throws {
        let server = try TestServer.silent()
        let client = try client(of: server, document)
        let pages = try client.pages(.route("issues"))
        let task = CallTask { () throws(RestwayError) in
            var iterator = pages.makeAsyncIterator()
            _ = try await iterator.next()
        }
        while server.connectionCount == 0 { await Task.yield() }
        task.cancel()
        let kind = await task.kind
        XCTAssertEqual(kind, .cancelled)
        XCTAssertEqual(client.calls.active.count, 0)
    }

    func testPagesEndAtABound() async throws {
        let client = try tracker()
        let parameters: Values = ["per_page": 2]
        var counts: [Int] = []
        var last: Page?
        for try await page in try client.pages(
            .route("issues"), parameters: parameters,
            options: .init(objectsMax: 5, prefetching: true))
        {
            counts.append(page.objects.count)
            last = page
        }
        XCTAssertEqual(counts, [2, 2, 1])
        XCTAssertEqual(last?.response.objects.count, 2)
        XCTAssertEqual(last?.isLast, false)
        var pages = 0
        for try await _ in try client.pages(
            .route("issues"), parameters: parameters, options: .init(pagesMax: 2))
        {
            pages += 1
        }
        XCTAssertEqual(pages, 2)
        XCTAssertThrowsError(try client.pages(.route("issues"), options: .init(pagesMax: 0))) {
            XCTAssertEqual(($0 as? RestwayError)?.field, "options.pagesMax")
        }
    }

    func testPagesOfValuesHaveTheirValues() async throws {
        let document: JSON = [
            "restway": 1,
            "environments": ["local": ["baseURL": "http://127.0.0.1:1/v2"]],
            "routes": [
                "names": [
                    "path": "names", "response": ["type": ["string"], "keyPath": "names"],
                    "pages": ["page": "page"],
                ]
            ],
        ]
        let server = try TestServer { connection in
            while let request = connection.readRequest() {
                let number = request.path.last ?? "0"
                let names = number < "3" ? #"["\#(number)a", "\#(number)b"]"# : "[]"
                connection.answer(
                    #"{"names": \#(names)}"#, headers: ["Content-Type: application/json"])
            }
        }
        let client = try client(of: server, document)
        var pages: [[Object.Value]] = []
        for try await page in try client.pages(.route("names")) {
            XCTAssertEqual(page.objects.count, 0)
            pages.append(page.values)
        }
        XCTAssertEqual(
            pages,
            [[.string("1a"), .string("1b")], [.string("2a"), .string("2b")], []])
        let bounded = try client.pages(.route("names"), options: .init(objectsMax: 1))
        for try await page in bounded { XCTAssertEqual(page.values, [.string("1a")]) }
        let error = try await failure { () throws(RestwayError) in
            for try await _ in try client.pages(.route("names")).objects {}
        }
        XCTAssertEqual(error.kind, .invalidArgument)
        XCTAssertThrowsError(try client.list(.route("names"))) {
            XCTAssertEqual(($0 as? RestwayError)?.kind, .invalidArgument)
        }
    }

    func testARouteWithoutPagesIsRefused() throws {
        XCTAssertThrowsError(try tracker().pages(.route("issue"), variables: ["number": 1])) {
            XCTAssertNotNil($0 as? RestwayError)
        }
    }

    // MARK: Watching

    func testAChangeOfTheStoreIsTold() async throws {
        let client = try tracker()
        let changes = try client.changes(of: "Issue")
        var told = changes.makeAsyncIterator()
        try await client.get(.route("issue"), variables: ["number": 1])
        let first = await told.next()
        XCTAssertEqual(first?.map(\.kind), [.inserted])
        XCTAssertEqual(first?.first?.object.identity, 1)
        XCTAssertNil(first?.first?.before)

        let object = try XCTUnwrap(first?.first?.object)
        let draft = try client.draft(of: object)
        try draft.set("title", to: "Changed here")
        try draft.insert()
        let second = await told.next()
        XCTAssertEqual(second?.map(\.kind), [.updated])
        XCTAssertEqual(second?.first?.object["title"], "Changed here")
        XCTAssertEqual(second?.first?.before, object)

        try client.store.delete(object)
        let third = await told.next()
        XCTAssertEqual(third?.map(\.kind), [.deleted])
    }

    func testAWatchEndsWithItsClient() async throws {
        let client = try tracker()
        let changes = try client.changes()
        client.close()
        for await _ in changes { XCTFail("a closed client has told a change") }
    }

    func testTheResultOfAQueryIsToldAndThenItsChanges() async throws {
        let client = try tracker()
        let query = try client.store.query("Issue").order(by: "number", descending: true)
        var results = try client.results(of: query).makeAsyncIterator()
        let first = await results.next()
        XCTAssertEqual(first, [])
        try client.draft("Issue", ["number": 70]).insert()
        try client.draft("Issue", ["number": 71]).insert()
        var numbers: [Int] = []
        while numbers.count < 2, let result = await results.next() {
            numbers = result.compactMap { $0["number"] }
        }
        XCTAssertEqual(numbers, [71, 70])
    }
}
