import Glibc
@testable import RestwayOutbox
import RestwaySQLite
import RestwayThreads
import XCTest

/// Every operation may fail: the result is an error with unchanged content, or success.
final class JournalFaultTests: JournalTestCase {
    /// Makes the n-th operation from now on fail. A full disk stays full: operations that need
    /// space fail from then on.
    private final class Countdown: Sendable {
        private let left = Lock(Int.max)
        private let code: Int32
        private var staysFull: Bool { code == 13 }

        init(_ code: Int32) { self.code = code }

        var faults: FaultPoints {
            FaultPoints { operation in
                let needsRoom = operation == .commit || operation == .checkpoint
                return self.left.withLock { left in
                    if left != .max { left -= 1 }
                    let fails = left == 0 || left < 0 && self.staysFull && needsRoom
                    return fails ? self.code : nil
                }
            }
        }

        func fail(_ number: Int) { left.withLock { $0 = number } }
        /// Returns whether the operation was reached; nothing fails from here on.
        func stop() -> Bool {
            left.withLock { left in
                defer { left = .max }
                return left <= 0
            }
        }
    }

    private struct Contents: Equatable {
        var items: [OutboxItem]
        var counts: OutboxCounts
        var identities: [OutboxIdentity]
        var edited: [EditedItem]
        var accepted: Set<Int64>
        var changes: [OutboxChange]
    }

    private func contents(_ journal: OutboxJournal) throws -> Contents {
        Contents(
            items: try journal.items(after: 0, itemsMax: 100), counts: try journal.counts(),
            identities: try journal.identities(after: 0, countMax: 100),
            edited: try journal.editedItems(), accepted: try journal.acceptedEdits(),
            changes: try journal.editedItems().compactMap { try journal.change(of: $0.item) })
    }

    /// A step that writes, after steps that prepare it.
    private struct Step {
        var name: String
        var prepare: (OutboxJournal) throws -> Void = { _ in }
        var run: (OutboxJournal) throws -> Void
    }

    private let local = LocalID.random()

    private func takeMany(_ journal: OutboxJournal) throws {
        for number in 0..<40 { _ = try journal.enqueue(entry("lane \(number % 20)")) }
        _ = try journal.take(itemsMax: 20, now: 0)
    }

    /// These steps mark an item.
    private func markMany(_ journal: OutboxJournal) throws {
        try takeMany(journal)
        _ = try journal.settle((1...20).map { .remove(id: $0) })
    }

    /// Makes a request that creates an object, and one that changes it, which the object store has
    /// seen.
    private func changes() -> (post: OutboxEntry, put: OutboxEntry) {
        var post = entry(Lane(local), creates: local)
        var put = entry(Lane(local), path: local.text)
        var thing = OutboxChange.Object(entity: "T", storeKey: 7)
        thing.isMade = true
        thing.cells = [.init(name: "name", before: .absent, after: .string("a"))]
        post.change = OutboxChange(edit: 11, store: 1, objects: [thing])
        thing.isMade = false
        thing.cells = [.init(name: "name", before: .string("a"), after: .string("b"))]
        put.change = OutboxChange(edit: 12, store: 1, objects: [thing])
        return (post, put)
    }

    private func steps() -> [Step] {
        let (post, put) = changes()
        let other = entry("other")
        let store: (OutboxJournal) throws -> Void = { journal in
            _ = try journal.enqueue(post)
            _ = try journal.enqueue(put)
            _ = try journal.enqueue(other)
        }
        let take: (OutboxJournal) throws -> Void = { journal in
            try store(journal)
            _ = try journal.take(itemsMax: 9, now: 0)
        }
        let burial: (OutboxJournal) throws -> Void = { journal in
            try take(journal)
            _ = try journal.settle([self.bury(1), self.bury(3)])
        }
        var edit = OutboxEdit(idempotencyKey: "new")
        edit.path = "elsewhere"
        return [
            Step(name: "enqueue", run: { _ = try $0.enqueue(post) }),
            Step(
                name: "enqueue a dependent", prepare: { _ = try $0.enqueue(post) },
                run: { _ = try $0.enqueue(put) }),
            Step(name: "take", prepare: store, run: { _ = try $0.take(itemsMax: 9, now: 0) }),
            Step(name: "create", prepare: take) {
                _ = try $0.settle([
                    .remove(
                        id: 1, identity: .integer(4), lane: Lane(entity: "T", .integer(4))),
                    .remove(id: 3),
                ])
            },
            Step(name: "create nothing", prepare: take) {
                _ = try $0.settle([.remove(id: 1, identity: nil, lane: nil)])
            },
            Step(name: "postpone", prepare: take) {
                _ = try $0.settle([self.postpone(1, until: 5), self.postpone(3, until: 5)])
            },
            Step(name: "bury", prepare: take) { _ = try $0.settle([self.bury(1), self.bury(3)]) },
            Step(
                name: "hurry",
                prepare: {
                    try take($0)
                    _ = try $0.settle([self.postpone(1, until: 5), self.postpone(3, until: 5)])
                }, run: { try $0.hurry(forced: true, now: 0) }),
            Step(name: "edit", prepare: burial) { try $0.edit(3, edit) },
            Step(name: "retry", prepare: burial) { try $0.retry(1) },
            Step(name: "drop", prepare: store) { _ = try $0.drop(1) },
            Step(name: "drop all", prepare: store) { _ = try $0.dropAll() },
            Step(name: "drop the later one", prepare: store) { _ = try $0.drop(2) },
            Step(
                name: "forget an accepted edit",
                prepare: {
                    try take($0)
                    _ = try $0.settle([.remove(id: 1)])
                }, run: { try $0.forgetEdits(acceptedBefore: 1) }),
            Step(name: "withdraw", prepare: store) { _ = try $0.withdraw(self.local) },
        ] + stepsOfConflicts(put)
    }

    /// Steps of an item that has an edit, and is in flight.
    private func stepsOfConflicts(_ put: OutboxEntry) -> [Step] {
        var put = put
        (put.lane, put.path) = (Lane(named: "a"), "things/7")
        let behind = entry("a")
        let take: (OutboxJournal) throws -> Void = { journal in
            _ = try journal.enqueue(put)
            _ = try journal.enqueue(behind)
            _ = try journal.take(itemsMax: 9, now: 0)
        }
        let deleted = ItemConflict(kind: .theyDeleted)
        let change = put.change!
        let park: (OutboxJournal) throws -> Void = { journal in
            try take(journal)
            _ = try journal.settle([
                .park(id: 1, deleted, change: change, trouble: self.trouble())
            ])
        }
        let part = OutboxChange(edit: 13, store: 1, objects: change.objects)
        var rewriting = ItemRewriting(idempotencyKey: "new")
        rewriting.body = .some(Array("{}".utf8))
        rewriting.change = OutboxChange(edit: 12, store: 1)
        rewriting.conflict = ItemConflict(isRewritten: true)
        let rest = rewriting
        rewriting.splitOff = .init(
            change: part, conflict: ItemConflict(kind: .attributes), idempotencyKey: "part",
            trouble: trouble("conflict"))
        let split = rewriting
        return [
            Step(name: "conflict", prepare: take) {
                _ = try $0.settle([
                    .conflict(
                        id: 1, ItemConflict(tries: 1), trouble: self.trouble(),
                        answer: OutboxAnswer(status: 412))
                ])
            },
            Step(name: "park", prepare: take) {
                _ = try $0.settle([
                    .park(id: 1, deleted, change: change, trouble: self.trouble())
                ])
            },
            Step(name: "rewrite", prepare: take) { _ = try $0.rewrite(1, rest) },
            Step(name: "split", prepare: take) { _ = try $0.rewrite(1, split) },
            Step(name: "unpark", prepare: park) { try $0.unpark(1, rest) },
            Step(name: "unpark a part", prepare: park) { try $0.unpark(1, split) },
            Step(name: "drop what is parked", prepare: park) { _ = try $0.drop(1) },
            Step(name: "finish", prepare: park) { _ = try $0.finishParked(1, now: 5) },
            Step(name: "set a change", prepare: park) { try $0.setChange(of: 1, part) },
        ]
    }

    private func stepsOfMany() -> [Step] {
        [
            Step(name: "mark many", prepare: takeMany) {
                _ = try $0.settle((1...20).map { .remove(id: $0) })
            },
            Step(name: "remove many", prepare: takeMany) {
                _ = try $0.settle(
                    (1...19).map { .remove(id: $0) } + [self.postpone(20, until: 5)])
            },
            Step(name: "take out what is marked", prepare: markMany) { _ = try $0.drop(21) },
            Step(name: "take behind what is marked", prepare: markMany) {
                _ = try $0.take(itemsMax: 5, now: 0)
            },
            Step(
                name: "take over with marks",
                prepare: {
                    try self.markMany($0)
                    $0.resign()
                },
                run: {
                    _ = try $0.becomeSender()
                    _ = try $0.take(itemsMax: 5, now: 0)
                }),
        ]
    }

    func testEveryStepIsDoneWhollyOrNotAtAllWhateverFails() throws {
        for code in [10, 13] as [Int32] {  // SQLITE_IOERR, SQLITE_FULL
            for step in steps() + stepsOfMany() { try fail(step, code) }
        }
    }

    private func fail(_ step: Step, _ code: Int32) throws {
        let countdown = Countdown(code)
        var failures = 0
        for number in 1... {
            XCTAssertLessThan(number, 200, step.name)
            let journal = try openSender { $0.connection.faults = countdown.faults }
            try step.prepare(journal)
            let before = try contents(journal)
            countdown.fail(number)
            let refusal = refusal { try step.run(journal) }
            let isReached = countdown.stop()
            if !isReached {
                XCTAssertNil(refusal, step.name)
                XCTAssertNotEqual(try contents(journal), before, step.name)
            } else if let refusal {
                failures += 1
                XCTAssertTrue(refusal.message.contains(path), refusal.message)
                XCTAssertEqual(try contents(journal), before, "\(step.name), fault \(number)")
                try step.run(journal)
                XCTAssertNotEqual(try contents(journal), before, step.name)
            }
            journal.close()
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            if !isReached { break }
        }
        XCTAssertGreaterThan(failures, 4, step.name)
    }

    func testAFileThatCannotBeMadeIsRefused() throws {
        var survived = 0
        for number in 1... {
            XCTAssertLessThan(number, 200)
            let countdown = Countdown(10)
            countdown.fail(number)
            let refusal = refusal {
                try self.open { $0.connection.faults = countdown.faults }.close()
            }
            guard countdown.stop() else { break }
            if let refusal {
                XCTAssertTrue(refusal.message.contains(path), refusal.message)
            } else {
                survived += 1
            }
        }
        XCTAssertEqual(survived, 1, "a log that stays where it is loses nothing")
        XCTAssertEqual(try open().enqueue(entry()), 1)
    }

    func testAFullDiskIsAnErrorAndKeepsWhatIsThere() throws {
        let journal = try open { $0.connection.pagesMax = 60 }
        let id = try journal.enqueue(entry())
        let large = entry(body: String(repeating: "x", count: 1 << 20))
        let refusal = refusal { _ = try journal.enqueue(large) }
        XCTAssertEqual(refusal?.message.contains("the disk is full"), true)
        XCTAssertEqual(refusal?.message.contains(path), true)
        XCTAssertEqual(try journal.enqueue(entry()), id + 1)
        XCTAssertEqual(try journal.counts().waiting, 2)
    }

    func testAnOutboxThatHasFilledTheDiskRecordsAllResultsAndThenTakesRequestsAgain() throws {
        let journal = try openSender { $0.connection.pagesMax = 80 }
        defer { journal.close() }
        for round in 1...2 {
            var stored = 0
            var refused: OutboxError?
            while refused == nil, stored < 5_000 {
                refused = refusal {
                    _ = try journal.enqueue(
                        self.entry(
                            "lane \(stored)", body: String(repeating: "x", count: 300),
                            creates: .random()))
                    stored += 1
                }
            }
            XCTAssertEqual(refused?.isFull, true, refused?.message ?? "nothing was refused")
            XCTAssertEqual(refused?.message.contains("the disk is full"), true)
            XCTAssertGreaterThan(stored, 20)
            var settled = 0
            while case let ids = try taken(journal), !ids.isEmpty {
                // Each identity takes room of its own.
                _ = try journal.settle(
                    ids.map { id in
                        .remove(
                            id: id,
                            identity: .string(String(repeating: "\(round)", count: 100) + "\(id)"),
                            lane: Lane(named: "known \(id)"))
                    }, now: 0)
                settled += ids.count
            }
            XCTAssertEqual(settled, stored)
            XCTAssertEqual(try journal.counts().waiting, 0)
            try journal.forgetIdentities(through: .max, namedBefore: .max)
        }
    }

    func testAWriteForWhichThereIsNoRoomIsTriedAgainOnceTheLogIsMoved() throws {
        let state = Lock<(fullCommits: Int, checkpoints: Int)>((0, 0))
        let journal = try open { options in
            options.connection.faults = FaultPoints { operation in
                state.withLock { state in
                    if operation == .checkpoint { state.checkpoints += 1 }
                    guard operation == .commit, state.fullCommits > 0 else { return nil }
                    state.fullCommits -= 1
                    return 13  // SQLITE_FULL
                }
            }
        }
        XCTAssertEqual(try journal.enqueue(entry()), 1)
        state.withLock { $0 = (fullCommits: 1, checkpoints: 0) }
        XCTAssertEqual(try journal.enqueue(entry()), 2)
        XCTAssertEqual(state.withLock { $0.checkpoints }, 1)
        state.withLock { $0.fullCommits = 2 }
        let refusal = refusal { _ = try journal.enqueue(entry()) }
        XCTAssertEqual(refusal?.message.contains("the disk is full"), true)
        XCTAssertEqual(state.withLock { $0.checkpoints }, 2, "it is tried once for each write")
        XCTAssertEqual(try journal.enqueue(entry()), 3)
        XCTAssertEqual(try journal.counts().waiting, 3)
        journal.close()
    }

    func testNewFilesAreTheOwnersAloneAndTheLockHasThePermissionsOfTheFile() throws {
        func modes() -> [UInt32?] {
            ["", "-wal", "-shm", "-sender"].map { suffix in
                var status = stat()
                return stat(path + suffix, &status) == 0 ? status.st_mode & 0o777 : nil
            }
        }
        for mode in [0o600, 0o660] as [Int64] {
            let journal = try openSender { $0.connection.mode = FileMode(mode)! }
            _ = try journal.enqueue(entry())
            XCTAssertEqual(modes(), [UInt32?](repeating: UInt32(mode), count: 4))
            journal.close()
            for suffix in ["", "-wal", "-shm", "-sender"] { unlink(path + suffix) }
        }
        try open().close()
        XCTAssertEqual(chmod(path, 0o644), 0)
        let journal = try openSender()
        XCTAssertEqual(modes(), [0o644, 0o644, 0o644, 0o644])
        journal.close()
    }

    func testALockedFileIsBusyAndTemporary() throws {
        let journal = try open { $0.connection.busyTimeoutMilliseconds = 0 }
        let other = try Connection(path)
        try other.begin()
        let refusal = refusal { _ = try journal.enqueue(entry()) }
        XCTAssertEqual(refusal?.isTemporary, true)
        XCTAssertEqual(refusal?.message.contains("locked"), true)
        other.rollBack()
        XCTAssertEqual(try journal.enqueue(entry()), 1)
    }

    func testForeignNewerAndDamagedFilesAreRefusedAndLeftAlone() throws {
        do {
            let other = try Connection(path)
            try other.run("CREATE TABLE mine (a)")
        }
        XCTAssertEqual(refusal { _ = try open() }, .foreignFile(path: path))
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        try open().close()
        do {
            let connection = try Connection(path)
            try connection.run("PRAGMA user_version = 99")
        }
        XCTAssertEqual(refusal { _ = try open() }, .newerFile(path: path, version: 99))
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        let file = try XCTUnwrap(fopen(path, "w"))
        fputs("This is a letter, and no database at all. ", file)
        fclose(file)
        let refusal = refusal { _ = try open() }
        XCTAssertEqual(refusal, .foreignFile(path: path))
        XCTAssertEqual(refusal?.message.contains(path), true)
    }

    func testAFileInAPlaceThatIsNoneIsRefused() throws {
        let refusal = refusal { _ = try OutboxJournal(folder + "/none/outbox.db") }
        let words = "\"\(folder)/none/outbox.db\": the folder \"\(folder)/none\" does not exist"
        XCTAssertEqual(refusal?.message.contains(words), true)
    }
}
