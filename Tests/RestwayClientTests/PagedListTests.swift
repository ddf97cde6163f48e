import Glibc
import RestwayHTTP
import RestwayObjects
import RestwayPages
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests the lists that the store keeps of pages, in memory and in a file.
final class PagedListTests: XCTestCase {
    private var transport = FakeTransport()
    private let file = "/tmp/restway-list-\(getpid()).db"

    override func setUp() {
        removeFile()
        addTeardownBlock { self.removeFile() }
    }

    private func removeFile() {
        for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) }
    }

    private func client(
        _ pages: String = #"{"cursor": "next", "parameter": "after", "total": "total"}"#,
        responding response: String = #"{"entity": "Thing", "keyPath": "list"}"#,
        inFile: Bool = false
    ) throws -> Client {
        let document = """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test/v1"}},
             "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"},
                "name": {"type": "string"}}}},
             "routes": {"things": {"path": "owners/:owner/things", "pages": \(pages),
                "response": \(response)},
              "thing": {"path": "things/:id", "response": {"entity": "Thing"}}}}
            """
        var options = ClientOptions()
        if inFile { options.files.store = file }
        let client = try Client(
            api: try TestAPI.load(document), options: options, transport: transport)
        addTeardownBlock { client.close() }
        return client
    }

    private func list(_ client: Client, owner: String = "me") throws -> PagedList {
        var spec = RequestSpec(target: .route("things", nil))
        spec.variables["owner"] = .value(.string(owner))
        return try PagedList(client.calls, spec)
    }

    private static let json = [HeaderField(name: "Content-Type", value: "application/json")]

    /// Loads a page on another thread, while this thread answers. Returns the URL of the request.
    @discardableResult
    private func load(_ list: PagedList, _ ids: [Int], next: String, status: Int = 200) throws
        -> String
    {
        let loaded = Monitor<Result<Page?, Failure>?>(nil)
        _ = Thread.start("loading") {
            let result = Result { () throws(Failure) in try list.load(milliseconds: 0) }
            loaded.update { $0 = result }
        }
        let things = ids.map { "{\"id\": \($0)}" }.joined(separator: ", ")
        let exchange = transport.answer(
            status, "{\"list\": [\(things)], \"next\": \(next), \"total\": 9}", headers: Self.json)
        _ = try loaded.wait { $0 }!.get()
        return exchange.url
    }

    private func ids(_ list: PagedList) throws -> [Int64] {
        try list.objects().map { object in
            guard case .int64(let number) = object.value(at: 0) else { return -1 }
            return number
        }
    }

    func testPagesAreOneListWithoutRepetitions() throws {
        for inFile in [false, true] {
            let list = try list(try client(inFile: inFile))
            XCTAssertEqual(try ids(list), [])
            XCTAssertFalse(list.isComplete)
            XCTAssertNil(list.total)
            XCTAssertEqual(
                try load(list, [1, 2, 3], next: "\"a\""), "http://api.test/v1/owners/me/things")
            XCTAssertEqual(
                try load(list, [3, 4, 2, 4], next: "null"),
                "http://api.test/v1/owners/me/things?after=a")
            XCTAssertEqual(try ids(list), [1, 3, 4, 2], "the last place counts")
            XCTAssertTrue(list.isComplete)
            XCTAssertEqual(list.total, 9)
            XCTAssertNil(try list.load(milliseconds: 0))
            let receiver = Call.Receiver(completion: { _, _ in }, end: {})
            XCTAssertEqual(failure { _ = try list.send(receiver) }?.reason, .noObject)
        }
    }

    func testAListGoesOnAfterARestartAndIsReadOffline() throws {
        do {
            let client = try client(inFile: true)
            try load(try list(client), [1, 2], next: "7")
            client.close()
        }
        transport = FakeTransport()
        let client = try client(inFile: true)
        let list = try list(client)
        XCTAssertEqual(try ids(list), [1, 2])
        XCTAssertEqual(list.total, 9)
        XCTAssertEqual(try ids(try self.list(client, owner: "you")), [])
        XCTAssertEqual(
            try load(list, [3], next: "null"), "http://api.test/v1/owners/me/things?after=7")
        XCTAssertEqual(try ids(list), [1, 2, 3])
        XCTAssertTrue(try self.list(client).isComplete)
    }

    func testAListOfValuesIsRefusedWhenItIsOpened() throws {
        let value = #"{"type": ["string"]}"#
        let objects = #"{"entity": "Thing", "keyPath": "list"}"#
        let typed = #"{"type": ["string"], "mediaType": "text/csv"}"#
        for (response, isRefused) in [
            (value, true), ("[\(value), \(objects)]", true), ("[\(objects), \(value)]", false),
            (typed, true), ("[\(typed), \(objects)]", false),
        ] {
            let client = try client(responding: response)
            guard isRefused else {
                XCTAssertNoThrow(try list(client), response)
                continue
            }
            let refusal = failure { _ = try self.list(client) }
            XCTAssertEqual(refusal?.reason, .invalidArgument, response)
            XCTAssertEqual(
                refusal?.message,
                "a list in the store keeps objects, but the pages of route \"things\" have values")
            XCTAssertEqual(refusal?.field, "request")
        }
    }

    func testAListStartsAnewWithItsFirstPage() throws {
        let list = try list(try client())
        try load(list, [1, 2], next: "\"a\"")
        list.restart()
        XCTAssertEqual(try ids(list), [1, 2], "it stays until the first page has come")
        XCTAssertEqual(
            try load(list, [2, 5], next: "null"), "http://api.test/v1/owners/me/things")
        XCTAssertEqual(try ids(list), [2, 5])
        XCTAssertTrue(list.isComplete)
        list.restart()
        XCTAssertFalse(list.isComplete)
    }

    func testAPageOfBeforeARestartIsNotAdded() throws {
        let list = try list(try client())
        try load(list, [1], next: "\"a\"")
        let told = Monitor<Call.Outcome?>(nil)
        _ = try list.send(
            Call.Receiver(completion: { _, outcome in told.update { $0 = outcome } }, end: {}))
        list.restart()
        guard case .failure(let failure) = told.wait(for: { $0 }) else {
            return XCTFail("the page was added")
        }
        XCTAssertEqual(failure.reason, .cancelled)
        transport.waitForCancels()
        _ = transport.next()
        try load(list, [8], next: "null")
        XCTAssertEqual(try ids(list), [8])
    }

    func testAFailedPageChangesNothing() throws {
        let list = try list(try client())
        try load(list, [1], next: "\"a\"")
        XCTAssertEqual(
            failure { try self.load(list, [2], next: "null", status: 500) }?.httpStatus, 500)
        XCTAssertEqual(try ids(list), [1])
        XCTAssertEqual(
            try load(list, [2], next: "null"), "http://api.test/v1/owners/me/things?after=a")
        XCTAssertEqual(try ids(list), [1, 2])
    }

    func testObjectsThatAreDeletedLeaveTheList() throws {
        for inFile in [false, true] {
            let client = try client(inFile: inFile)
            let list = try list(client)
            try load(list, [1, 2, 3], next: "null")
            _ = try client.store.delete(try list.objects()[1])
            XCTAssertEqual(try ids(list), [1, 3])
            _ = try client.store.deleteAll(nil)
            XCTAssertEqual(try ids(list), [])
            XCTAssertFalse(try self.list(client).isComplete, "the list itself is gone")
        }
    }

    func testAnObserverHearsOfPagesAndOfChanges() throws {
        let client = try client()
        let list = try list(client)
        let heard = Monitor<[[Int64]]>([])
        let observer = try client.observe(.list(list.members)) { changes in
            let keys = changes.changes.map { change -> Int64 in
                guard case .int64(let id) = change.object.value(at: 0) else { return -1 }
                return id
            }
            heard.update { $0.append(keys) }
        }
        try load(list, [1, 2], next: "null")
        heard.wait { $0.count == 1 ? () : nil }
        let first = try list.objects()[0]
        _ = try client.store.delete(first)
        heard.wait { $0.count == 2 ? () : nil }
        var changes = ChangeSet(origin: .host)
        changes.rows = [Snapshot.make(first.entity, [.int64(77), .string("x")])]
        _ = try client.store.commit(changes)
        changes = ChangeSet(origin: .host)
        changes.rows = [Snapshot.make(first.entity, [.int64(2), .string("x")])]
        _ = try client.store.commit(changes)
        heard.wait { $0.count == 3 ? () : nil }
        XCTAssertEqual(heard.withLock { $0 }, [[1, 2], [1], [2]])
        client.store.remove(observer)
    }

    func testASecretInTheNextURLIsNotKept() throws {
        let client = try client(#"{"nextURL": "next"}"#, inFile: true)
        let list = try list(client)
        try load(list, [1], next: "\"/v1/x?access_token=s3cret\"")
        let again = try self.list(client)
        XCTAssertEqual(
            try load(again, [2], next: "null"), "http://api.test/v1/owners/me/things",
            "it begins anew")
        XCTAssertEqual(try ids(again), [2])
        XCTAssertEqual(
            try load(list, [3], next: "null"), "http://api.test/v1/x?access_token=s3cret")
    }

    func testRequestsWithoutPagesHaveNoList() throws {
        let client = try client()
        let spec = RequestSpec(target: .route("thing", nil))
        XCTAssertEqual(
            failure { _ = try PagedList(client.calls, spec) }?.reason, .invalidArgument)
        client.close()
        XCTAssertEqual(failure { _ = try list(client) }?.reason, .closed)
    }
}
