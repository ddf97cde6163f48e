import CLinux
import Dispatch
import Foundation
import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwaySQLite
import RestwayThreads
import XCTest

@testable import RestwayCache

final class CacheStorageTests: CacheTestCase {
    private func both(_ body: (ResponseCache) throws -> Void) throws {
        for isInFile in [false, true] {
            let cache = try open(isInFile: isInFile)
            try body(cache)
            cache.close()
        }
    }

    func testAnAnswerIsKeptAndGivenAgain() throws {
        try both { cache in
            let question = question("a")
            try store(cache, question, "one")
            guard case .answer(let hit) = cache.findInMemory(question) ?? cache.find(question)
            else { return XCTFail("no hit") }
            XCTAssertEqual(text(hit), "one")
            XCTAssertEqual(hit.cache?.state, .hit)
            XCTAssertEqual(hit.headers[first: "Age"], "0")
            XCTAssertEqual(
                hit.headers[first: "Cache-Status"], "restway; hit; ttl=1000")
            XCTAssertNotNil(hit.mappings)
            XCTAssertEqual(cache.statistics.counts.hits, 1)
        }
    }

    func testAnAnswerOutlivesItsProcess() throws {
        var cache = try open()
        let large = String(repeating: "x", count: 200_000)
        try store(cache, question("small"), "one")
        try store(cache, question("large"), large)
        cache.close()
        cache = try open()
        XCTAssertEqual(cache.statistics.holdings.entries, 2)
        XCTAssertEqual(cache.statistics.holdings.memoryEntries, 0)
        XCTAssertNil(cache.findInMemory(question("small")))
        XCTAssertEqual(found(cache, question("small")), "one")
        XCTAssertEqual(found(cache, question("large")), large)
        XCTAssertEqual(names(bodies).count, 1)
        XCTAssertNotNil(cache.findInMemory(question("large")))
        cache.close()
    }

    func testVariantsAreKeptSideBySide() throws {
        try both { cache in
            for language in ["de", "en", "fr"] {
                let asked = question("a", headers: [("X-Taste", language)])
                let outcome = try ticket(cache, asked).answered(
                    answer(language, [("Cache-Control", "max-age=9"), ("Vary", "X-Taste")]))
                XCTAssertEqual(outcome.cache?.state, .stored)
            }
            cache.writer?.finish()
            for language in ["de", "en", "fr"] {
                XCTAssertEqual(
                    found(cache, question("a", headers: [("X-Taste", language)])), language)
            }
            XCTAssertNil(found(cache, question("a", headers: [("X-Taste", "it")])))
        }
        let cache = try open()
        XCTAssertEqual(found(cache, question("a", headers: [("X-Taste", "en")])), "en")
        cache.close()
    }

    func testAnAnswerThatLeavesMemoryKeepsItsMappings() throws {
        let cache = try open(memoryBytesMax: 0)
        try store(cache, question("a"), "one")
        try store(cache, question("b"), "one")
        cache.writer?.finish()
        func mappings(_ path: String) -> CachedMappings? {
            guard case .answer(let answer) = cache.find(question(path)) else { return nil }
            return answer.mappings
        }
        let first = try XCTUnwrap(mappings("a"))
        XCTAssertTrue(mappings("a") === first)
        XCTAssertFalse(mappings("b") === first)
        // Another body has mappings of its own.
        try store(cache, question("a", mode: .reload), "two")
        cache.writer?.finish()
        XCTAssertFalse(mappings("a") === first)
        XCTAssertEqual(found(cache, question("a")), "two")
        cache.close()
    }

    func testWhatWasUsedLongestAgoLeavesMemory() throws {
        let body = String(repeating: "x", count: 1_000)
        let cache = try open(isInFile: false, memoryBytesMax: 10_000)
        for number in 0..<5 { try store(cache, question("\(number)"), body) }
        XCTAssertNotNil(found(cache, question("0")))
        for number in 5..<9 { try store(cache, question("\(number)"), body) }
        XCTAssertNotNil(found(cache, question("0")))
        XCTAssertNil(found(cache, question("1")))
        let statistics = cache.statistics
        XCTAssertLessThanOrEqual(statistics.holdings.memoryBytes, 10_000)
        XCTAssertEqual(
            statistics.counts.evicted + statistics.holdings.memoryEntries, 9)
    }

    func testTheFileIsBoundedByBytes() throws {
        let body = String(repeating: "x", count: 10_000)
        var cache = try open(bytesMax: 100_000)
        for number in 0..<30 {
            try store(cache, question("\(number)"), body)
            clock.advance(milliseconds: 1)
            cache.writer?.finish()
        }
        let statistics = cache.statistics
        XCTAssertLessThanOrEqual(statistics.holdings.bytes, 100_000)
        XCTAssertEqual(statistics.counts.evicted + statistics.holdings.entries, 30)
        cache.close()
        XCTAssertEqual(
            try integer("SELECT sum(bytes) FROM entry"), try integer("SELECT bytes FROM cache"))
        cache = try open(bytesMax: 100_000)
        XCTAssertNil(found(cache, question("0")))
        XCTAssertNotNil(found(cache, question("29")))
        cache.close()
    }

    func testWhatWasUsedLastLeavesTheFileLast() throws {
        let body = String(repeating: "x", count: 10_000)
        // With little memory, the file answers.
        for memoryBytesMax: Int64 in [1_000_000, 2_000] {
            unlink(path)
            let cache = try open(bytesMax: 100_000, memoryBytesMax: memoryBytesMax)
            for number in 0..<30 {
                try store(cache, question("\(number)"), body)
                cache.writer?.finish()
                XCTAssertNotNil(found(cache, question("0")), "\(number)")
            }
            XCTAssertEqual(try integer("SELECT count(*) FROM entry WHERE url LIKE '%0'"), 1)
            XCTAssertNotNil(found(cache, question("27")))
            cache.close()
            // The order is known after a restart.
            let last = "SELECT url LIKE '%27' FROM entry ORDER BY usedAt DESC LIMIT 1"
            XCTAssertEqual(try integer(last), 1)
            let lastButOne = "SELECT url LIKE '%/0' FROM entry ORDER BY usedAt DESC LIMIT 1, 1"
            XCTAssertEqual(try integer(lastButOne), 1)
        }
    }

    func testUsesAreOrderedWhateverTheClockDoes() {
        var uses = CacheUses()
        uses.raise(to: 100)
        XCTAssertEqual(uses.note(1, now: 50).time, 101)
        XCTAssertEqual(uses.note(2, now: 50).time, 102)
        XCTAssertEqual(uses.note(1, now: 200).time, 200)
        XCTAssertEqual(uses.take(1, after: 101), 200)
        XCTAssertNil(uses.take(1, after: 101))
        uses.noteWritten(2, at: 101)
        XCTAssertEqual(uses.take(2, after: 0), 102)
        for id in 1...Int64(CacheUses.countMax) {
            XCTAssertEqual(uses.note(id, now: 0).excess, [:])
        }
        XCTAssertEqual(uses.note(0, now: 0).excess.count, CacheUses.countMax + 1)
        XCTAssertEqual(uses.takeAll(), [:])
    }

    /// Returns the bytes that the file, its log and the bodies take on the disk.
    private func bytesOnDisk() -> Int64 {
        let paths =
            [path, path + "-wal"] + names(bodies).map { bodies + "/" + $0 }
        return paths.reduce(0) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + Int64(status.st_blocks) * 512 : sum
        }
    }

    func testTheDiskHoldsNoMoreThanTheLimit() throws {
        for sizes in [[1, 200], [2_000, 5_000], [40_000, 60_000], [100, 30_000, 150_000]] {
            let bytesMax: Int64 = 2_000_000
            let cache = try open(bytesMax: bytesMax)
            // The bodies of answers that the writer has not reached yet are on the disk, too.
            let waitingMax = 8
            let waitingBytes = Int64(waitingMax * sizes.max()!)
            var (most, mostWhileWriting): (Int64, Int64) = (0, 0)
            var written: Int64 = 0
            var number = 0
            while written < 3 * bytesMax, number < 4_000 {
                for _ in 0..<waitingMax {
                    number += 1
                    let body = String(repeating: "x", count: sizes[number % sizes.count])
                    written += Int64(body.utf8.count)
                    try store(cache, question("\(number)"), body)
                    clock.advance(milliseconds: 1)
                    mostWhileWriting = max(mostWhileWriting, bytesOnDisk())
                }
                cache.writer?.finish()
                most = max(most, bytesOnDisk())
            }
            XCTAssertLessThanOrEqual(most, bytesMax + 256 << 10, "\(sizes)")
            XCTAssertLessThanOrEqual(
                mostWhileWriting, bytesMax + 256 << 10 + waitingBytes, "\(sizes)")
            // The room is used.
            XCTAssertGreaterThan(most, bytesMax / 2, "\(sizes)")
            XCTAssertGreaterThan(cache.statistics.counts.evicted, 0)
            XCTAssertNotNil(found(cache, question("\(number)")))
            XCTAssertEqual(
                try integer("SELECT total(length) FROM entry WHERE file IS NOT NULL"),
                try integer("SELECT fileBytes FROM cache"))
            XCTAssertGreaterThan(try cache.remove(CacheFilter()), 3)
            XCTAssertEqual(try integer("SELECT bytes + fileBytes FROM cache"), 0)
            cache.close()
        }
        unlink(path)
        try open().close()
        let pages = try XCTUnwrap(integer("PRAGMA page_count"))
        XCTAssertLessThanOrEqual(pages, CacheRoom.emptyPages)
    }

    func testOpeningReadsNoEntry() throws {
        try open().close()
        var steps: [Int] = []
        for count in [10, 20_000] {
            try shell(
                """
                WITH RECURSIVE n (i) AS (
                    SELECT (SELECT count(*) FROM entry) + 1 UNION ALL
                    SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO entry
                SELECT i, i, 'GET http://127.0.0.1/' || i || '  ', 'GET', 'http://127.0.0.1/' || i,
                    i, NULL, '', x'', x'', i, i, 600, 0, NULL, NULL, NULL, NULL FROM n
                """)
            let counted = Lock(0)
            let cache = try open {
                $0.faults = FaultPoints { operation in
                    if operation == .step { counted.withLock { $0 += 1 } }
                    return nil
                }
            }
            cache.writer?.finish()
            steps.append(counted.withLock { $0 })
            XCTAssertEqual(cache.statistics.holdings.entries, Int64(count))
            cache.close()
        }
        XCTAssertEqual(steps[0], steps[1])
    }

    func testAValidatedAnswerKeepsItsBodyAndItsMappings() throws {
        try both { cache in
            let asked = question("a")
            let stale = answer("one", [("Cache-Control", "max-age=1"), ("ETag", "\"1\"")])
            _ = try ticket(cache, asked).answered(stale)
            clock.advance(milliseconds: 5_000)
            let next = try ticket(cache, asked)
            XCTAssertEqual(next.conditions.first?.value, "\"1\"")
            let outcome = next.answered(
                answer(status: 304, [("Cache-Control", "max-age=100"), ("ETag", "\"1\"")]))
            XCTAssertEqual(text(outcome), "one")
            XCTAssertEqual(outcome.status, 200)
            XCTAssertEqual(outcome.cache?.state, .validated)
            cache.writer?.finish()
            XCTAssertEqual(found(cache, asked), "one")
            XCTAssertEqual(cache.statistics.holdings.entries, 1)
        }
        let cache = try open()
        XCTAssertEqual(found(cache, question("a")), "one")
        cache.close()
    }

    // MARK: Removing

    func testWhatLeftBeforeARemovalIsNotKeptAfterIt() throws {
        try both { cache in
            let asked = question("a", route: "things")
            let left = try ticket(cache, asked)
            var rules = CacheRules()
            rules.invalidatedRoutes = ["things"]
            let change = question("b", "POST", rules: rules)
            cache.observed(answer("done"), change, cause: nil)
            let outcome = left.answered(answer("old"))
            XCTAssertEqual(outcome.cache?.state, .passed)
            XCTAssertNil(found(cache, asked))
            try store(cache, asked, "new")
            XCTAssertEqual(found(cache, asked), "new")
        }
    }

    func testAnUnsafeRequestRemovesItsURL() throws {
        try both { cache in
            try store(cache, question("a"), "one")
            try store(cache, question("b"), "two")
            cache.observed(answer("done"), question("a", "PUT"), cause: nil)
            XCTAssertNil(found(cache, question("a")))
            XCTAssertEqual(found(cache, question("b")), "two")
        }
        let cache = try open()
        XCTAssertNil(found(cache, question("a")))
        XCTAssertEqual(found(cache, question("b")), "two")
        cache.close()
    }

    func testEntriesAreRemovedByEachProperty() throws {
        try both { cache in
            try store(cache, question("a", route: "r", discriminator: "ann"), "1")
            try store(cache, question("a", route: "r", discriminator: "bob"), "2")
            try store(cache, question("b", route: "s"), "3")
            clock.advance(milliseconds: 10_000)
            try store(cache, question("c", holder: 5), "4")
            XCTAssertEqual(try cache.list(CacheFilter(), limit: 0).count, 4)
            XCTAssertEqual(try cache.list(CacheFilter(), limit: 2).count, 2)
            XCTAssertEqual(
                try cache.list(CacheFilter(), limit: 1).map(\.url), ["http://127.0.0.1/c"])
            var filter = CacheFilter()
            filter.discriminator = "ann"
            XCTAssertEqual(try cache.list(filter, limit: 0).map(\.discriminator), ["ann"])
            XCTAssertEqual(try cache.remove(filter), 1)
            filter.discriminator = ""
            XCTAssertEqual(try cache.list(filter, limit: 0).count, 2)
            filter = CacheFilter()
            filter.url = "HTTP://127.0.0.1:80/a"
            XCTAssertEqual(try cache.remove(filter), 1)
            filter = CacheFilter()
            filter.ageSecondsMin = 5
            XCTAssertEqual(try cache.remove(filter), 1)
            filter = CacheFilter()
            filter.key = try cache.list(CacheFilter(), limit: 0).first?.key
            XCTAssertEqual(try cache.remove(filter), 1)
            XCTAssertNil(found(cache, question("c", holder: 5)))
            XCTAssertEqual(try cache.list(CacheFilter(), limit: 0), [])
            filter = CacheFilter()
            filter.url = "no url"
            XCTAssertThrowsError(try cache.remove(filter))
        }
    }

    func testAnotherCredentialHasOtherEntries() throws {
        try both { cache in
            let before = cache.owner.holder
            try store(cache, question("a", holder: before), "one")
            cache.credentialWasReplaced()
            XCTAssertNotEqual(cache.owner.holder, before)
            XCTAssertNil(found(cache, question("a", holder: cache.owner.holder)))
            XCTAssertNil(found(cache, question("a", holder: before)))
        }
        XCTAssertEqual(try integer("SELECT count(*) FROM entry"), 0)
    }

    func testTheLogOfRemovalsStaysShort() throws {
        try both { cache in
            try store(cache, question("kept"), "one")
            let left = try ticket(cache, question("other"))
            for number in 0..<3_000 { cache.remove(Removal(url: "http://127.0.0.1/\(number)")) }
            XCTAssertEqual(found(cache, question("kept")), "one")
            // It is no longer known what was removed since the request left.
            XCTAssertEqual(left.answered(answer("x")).cache?.state, .passed)
            cache.writer?.finish()
            XCTAssertEqual(found(cache, question("kept")), "one")
        }
    }

    // MARK: Bodies in files

    func testADownloadIsKeptAsAFile() throws {
        let source = folder + "/download"
        let content = String(repeating: "download ", count: 50_000)
        _ = FileManager.default.createFile(atPath: source, contents: Data(content.utf8))
        let descriptor = Glibc.open(source, O_RDONLY)
        let saved = SavedBody(
            path: source, length: Int64(content.utf8.count), digest: nil, resumedFrom: 0,
            content: SavedContent(duplicating: descriptor))
        close(descriptor)
        var cache = try open()
        let asked = question("a", wantsBytes: false)
        let outcome = try ticket(cache, asked).answered(answer(saved: saved))
        XCTAssertEqual(outcome.cache?.state, .stored)
        // The call ends before the body is copied.
        saved.content?.end()
        unlink(source)
        cache.close()
        cache = try open(options: { $0.bodyBytesMax = 1_000 })
        guard case .answer(let tooLarge) = cache.find(question("a")) else {
            return XCTFail("a body that is too large for memory is lost")
        }
        XCTAssertEqual(tooLarge.keptFile?.length, saved.length)
        let shared = try ticket(cache, question("b")).shared(tooLarge)
        XCTAssertEqual(shared.keptFile?.length, saved.length)
        guard case .answer(let hit) = cache.find(asked) else { return XCTFail("no hit") }
        XCTAssertEqual(hit.keptFile?.length, saved.length)
        // The bytes stay readable when the entry is removed.
        XCTAssertEqual(try cache.remove(CacheFilter()), 1)
        XCTAssertEqual(names(bodies), [])
        XCTAssertEqual(text(hit), content)
        XCTAssertNil(found(cache, asked))
        cache.close()
    }

    func testADamagedBodyIsNeverGiven() throws {
        let large = String(repeating: "x", count: 200_000)
        for change in ["truncate", "change", "remove"] {
            var cache = try open()
            try store(cache, question("a"), large)
            cache.close()
            let name = bodies + "/" + (names(bodies).first ?? "none")
            switch change {
            case "truncate": truncate(name, 100_000)
            case "remove": unlink(name)
            default:
                let file = Glibc.open(name, O_WRONLY)
                XCTAssertEqual(pwrite(file, "y", 1, 1_000), 1)
                close(file)
            }
            cache = try open()
            XCTAssertNil(found(cache, question("a")), change)
            // A process that removes an entry removes its body, which is no damage.
            XCTAssertEqual(cache.problem.contains("damaged"), change != "remove", change)
            cache.close()
            XCTAssertEqual(try integer("SELECT count(*) FROM entry"), 0)
        }
    }

    /// SQLite does not notice when somebody else writes other bytes over a row.
    func testADamagedRowIsNeverGiven() throws {
        let other = "(SELECT %@ FROM entry WHERE url LIKE '%/b')"
        func take(_ column: String) -> String {
            column + " = " + other.replacingOccurrences(of: "%@", with: column)
        }
        let changes = [
            "body = CAST('onf' AS BLOB)", "digest = NULL", take("body"), take("head"),
            take("digest"), [take("head"), take("digest"), take("body")].joined(separator: ", "),
            "head = CAST(substr(head, 1, 60) || x'7f' || substr(head, 62) AS BLOB)",
            "head = substr(head, 1, length(head) - 1)", "head = x''",
        ]
        for change in changes {
            var cache = try open()
            try store(cache, question("a"), "one")
            try store(cache, question("b"), "two")
            cache.close()
            try shell("UPDATE entry SET \(change) WHERE url LIKE '%/a'")
            cache = try open()
            XCTAssertNil(found(cache, question("a")), change)
            XCTAssertTrue(cache.problem.contains("an entry was damaged"), cache.problem)
            XCTAssertEqual(found(cache, question("b")), "two")
            cache.writer?.finish()
            XCTAssertEqual(try integer("SELECT count(*) FROM entry"), 1, change)
            try store(cache, question("a"), "newer")
            cache.close()
            cache = try open()
            XCTAssertEqual(found(cache, question("a")), "newer", change)
            XCTAssertEqual(cache.problem, "")
            XCTAssertEqual(try cache.remove(CacheFilter()), 2)
            cache.close()
        }
    }

    func testOrphansAreCollected() throws {
        var cache = try open()
        let large = String(repeating: "x", count: 200_000)
        try store(cache, question("a"), large)
        try store(cache, question("b", holder: 7), "one")
        cache.close()
        try shell("UPDATE cache SET sweptAt = 0; UPDATE holder SET storedAt = 0")
        for name in ["orphan", "dead.part"] {
            _ = FileManager.default.createFile(
                atPath: bodies + "/" + name, contents: Data("x".utf8),
                attributes: [.modificationDate: Date(timeIntervalSince1970: 1_000)])
        }
        _ = FileManager.default.createFile(atPath: bodies + "/young.part", contents: Data())
        cache = try open()
        cache.writer?.finish()
        XCTAssertEqual(names(bodies).count, 2)
        XCTAssertEqual(found(cache, question("a")), large)
        XCTAssertNil(found(cache, question("b", holder: 7)))
        cache.close()
    }
}
