import RestwayHTTP
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Clients with an outbox, a transport that the test controls, and a clock that does not run.
class OutboxTestCase: XCTestCase {
    let transport = FakeTransport()
    let clock = ManualClock()
    let told = Monitor<[String]>([])
    /// The flushes that have ended.
    let flushed = Monitor<[StoredRequests]>([])
    private(set) var directory = ""
    private(set) var path = ""

    override func setUpWithError() throws {
        var template = Array("/tmp/restway-outbox-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        path = directory + "/outbox.db"
    }

    override func tearDown() {
        removeFiles()
        rmdir(directory)
    }

    func removeFiles() {
        for name in ["outbox.db", "objects.db"] {
            for suffix in ["", "-wal", "-shm", "-sender"] {
                unlink(directory + "/" + name + suffix)
            }
        }
    }

    func document(
        _ outbox: String = "", _ rest: String = "", routes: String = ""
    ) -> String {
        """
        {"restway": 1,
         "environments": {"test": {"baseURL": "http://api.test/v1", "headers": {"X-Env": "e"}}},
         "entities": {"Thing": {"identity": "id", "attributes": {
            "id": {"type": "int"}, "name": {"type": "string"}},
            "relationships": {"owner": {"entity": "Thing", "source": "owner_id",
                                        "byIdentity": true},
                              "parts": {"entity": "Thing", "many": true}}}},
         "outbox": {"path": "unused.db", "baseMilliseconds": 1000\(outbox)},
         "retry": {"attempts": 3},
         "routes": {
            "thing": {"method": ["GET", "PUT", "PATCH", "DELETE"], "path": "things/:id",
                      "entity": "Thing", "response": {"entity": "Thing"}, "offline": true},
            "things": {"method": "POST", "path": "things", "entity": "Thing",
                       "response": {"entity": "Thing"}, "offline": true},
            "note": {"method": ["GET", "PUT"], "path": "notes/:id"}\(routes)
         }\(rest)}
        """
    }

    func client(
        _ outbox: String = "", _ rest: String = "", routes: String = "",
        transport other: FakeTransport? = nil,
        change: (inout ClientOptions) -> Void = { _ in }
    ) throws -> Client {
        var options = ClientOptions()
        options.files.outbox = path
        options.randomSeed = 1
        change(&options)
        let client = try Client(
            api: try TestAPI.load(document(outbox, rest, routes: routes)), options: options,
            transport: other ?? transport, clock: clock)
        addTeardownBlock { client.close() }
        return client
    }

    func put(_ id: Int, _ body: String = #"{"name":"a"}"#, lane: String? = nil) -> RequestSpec {
        var spec = RequestSpec(target: .route("thing", .put))
        spec.variables["id"] = .value(.string("\(id)"))
        spec.given.body = .init(bytes: Array(body.utf8), mediaType: "application/json")
        spec.sending.lane = lane
        return spec
    }

    /// Returns the failure of a call.
    @discardableResult
    func failure(of call: Call, file: StaticString = #filePath, line: UInt = #line) -> Failure? {
        RestwayClientTests.failure(
            { _ = try call.wait(milliseconds: 0) }, file: file, line: line)
    }

    /// Returns the failure that `body` throws.
    func refusal(
        file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void
    ) -> Failure? {
        RestwayClientTests.failure(body, file: file, line: line)
    }

    /// Returns the content of a file; empty if it does not exist.
    func bytes(_ path: String) -> [UInt8] {
        (try? FileText.read(path)) ?? []
    }

    /// Sends a request that is stored, and returns its item.
    @discardableResult
    func queue(
        _ client: Client, _ spec: RequestSpec, file: StaticString = #filePath, line: UInt = #line
    ) throws -> Int64 {
        let failure = failure(of: try client.send(spec), file: file, line: line)
        XCTAssertEqual(
            failure?.reason, .queued, "\(failure?.message ?? "")", file: file, line: line)
        return failure?.outboxID ?? 0
    }

    /// Stores a request while the program says that there is no network.
    @discardableResult
    func queueOffline(_ client: Client, _ specs: RequestSpec...) throws -> [Int64] {
        try client.setReachability(.unreachable)
        return try specs.map { try queue(client, $0) }
    }

    func observe(_ client: Client) throws {
        try client.requireOutbox().setObserver(
            OutboxObserver(
                item: .init { [told] list in
                    let item = list.all[0]
                    told.update {
                        $0.append("\(item.id) \(item.state) \(item.response?.status ?? 0)")
                    }
                },
                flushed: .init { [flushed] list in flushed.update { $0.append(list) } }))
    }

    func flush(_ client: Client, isForced: Bool = false) throws {
        try client.requireOutbox().flush(
            isForced: isForced,
            told: .init { [flushed] list in flushed.update { $0.append(list) } })
    }

    /// Waits for the next flush that ends.
    func nextFlushed() -> StoredRequests {
        flushed.wait { $0.isEmpty ? nil : $0.removeFirst() }!
    }

    func states(_ client: Client) throws -> [String] {
        try client.requireOutbox().list().all.map { "\($0.id) \($0.state)" }
    }

    func words(_ list: StoredRequests) -> [String] {
        list.all.map { "\($0.id) \($0.state) \($0.response?.status ?? 0)" }
    }

    func text(_ exchange: Exchange) -> String {
        var text = "\(exchange.method) \(exchange.url.dropFirst("http://api.test/v1/".count))"
        if case .bytes(let bytes) = exchange.body {
            text += " " + String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    func key(_ exchange: Exchange) -> String? {
        Headers(exchange.headers)[first: "Idempotency-Key"]
    }
}
