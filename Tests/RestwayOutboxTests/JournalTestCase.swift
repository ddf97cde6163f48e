import Glibc
import RestwayHTTP
import RestwayObjects
@testable import RestwayOutbox
import RestwaySQLite
import RestwayThreads
import XCTest

/// A directory with the file of a journal, and short functions for its content.
class JournalTestCase: XCTestCase {
    private(set) var folder = ""
    var path: String { folder + "/outbox.db" }
    /// The number of requests made here: each has another key.
    private var keys = 0

    override func setUp() {
        // The directory is in memory if possible.
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(parent)/restway-outbox-XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer { buffer in
            String(cString: mkdtemp(buffer.baseAddress!))
        }
    }

    override func tearDown() {
        for suffix in ["", "-wal", "-shm", "-sender"] { unlink(path + suffix) }
        XCTAssertEqual(rmdir(folder), 0, "something was left behind in \(folder)")
    }

    func open(_ change: (inout OutboxJournal.Options) -> Void = { _ in }) throws -> OutboxJournal {
        var options = OutboxJournal.Options()
        change(&options)
        return try OutboxJournal(path, options)
    }

    func openSender(
        _ change: (inout OutboxJournal.Options) -> Void = { _ in }
    ) throws -> OutboxJournal {
        let journal = try open(change)
        XCTAssertTrue(try journal.becomeSender())
        return journal
    }

    func entry(
        _ lane: String = "a", path: String = "things", body: String? = nil,
        creates local: LocalID? = nil
    ) -> OutboxEntry {
        entry(Lane(named: lane), path: path, body: body, creates: local)
    }

    func entry(
        _ lane: Lane, path: String = "things", body: String? = nil, creates local: LocalID? = nil
    ) -> OutboxEntry {
        keys += 1
        return OutboxEntry(
            lane: lane, method: "POST", path: path, body: body.map { Array($0.utf8) },
            idempotencyKey: "key-\(keys)", createdAt: Int64(keys), creates: local)
    }

    /// Takes the items that may be sent next, which are then in flight; returns their ids.
    func taken(_ journal: OutboxJournal, _ itemsMax: Int = 10, now: Int64 = 0) throws -> [Int64] {
        try journal.take(itemsMax: itemsMax, now: now).map { $0.id }
    }

    func trouble(_ code: String = "busy") -> OutboxTrouble {
        OutboxTrouble(code: code, httpStatus: 503, message: "come back later")
    }

    func postpone(_ id: Int64, until: Int64, asked: Int64 = 0) -> OutboxSettlement {
        .postpone(
            id: id, nextAttemptAt: until, askedUntil: asked, mayHaveArrived: true,
            trouble: trouble())
    }

    func bury(_ id: Int64) -> OutboxSettlement {
        .bury(
            id: id, trouble: OutboxTrouble(code: "http", httpStatus: 422, message: "no"),
            answer: OutboxAnswer(status: 422))
    }

    func refuse(_ id: Int64) -> OutboxSettlement {
        .refuse(
            id: id, trouble: OutboxTrouble(code: "http", httpStatus: 422, message: "no"),
            answer: OutboxAnswer(status: 422))
    }

    func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    func refusal(_ body: () throws -> Void) -> OutboxError? {
        do {
            try body()
            return nil
        } catch {
            return error as? OutboxError
        }
    }
}

extension OutboxJournal {
    /// The earliest time.
    func settle(_ settlements: [OutboxSettlement]) throws(OutboxError) -> OutboxSettled {
        try settle(settlements, now: 0)
    }
}
