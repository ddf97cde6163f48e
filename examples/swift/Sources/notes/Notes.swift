import Foundation
import Restway

/// Notes that are written without a network and delivered later. The notes are issues of the demo
/// API, because it has no notes of its own.
///
///     notes list                 the notes in the file
///     notes write TITLE          writes a note; without a network, it waits in the file
///     notes offline TITLE        the same, as if there were no network
///     notes deliver              sends the notes that wait, and gets the others
///
/// Its files are in the folder that NOTES names, or in the current one. RESTWAY_DEMO_URL is the
/// address of the server.
@main
struct Notes {
    struct Note: Decodable {
        let number: Int?
        let title: String
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let title = arguments.dropFirst().joined(separator: " ")
        do {
            let client = try open()
            switch (arguments.first, title.isEmpty) {
            case ("list", true): try list(client)
            case ("write", false): try await write(title, client)
            case ("offline", false):
                try client.setReachability(.unreachable)
                try await write(title, client)
            case ("deliver", true): try await deliver(client)
            default: fail("usage: notes list | write TITLE | offline TITLE | deliver")
            }
        } catch {
            fail("\(error)")
        }
    }

    private static func open() throws(RestwayError) -> Client {
        let environment = ProcessInfo.processInfo.environment
        let folder = URL(fileURLWithPath: environment["NOTES"] ?? ".")
        let document = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../notes.json").standardized
        return try Client(
            API(file: document.path),
            options: Client.Options(
                baseURL: environment["RESTWAY_DEMO_URL"],
                store: folder.appendingPathComponent("notes.db").path,
                outbox: folder.appendingPathComponent("outbox.db").path))
    }

    private static func list(_ client: Client) throws(RestwayError) {
        for object in try client.store.query("Note").order(by: "number").all() {
            let note: Note = try object.decode()
            let mark = try client.store.isUnsent(object) ? " (not delivered)" : ""
            print(note.number.map(String.init) ?? "-", note.title + mark)
        }
    }

    private static func write(_ title: String, _ client: Client) async throws(RestwayError) {
        do {
            let note: Note = try await client.post(.draft(client.draft("Note", ["title": title])))
            print("delivered:", note.title)
        } catch  where error.kind == .queued {
            print("kept:", title)
        }
    }

    private static func deliver(_ client: Client) async throws(RestwayError) {
        for item in try await client.outbox.flush(forced: true) {
            print(item.state.rawValue, item.method.rawValue, item.path)
        }
        try await client.get(.route("notes"), parameters: ["per_page": 100])
        print(try client.outbox.items().count, "notes wait")
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("notes: \(text)\n".utf8))
        exit(1)
    }
}
