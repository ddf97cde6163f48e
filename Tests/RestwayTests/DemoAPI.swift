import Foundation
import LoopbackServer
import Restway
import XCTest

/// The bundled demo API, started once for all tests on a free port of the loopback interface.
final class DemoAPI: Sendable {
    static let shared = DemoAPI()

    /// The folder of the repository.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The base URL of the server; `nil` if it did not start.
    let url: String?
    private let process: PeerProcess?

    private init() {
        process = PeerProcess("examples/demo-api", "--port", "0", "--exit-with-stdin")
        url = process?.line()
    }

    static func path(_ name: String) -> String { root.appendingPathComponent(name).path }
}

/// Tests against the demo API, each with a client of its own.
class DemoTestCase: ClientTestCase {
    /// The issues of the demo API, for documents of tests.
    static let issues: JSON = [
        "Issue": [
            "identity": "number", "attributes": ["number": ["type": "int"], "title": "title"],
        ]
    ]

    func url() throws -> String { try XCTUnwrap(DemoAPI.shared.url, "the demo API did not start") }

    func client(
        _ document: String = "examples/demo-api/demo.restway.json",
        _ change: (inout Client.Options) -> Void = { _ in }
    ) throws -> Client {
        var options = Client.Options(baseURL: try url())
        change(&options)
        return ending(try Client(API(file: DemoAPI.path(document)), options: options))
    }

    /// A client of a small document, whose server is a script of the test.
    func client(
        of server: TestServer, _ document: JSON = ["restway": 1],
        _ change: (inout Client.Options) -> Void = { _ in }
    ) throws -> Client {
        var options = Client.Options(baseURL: server.url("/v2"))
        change(&options)
        return ending(try Client(API(document: document), options: options))
    }

    /// Runs `body`, which must throw an error of this module, and returns the error.
    func failure<Value>(
        _ body: () async throws(RestwayError) -> Value, file: StaticString = #filePath,
        line: UInt = #line
    ) async throws -> RestwayError {
        do {
            let value = try await body()
            XCTFail("expected an error, got \(value)", file: file, line: line)
            throw CancellationError()
        } catch let error as RestwayError {
            return error
        }
    }
}

extension XCTestCase {
    /// The path of a file in a folder that ends with the test.
    func temporaryFile(_ name: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("restway-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        addTeardownBlock {
            // A client that is closing may remove one of its files while the folder is read.
            for _ in 0..<9 where FileManager.default.fileExists(atPath: folder.path) {
                try? FileManager.default.removeItem(at: folder)
            }
            guard FileManager.default.fileExists(atPath: folder.path) else { return }
            try FileManager.default.removeItem(at: folder)
        }
        return folder.appendingPathComponent(name).path
    }
}
