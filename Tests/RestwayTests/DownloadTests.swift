import Foundation
import LoopbackServer
import Restway
import XCTest

/// Answers that are saved in files, and the progress of calls.
final class DownloadTests: DemoTestCase {
    private func text(of path: String) throws -> String {
        try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
    }

    func testABodyIsSavedInAFile() async throws {
        let client = try client()
        let path = try temporaryFile("issues.txt")
        let file = try await client.download(
            "repos/octo/hello/issues.csv", to: path, digesting: true)
        XCTAssertEqual(file.path, path)
        XCTAssertEqual(file.suggestedName, "issues.csv")
        XCTAssertEqual(file.resumedFrom, 0)
        let text = try text(of: path)
        XCTAssertTrue(text.hasPrefix("number,state,title\n"))
        XCTAssertEqual(file.length, Int64(text.utf8.count))
        let digest = try Resource.file(path).digest(.sha256)
        XCTAssertEqual(file.digest, digest.map { String(format: "%02x", $0) }.joined())
        XCTAssertTrue(file.response.body.isEmpty)
        XCTAssertEqual(file.response.status, 200)
        let response = try await client.get("status")
        XCTAssertNil(response.saved)
    }

    func testAFailureLeavesTheFileAsItWas() async throws {
        let client = try client()
        let path = try temporaryFile("kept.txt")
        try Data("kept".utf8).write(to: URL(fileURLWithPath: path))
        let missing = try await failure { () throws(RestwayError) in
            try await client.download("enterprises/4000000", to: path)
        }
        XCTAssertEqual(missing.httpStatus, 404)
        let large = try await failure { () throws(RestwayError) in
            try await client.download(Request(.get, "bad/big"), to: path, bytesMax: 100)
        }
        XCTAssertEqual(large.kind, .tooLarge)
        XCTAssertEqual(try text(of: path), "kept")
        let folder = try await failure { () throws(RestwayError) in
            try await client.download("status", to: "/nowhere/file")
        }
        XCTAssertEqual(folder.kind, .io)
        let negative = try await failure { () throws(RestwayError) in
            try await client.download("status", to: path, bytesMax: -1)
        }
        XCTAssertEqual(negative.field, "bytesMax")
    }

    func testALaterCallGoesOnWithAPart() async throws {
        let calls = Counter()
        let server = try TestServer { connection in
            while let request = connection.readRequest() {
                calls.add(1)
                guard let range = request.header("range") else {
                    connection.write(
                        "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\n01234")
                    return
                }
                guard range == "bytes=5-" else { return }
                connection.answer(
                    "56789", status: "206 Partial Content",
                    headers: ["ETag: \"1\"", "Content-Range: bytes 5-9/10"])
            }
        }
        let client = try client(of: server)
        let path = try temporaryFile("digits.txt")
        let error = try await failure { () throws(RestwayError) in
            try await client.download("digits", to: path, keepsPart: true)
        }
        XCTAssertEqual(error.kind, .connectionLost)
        XCTAssertFalse(FileManager.default.fileExists(atPath: path))
        let file = try await client.download("digits", to: path, keepsPart: true)
        XCTAssertEqual(file.resumedFrom, 5)
        XCTAssertEqual(try text(of: path), "0123456789")
        XCTAssertEqual(calls.value, 2)
    }

    func testADescriptorTakesABody() async throws {
        let path = try temporaryFile("out.txt")
        XCTAssertTrue(FileManager.default.createFile(atPath: path, contents: nil))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        let file = try await client().download(
            Request(.get, "status"), toDescriptor: handle.fileDescriptor)
        XCTAssertNil(file.path)
        XCTAssertEqual(Int64(try text(of: path).utf8.count), file.length)
        let client = try client()
        let error = try await failure { () throws(RestwayError) in
            try await client.download(Request(.get, "status"), toDescriptor: -1)
        }
        XCTAssertEqual(error.kind, .io)
    }

    // MARK: Progress

    func testTheProgressOfADownload() async throws {
        let client = try client()
        let path = try temporaryFile("big.json")
        let progress = ProgressReporter(interval: .milliseconds(1))
        let states = Task {
            var states: [ProgressReporter.State] = []
            for await state in progress { states.append(state) }
            return states
        }
        var request = Request(.get, "bad/big")
        request.parameters = ["bytes": 4_000_000]
        let file = try await client.download(request, to: path, progress: progress)
        let seen = await states.value
        XCTAssertEqual(seen.last?.fraction, 1)
        XCTAssertEqual(seen.last?.download.done, file.length)
        XCTAssertEqual(seen.map(\.fraction), seen.map(\.fraction).sorted())
        XCTAssertEqual(progress.state, seen.last)
        var late: [Double] = []
        for await state in progress { late.append(state.fraction) }
        XCTAssertEqual(late, [1])
    }

    func testProgressEndsWithAFailedCall() async throws {
        let client = try client()
        let progress = ProgressReporter()
        let error = try await failure { () throws(RestwayError) in
            try await client.send(Request(.get, "enterprises/4000000"), progress: progress)
        }
        XCTAssertEqual(error.httpStatus, 404)
        for await state in progress { XCTAssertLessThan(state.fraction, 1) }
        XCTAssertLessThan(progress.state.fraction, 1)
    }

    func testAReporterCancelsItsWork() async throws {
        let server = try TestServer.silent()
        let client = try client { $0.baseURL = server.url("/v2") }
        let progress = ProgressReporter()
        progress.cancel()
        let error = try await failure { () throws(RestwayError) in
            try await client.send(Request(.get, "anything"), progress: progress)
        }
        XCTAssertEqual(error.kind, .cancelled)
    }

    func testMappedObjectsAreCounted() async throws {
        let client = try client()
        let progress = ProgressReporter()
        var request = Request(.get, "enterprises")
        request.parameters = ["per_page": 7]
        try await client.send(request, progress: progress)
        XCTAssertEqual(progress.state.objects.done, 7)
    }
}
