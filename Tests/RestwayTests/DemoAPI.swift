import Foundation
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
    /// The server ends when its standard input does, so that it does not outlive this process.
    private let input = Pipe()

    private init() {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", Self.root.appendingPathComponent("examples/demo-api").path, "--port", "0",
            "--exit-with-stdin",
        ]
        process.standardInput = input
        process.standardOutput = output
        guard (try? process.run()) != nil else {
            url = nil
            return
        }
        var line: [UInt8] = []
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != 10 {
            line.append(byte)
        }
        url = line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    static func path(_ name: String) -> String { root.appendingPathComponent(name).path }
}

/// Tests against the demo API, each with a client of its own.
class DemoTestCase: XCTestCase {
    func url() throws -> String { try XCTUnwrap(DemoAPI.shared.url, "the demo API did not start") }

    func client(
        _ document: String = "examples/demo-api/demo.restway.json",
        _ change: (inout Client.Options) -> Void = { _ in }
    ) throws -> Client {
        var options = Client.Options(baseURL: try url())
        change(&options)
        return try Client(API(file: DemoAPI.path(document)), options: options)
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

/// A server that takes connections and never answers.
final class SilentServer {
    let url: String
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/v2"
    }

    deinit { close(descriptor) }
}
