import CLinux
import Dispatch
import Foundation
import RestwayCalls
import RestwayHTTP
import RestwayOutcome
import RestwaySQLite
import RestwayThreads
import XCTest

@testable import RestwayCache
@testable import RestwayRequests

/// Storage that real processes, disks and permissions make fail: requests are answered all the
/// same, and the cache says what is wrong.
final class CacheProcessTests: CacheTestCase {
    private static let processes = 4
    private static let threads = 16
    private static let rounds = 60

    private func process(_ test: String) throws -> pid_t {
        try start("CacheProcessTests/" + test)
    }

    // MARK: Four processes

    /// One of the processes that use a file at the same time.
    func testOneOfFourProcesses() throws {
        guard isStartedByTest else { return }
        let cache = try open()
        let group = DispatchGroup()
        // The functions of a test case that make requests change nothing.
        nonisolated(unsafe) let own = self
        for thread in 0..<Self.threads {
            group.enter()
            let hasStarted = Thread.start("cache-user") {
                for round in 0..<Self.rounds { own.use(cache, thread, round) }
                group.leave()
            }
            XCTAssertTrue(hasStarted)
        }
        group.wait()
        cache.close()
    }

    /// Sends one request, and checks that an answer of the cache is whole.
    private func use(_ cache: ResponseCache, _ thread: Int, _ round: Int) {
        let name = "\((thread * 7 + round) % 30)"
        let mode = round.isMultiple(of: 9) ? CacheMode.reload : .standard
        switch cache.find(question(name, mode: mode)) {
        case .answer(let answer):
            let mark = answer.headers[first: "X-Mark"] ?? "none"
            if !mark.hasPrefix(name + "-") || text(answer) != Self.body(mark) {
                XCTFail("the answer \(mark) to \(name) is not whole")
            }
        case .send(let ticket):
            let mark = "\(name)-\(UInt64.random(in: 0 ... .max))"
            let headers = [("Cache-Control", "max-age=1000"), ("X-Mark", mark)]
            let outcome = ticket.answered(answer(Self.body(mark), headers))
            if text(outcome) != Self.body(mark) { XCTFail("\(mark) was changed") }
        case .staleAnswer, .nothing:
            XCTFail("no other finding is possible")
        }
        if round % 17 == 0 { cache.remove(Removal(url: "http://127.0.0.1/\(name)")) }
    }

    /// The body of an answer says everywhere which answer it is. Some bodies are files.
    private static func body(_ mark: String) -> String {
        let length = mark.utf8.last.map { Int($0) % 5 * 25_000 + 400 } ?? 0
        return String(repeating: mark + "\n", count: length / mark.utf8.count + 1)
    }

    func testFourProcessesWithSixteenThreadsEach() throws {
        let processes = try (0..<Self.processes).map { _ in try process("testOneOfFourProcesses") }
        for process in processes { XCTAssertEqual(status(of: process), 0) }
        XCTAssertEqual(
            try integer("SELECT total(bytes) FROM entry"), try integer("SELECT bytes FROM cache"))
        let files = try integer("SELECT count(*) FROM entry WHERE file IS NOT NULL")
        XCTAssertEqual(Int64(names(bodies).count), files)
        let cache = try open()
        XCTAssertEqual(cache.problem, "")
        // On a slow machine the last removals may have left no entry, but the file still works.
        use(cache, 0, 1)
        cache.close()
        XCTAssertGreaterThan(try XCTUnwrap(integer("SELECT count(*) FROM entry")), 0)
    }

    // MARK: Permissions

    /// A process of a user who may not write to the folder of the file.
    func testAProcessOfAnotherUser() throws {
        guard isStartedByTest else { return }
        let nobody: UInt32 = 65_534
        XCTAssertEqual(setgroups(0, nil), 0)
        XCTAssertEqual(setregid(nobody, nobody), 0)
        XCTAssertEqual(setreuid(nobody, nobody), 0)
        let cache = try open()
        XCTAssertNotEqual(cache.problem, "")
        for size in [10, 200_000] {
            let body = String(repeating: "x", count: size)
            _ = try ticket(cache, question("\(size)")).answered(answer(body))
            cache.writer?.finish()
            XCTAssertEqual(found(cache, question("\(size)")), body)
            XCTAssertNotEqual(cache.problem, "")
        }
        cache.close()
    }

    func testAFolderOfAnotherUserHarmsNothing() throws {
        guard geteuid() == 0 else { throw XCTSkip("only root can become another user") }
        chmod(folder, 0o755)
        XCTAssertEqual(status(of: try process("testAProcessOfAnotherUser")), 0, "without a file")
        let cache = try open()
        try store(cache, question("a"), "one")
        cache.close()
        XCTAssertEqual(status(of: try process("testAProcessOfAnotherUser")), 0, "unreadable")
        chmod(path, 0o644)
        XCTAssertEqual(status(of: try process("testAProcessOfAnotherUser")), 0, "read-only")
        XCTAssertEqual(try integer("SELECT count(*) FROM entry"), 1)
    }

    // MARK: A full disk

    func testAFullDiskHarmsNothing() throws {
        guard mount("tmpfs", folder, "tmpfs", 0, "size=512k") == 0 else {
            throw XCTSkip("no file system may be mounted here")
        }
        defer { XCTAssertEqual(umount2(folder, Int32(MNT_DETACH)), 0) }
        let cache = try open()
        for number in 0..<40 {
            let size = number.isMultiple(of: 4) ? 100_000 : 8_000
            let body = String(repeating: "\(number % 10)", count: size)
            _ = try ticket(cache, question("\(number)")).answered(answer(body))
            cache.writer?.finish()
            XCTAssertEqual(found(cache, question("\(number)")), body)
            clock.advance(milliseconds: 2_000)
        }
        XCTAssertTrue(cache.problem.contains("full"), cache.problem)
        XCTAssertGreaterThan(cache.statistics.counts.failures, 0)
        cache.close()
    }

    // MARK: A lock

    /// A process that keeps the file locked until it is killed.
    func testAProcessThatLocksTheFile() throws {
        guard isStartedByTest else { return }
        let connection = try Connection(path)
        try connection.run("BEGIN EXCLUSIVE")
        let pipe = Glibc.open(folder + "/locked", O_WRONLY)
        XCTAssertEqual(write(pipe, "x", 1), 1)
        while true { pause() }
    }

    func testALockOfAnotherProcessHarmsNothing() throws {
        let fifo = folder + "/locked"
        XCTAssertEqual(mkfifo(fifo, 0o600), 0)
        let cache = try open { $0.busyTimeoutMilliseconds = 50 }
        try store(cache, question("a"), "one")
        cache.writer?.finish()
        let locker = try process("testAProcessThatLocksTheFile")
        let pipe = Glibc.open(fifo, O_RDONLY)
        var byte: UInt8 = 0
        XCTAssertEqual(read(pipe, &byte, 1), 1)
        for name in ["b", "c"] {
            try store(cache, question(name), name)
            cache.writer?.finish()
            XCTAssertEqual(found(cache, question(name)), name)
            clock.advance(milliseconds: 2_000)
        }
        XCTAssertTrue(cache.problem.contains("locked"), cache.problem)
        kill(locker, SIGKILL)
        XCTAssertNotEqual(status(of: locker), 0)
        close(pipe)
        try store(cache, question("d"), "d")
        cache.writer?.finish()
        XCTAssertEqual(cache.problem, "")
        cache.close()
        XCTAssertEqual(try integer("SELECT count(*) FROM entry"), 2)
    }

    // MARK: Damage

    /// Whether the head comes back depends on what the log and the memory of SQLite still have.
    func testAFileThatLosesItsHeadHarmsNothing() throws {
        for isInLog in [false, true] {
            var cache = try open()
            for number in 0..<20 { try store(cache, question("\(number)"), "old \(number)") }
            cache.close()
            cache = try open(memoryBytesMax: 0)
            if isInLog {
                try store(cache, question("a"), "one")
                cache.writer?.finish()
            }
            try run(
                "/bin/dd", "if=/dev/urandom", "of=\(path)", "bs=4096", "count=30",
                "conv=notrunc", "status=none")
            for number in 0..<40 {
                let asked = question("\(number)", mode: number < 20 ? .standard : .reload)
                switch cache.find(asked) {
                case .answer(let hit): XCTAssertEqual(text(hit), "old \(number)")
                case .send(let ticket):
                    let outcome = ticket.answered(answer("new"))
                    XCTAssertEqual(text(outcome), "new")
                default: XCTFail("no other finding is possible")
                }
                cache.writer?.finish()
                clock.advance(milliseconds: 2_000)
            }
            cache.close()
            cache = try open()
            try store(cache, question("b", mode: .reload), "two")
            XCTAssertEqual(found(cache, question("b")), "two")
            cache.close()
            for name in names(folder) { unlink(folder + "/" + name) }
        }
    }

    func testDamageDuringARunHarmsNothing() throws {
        var cache = try open()
        // SQLite remembers less than this.
        for number in 0..<200 {
            try store(cache, question("\(number)"), String(repeating: "x", count: 60_000))
        }
        cache.close()
        cache = try open(memoryBytesMax: 0)
        // Another process writes, because the locks of this one end with any descriptor.
        try run(
            "/bin/dd", "if=/dev/urandom", "of=\(path)", "bs=4096", "seek=1", "count=1000",
            "conv=notrunc", "status=none")
        for number in 0..<60 {
            guard case .send(let ticket) = cache.find(question("\(number)", mode: .reload)) else {
                return XCTFail("the server is not asked")
            }
            _ = ticket.answered(answer("new \(number)"))
            cache.writer?.finish()
            clock.advance(milliseconds: 2_000)
        }
        XCTAssertTrue(cache.problem.contains("damaged"), cache.problem)
        try store(cache, question("last"), "last")
        cache.writer?.finish()
        XCTAssertEqual(found(cache, question("last")), "last")
        XCTAssertEqual(found(cache, question("59")), "new 59")
        cache.close()
    }
}
