import Foundation
import LoopbackServer
import Glibc
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

    private init() {
        // Both ends of the pipes close when this process ends, and so does the server, because its
        // standard input has ended.
        var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&input) == 0, pipe(&output) == 0 else {
            url = nil
            return
        }
        // The server has its own ends only.
        for descriptor in [input[1], output[0]] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let hasStarted = Self.start(input: input[0], output: output[1])
        close(input[0])
        close(output[1])
        url = hasStarted ? Self.line(from: output[0]) : nil
    }

    /// Starts the server.
    private static func start(input: Int32, output: Int32) -> Bool {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        let command = ["python3", path("examples/demo-api"), "--port", "0", "--exit-with-stdin"]
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        return posix_spawnp(&process, command[0], &actions, nil, &arguments, environ) == 0
    }

    /// Reads the first line that the server prints; `nil` if it prints none.
    private static func line(from descriptor: Int32) -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    static func path(_ name: String) -> String { root.appendingPathComponent(name).path }
}

/// Tests against the demo API, each with a client of its own.
class DemoTestCase: XCTestCase {
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
        return try Client(API(file: DemoAPI.path(document)), options: options)
    }

    /// A client of a small document, whose server is a script of the test.
    func client(
        of server: TestServer, _ document: JSON = ["restway": 1],
        _ change: (inout Client.Options) -> Void = { _ in }
    ) throws -> Client {
        var options = Client.Options(baseURL: server.url("/v2"))
        change(&options)
        return try Client(API(document: document), options: options)
    }

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
