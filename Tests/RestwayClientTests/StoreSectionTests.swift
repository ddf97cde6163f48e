import Glibc
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// Tests the effect of the section `store` and of the option `storePath` on a client's store.
final class StoreSectionTests: XCTestCase {
    private var directory = ""

    override func setUp() {
        var template = Array("/tmp/restway-section-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    override func tearDown() {
        for name in ["api.json", "objects.db", "objects.db-wal", "objects.db-shm"] {
            unlink("\(directory)/\(name)")
        }
        rmdir(directory)
    }

    private func document(_ store: String) -> String {
        """
        {"restway": 1, "environments": {"test": {"baseURL": "http://api.test"}},
         "entities": {"Note": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
         "store": \(store)}
        """
    }

    private func client(_ api: API, storePath: String? = nil) throws -> Client {
        var options = ClientOptions()
        options.files.store = storePath
        return try Client(api: api, options: options, transport: FakeTransport())
    }

    private func write(_ text: String) throws -> String {
        let path = directory + "/api.json"
        let file = try XCTUnwrap(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        return path
    }

    private var fileExists: Bool { access(directory + "/objects.db", F_OK) == 0 }

    private func save(_ id: Int64, _ client: Client) throws {
        let note = try client.api.entity(named: "Note")
        _ = try client.store.commit(ChangeSet(rows: [Snapshot.make(note, [.int64(id)])]))
    }

    func testARelativePathStartsAtTheDocumentsFile() throws {
        let path = try write(document(#"{"kind": "sqlite", "path": "objects.db"}"#))
        for id in 1...Int64(2) {
            let client = try client(try API(file: path))
            try save(id, client)
            XCTAssertEqual(try client.store.count(nil), Int(id))
        }
        XCTAssertTrue(fileExists)
    }

    func testTheOptionsPathTakesThePlaceOfWhatTheDocumentSays() throws {
        let path = directory + "/objects.db"
        for store in [#"{"kind": "memory"}"#, #"{"kind": "sqlite", "path": "/nonexistent/x"}"#] {
            let client = try client(TestAPI.load(document(store)), storePath: path)
            try save(1, client)
            XCTAssertEqual(try client.store.count(nil), 1)
            XCTAssertTrue(fileExists)
        }
    }

    func testAStoreInMemoryIsEmptyEachTime() throws {
        let api = try TestAPI.load(document(#"{"kind": "memory"}"#))
        try save(1, try client(api))
        XCTAssertEqual(try client(api).store.count(nil), 0)
    }

    func testTheCacheIsAsLargeAsTheDocumentSays() throws {
        let path = directory + "/objects.db"
        let store = #"{"kind": "sqlite", "path": "\#(path)", "cachedObjects": 2}"#
        let client = try client(TestAPI.load(document(store)))
        for id in 1...Int64(5) { try save(id, client) }
        let statistics = try client.store.statistics()
        XCTAssertEqual(statistics.cachedObjectCount, 2)
        XCTAssertEqual(statistics.objectCount, 5)
    }

    func testTheDocumentSaysThePermissionsOfNewFilesAndTheOptionsReplaceIt() throws {
        let path = directory + "/objects.db"
        func mode(_ key: String, _ option: FileMode? = nil) throws -> UInt32 {
            unlink(path)
            var options = ClientOptions()
            options.files.mode = option
            let store = #"{"kind": "sqlite", "path": "\#(path)"}\#(key)"#
            let client = try Client(
                api: TestAPI.load(document(store)), options: options, transport: FakeTransport())
            try save(1, client)
            var status = stat()
            XCTAssertEqual(stat(path, &status), 0)
            return status.st_mode & 0o777
        }
        XCTAssertEqual(try mode(""), 0o600)
        XCTAssertEqual(try mode(#", "fileMode": "0640""#), 0o640)
        XCTAssertEqual(try mode(#", "fileMode": "0640""#, .ownerOnly), 0o600)
        XCTAssertEqual(try mode("", FileMode(0o664)), 0o664)
        let failure = failure {
            _ = try TestAPI.load(document(#"{"kind": "memory"}, "fileMode": "0700""#))
        }
        XCTAssertEqual(failure?.reason, .config)
        XCTAssertEqual(failure?.details.first?.path, "$.fileMode")
    }

    func testAFileThatCannotBeOpenedFailsTheClientAndIsNamed() throws {
        let store = #"{"kind": "sqlite", "path": "/nonexistent/objects.db"}"#
        let api = try TestAPI.load(document(store))
        let failure = failure { _ = try client(api) }
        XCTAssertEqual(failure?.reason, .store)
        XCTAssertEqual(failure?.domain, .store)
        XCTAssertEqual(failure?.field, "/nonexistent/objects.db")
        XCTAssertEqual(failure?.isRetryable, false)
        XCTAssertEqual(failure?.message.contains("/nonexistent/objects.db"), true)
    }
}
