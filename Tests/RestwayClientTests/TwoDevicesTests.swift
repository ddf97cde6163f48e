import Glibc
import LoopbackServer
import RestwayHTTP
import RestwayJSON
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Two clients change the same note on a server of the loopback interface.
final class TwoDevicesTests: XCTestCase {
    /// How the server states the version of its note.
    private enum Tags { case strong, weak, none, changedByProxy }

    /// A server with one note, which acts on a request only under its condition.
    private final class NoteServer: Sendable {
        private let note = Lock((title: "a", text: "t", version: 1))
        let tags: Tags

        init(_ tags: Tags) { self.tags = tags }

        func listen() throws -> TestServer {
            try TestServer.answering { self.answer($0) }
        }

        var words: String { note.withLock { "\($0.title) \($0.text)" } }

        private func tag(_ version: Int) -> String? {
            switch tags {
            case .strong: "\"v\(version)\""
            case .weak: "W/\"v\(version)\""
            case .none: nil
            case .changedByProxy: "\"v\(version)-gzip\""
            }
        }

        private func answer(_ request: ReceivedRequest) -> String {
            note.withLock { note in
                guard request.method == "PATCH" else { return text(200, note) }
                if let stated = request.header("If-Match"), stated != "\"v\(note.version)\"" {
                    return text(412, nil)
                }
                let body = try? request.body.withUnsafeBytes { try JSONValue.parse($0) }
                if let title = body?["title"]?.string { note.title = title }
                if let text = body?["text"]?.string { note.text = text }
                note.version += 1
                return text(200, note)
            }
        }

        private func text(
            _ status: Int, _ note: (title: String, text: String, version: Int)?
        ) -> String {
            let body =
                note.map { #"{"id":1,"title":"\#($0.title)","text":"\#($0.text)"}"# } ?? ""
            let tag = note.flatMap { self.tag($0.version) }.map { "ETag: \($0)\r\n" } ?? ""
            return "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\n\(tag)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
    }

    private struct Device {
        let client: Client

        private var entity: Entity { get throws { try client.api.entity(named: "Note") } }

        var note: Snapshot {
            get throws { try XCTUnwrap(client.store.object(entity, .integer(1))) }
        }

        func get() throws { _ = try client.send(.get("notes/1")).wait(milliseconds: 0) }

        func patch(_ name: String, _ text: String) throws -> Failure? {
            let draft = Draft(copying: try note)
            try draft.set(.string(text), attribute: XCTUnwrap(entity.attributeIndex(named: name)))
            do {
                let call = try client.send(
                    RequestSpec(
                        target: .subject(.patch), subject: .draft(draft, client.store)))
                _ = try call.wait(milliseconds: 0)
                return nil
            } catch let failure as Failure {
                return failure
            }
        }
    }

    /// Runs a test with stores in memory and with stores in files. Both devices have the note.
    private func withDevices(
        _ tags: Tags, _ test: (NoteServer, _ anna: Device, _ ben: Device) throws -> Void
    ) throws {
        var template = Array("/tmp/restway-devices-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        let directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        defer { rmdir(directory) }
        for inFile in [false, true] {
            let server = NoteServer(tags)
            let socket = try server.listen()
            let document = """
                {"restway": 1,
                 "environments": {"test": {"baseURL": "http://127.0.0.1:\(socket.port)"}},
                 "entities": {"Note": {"identity": "id", "version": {"header": "ETag"},
                    "attributes": {"id": {"type": "int"}, "title": {"type": "string"},
                                   "text": {"type": "string"}}}},
                 "routes": {"note": {"method": ["GET", "PATCH"], "path": "notes/:id",
                    "entity": "Note", "response": {"entity": "Note"},
                    "request": {"entity": "Note", "changedOnly": true}}}}
                """
            let devices = try ["anna", "ben"].map { name in
                var options = ClientOptions()
                options.files.store = inFile ? "\(directory)/\(name).db" : nil
                return Device(client: try Client(api: try TestAPI.load(document), options: options))
            }
            for device in devices { try device.get() }
            try test(server, devices[0], devices[1])
            for device in devices { device.client.close() }
            socket.stop()
            for name in ["anna", "ben"] {
                for suffix in ["", "-wal", "-shm"] { unlink("\(directory)/\(name).db\(suffix)") }
            }
        }
    }

    func testChangesOfTheSameAttributeAreAConflictAndOthersAreBothKept() throws {
        try withDevices(.strong) { server, anna, ben in
            XCTAssertNil(try anna.patch("title", "anna"))
            let conflict = try XCTUnwrap(ben.patch("title", "ben")?.conflict)
            let sides = [conflict.base, conflict.mine, conflict.theirs]
            XCTAssertEqual(sides.map { $0?.text("title") }, ["a", "ben", "anna"])
            XCTAssertEqual(try ben.note.text("title"), "anna")
            // Ben has seen the newest title now.
            XCTAssertNil(try ben.patch("title", "ben"))
            XCTAssertNil(try anna.patch("text", "anna"))
            XCTAssertEqual(server.words, "ben anna")
            XCTAssertEqual(try anna.note.text("title"), "ben")
        }
    }

    func testWithoutStrongTagsTheLastChangeWins() throws {
        for tags in [Tags.weak, .none] {
            try withDevices(tags) { server, anna, ben in
                XCTAssertNil(try anna.patch("title", "anna"))
                XCTAssertNil(try ben.patch("title", "ben"))
                XCTAssertEqual(server.words, "ben t")
            }
        }
    }

    func testAProxyThatChangesTagsIsNamedInTheError() throws {
        try withDevices(.changedByProxy) { server, anna, _ in
            let failure = try XCTUnwrap(anna.patch("title", "anna"))
            XCTAssertEqual(failure.httpStatus, 412)
            XCTAssertTrue(failure.message.contains("proxy"), failure.message)
            XCTAssertEqual(server.words, "a t")
        }
    }
}
