import Glibc
import RestwayObjects
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// Tests that run with each kind of store, and a transport that the test controls.
class EachStoreTestCase: XCTestCase {
    /// The transport of the client that was made last: a client closes its own.
    private(set) var transport = FakeTransport()
    private var directory = ""

    override func setUp() {
        var template = Array("/tmp/restway-stores-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    override func tearDown() {
        removeFile()
        rmdir(directory)
    }

    func removeFile() {
        for suffix in ["", "-wal", "-shm"] { unlink("\(directory)/objects.db\(suffix)") }
    }

    /// The document of `withEachStore`.
    class var document: String { "" }

    func client(_ document: String? = nil, inFile: Bool) throws -> Client {
        var options = ClientOptions()
        options.files.store = inFile ? directory + "/objects.db" : nil
        transport = FakeTransport()
        return try Client(
            api: try TestAPI.load(document ?? Self.document), options: options,
            transport: transport, clock: FakeClock())
    }

    /// Runs a test with a store in memory, and with a new file.
    func withEachStore(_ test: (Client) throws -> Void) throws {
        for inFile in [false, true] {
            let client = try client(inFile: inFile)
            try test(client)
            client.close()
            removeFile()
        }
    }

    @discardableResult
    func get(_ path: String, _ body: String, _ client: Client) throws -> Response {
        let call = try client.send(.get(path))
        transport.answer(200, body)
        return try call.wait(milliseconds: 0)
    }

    /// The entities and identities of objects: `Bug 1`.
    func names(_ objects: [Snapshot]) -> [String] {
        objects.map { object in
            guard case .integer(let identity)? = object.identity else { return object.entity.name }
            return "\(object.entity.name) \(identity)"
        }
    }
}
