import CLinux
import Dispatch
import Foundation
import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwaySQLite
import XCTest

@testable import RestwayCache

/// Kills a process that writes to the file of a cache, many times, and checks that no entry mixes
/// two answers. `RESTWAY_CRASH_KILLS` is the number of kills.
final class CacheCrashTests: CacheTestCase {
    private static let keys = 40

    private var fifo: String { folder + "/stored" }

    /// The body of an answer says everywhere which answer it is.
    private static func body(_ mark: String) -> String {
        let length = mark.utf8.reduce(0) { $0 + Int($1) } % 7 * 20_000 + 500
        let line = mark + "\n"
        return String(repeating: line, count: length / line.utf8.count + 1)
    }

    /// The process that is killed. It runs nothing in an ordinary run of the tests.
    func testWriterOfTheProcessThatIsKilled() throws {
        guard isStartedByTest else { return }
        let pipe = Glibc.open(folder + "/stored", O_WRONLY)
        let cache = try open(folder: folder)
        nonisolated(unsafe) let own = self
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            while true {
                let key = Int.random(in: 0..<Self.keys)
                let mark = "\(key)-\(UInt64.random(in: 0 ... .max))"
                let asked = own.question("\(key)", mode: .reload)
                guard case .send(let ticket) = cache.find(asked) else { continue }
                let headers = [
                    ("Cache-Control", "max-age=100000"), ("X-Mark", mark), ("ETag", "\"\(mark)\""),
                ]
                _ = ticket.answered(own.answer(Self.body(mark), headers))
                if key == 0 { cache.remove(Removal(url: "http://127.0.0.1/\(thread)")) }
                guard write(pipe, "x", 1) == 1 else { return }
            }
        }
    }

    private func open(folder: String) throws -> ResponseCache {
        var definition = CacheDefinition()
        definition.path = folder + "/cache.db"
        definition.bytesMax = 3_000_000
        definition.memoryBytesMax = 300_000
        return try ResponseCache(definition, ResponseCache.Options())
    }

    func testNoEntryMixesTwoAnswersAfterAKill() throws {
        let kills = ProcessInfo.processInfo.environment["RESTWAY_CRASH_KILLS"]
        XCTAssertEqual(mkfifo(fifo, 0o600), 0)
        var seen = 0
        for _ in 0..<(kills.flatMap { Int($0) } ?? 12) {
            let process = try start("CacheCrashTests/testWriterOfTheProcessThatIsKilled")
            let pipe = Glibc.open(fifo, O_RDONLY)
            var buffer = [UInt8](repeating: 0, count: Int.random(in: 1...60))
            var left = buffer.count
            while left > 0 {
                let count = read(pipe, &buffer, left)
                guard count > 0 else { return XCTFail("the writer has ended") }
                left -= count
            }
            kill(process, SIGKILL)
            var status: Int32 = 0
            waitpid(process, &status, 0)
            close(pipe)
            seen += try check()
        }
        XCTAssertGreaterThan(seen, 0)
    }

    /// Checks all entries, and returns their number.
    private func check() throws -> Int {
        let cache = try open(folder: folder)
        defer { cache.close() }
        XCTAssertEqual(cache.problem, "")
        var count = 0
        for key in 0..<Self.keys {
            guard case .answer(let hit) = cache.find(question("\(key)")) else { continue }
            let mark = hit.headers[first: "X-Mark"] ?? "none"
            XCTAssertTrue(mark.hasPrefix("\(key)-"), mark)
            XCTAssertEqual(hit.headers[first: "ETag"], "\"\(mark)\"")
            if text(hit) != Self.body(mark) { XCTFail("the body of \(mark) is another one") }
            count += 1
        }
        cache.writer?.finish()
        XCTAssertEqual(
            try integer("SELECT total(bytes) FROM entry"), try integer("SELECT bytes FROM cache"))
        return count
    }
}
