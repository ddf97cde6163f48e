import RestwayHTTP
import RestwayMapping
import RestwayObjects
import XCTest

@testable import RestwayOutbox

/// Bodies that wait for identities in a format that only their mapper can write.
final class MappedBodyTests: JournalTestCase {
    private let local = LocalID.random()

    private func leaf(_ text: String) -> WireValue { .leaf(.string(text)) }

    private func entry(_ body: [UInt8]) -> OutboxEntry {
        var entry = entry("mapped", path: "things/\(local.text)")
        entry.headers = [HeaderField(name: "Content-Type", value: SizedMapper.mediaType)]
        entry.body = body
        return entry
    }

    /// A body whose lists and objects announce the number of their bytes.
    private func body(_ id: WireValue, _ text: WireValue, note: String) throws -> [UInt8] {
        try SizedMapper.body([
            "id": id, "size": .leaf(.int64(1)), "note": leaf(note),
            "links": .list([.object(WireObject()), text]),
        ])
    }

    private func waiting(_ note: String = "x") throws -> [UInt8] {
        try body(leaf(local.text), leaf(local.text(as: .text)), note: note)
    }

    func testTheMapperWritesTheBodyWithTheIdentity() throws {
        let journal = try openSender { $0.mappers = .sized }
        let post = try journal.enqueue(entry(Lane(local), creates: local))
        let put = try journal.enqueue(entry(waiting()))
        XCTAssertEqual(try journal.item(put)?.dependencies, [local])
        XCTAssertEqual(try taken(journal), [post])
        _ = try journal.settle([.remove(id: post, identity: .integer(7), lane: nil)])
        let item = try XCTUnwrap(journal.take(itemsMax: 9, now: 0).first)
        XCTAssertEqual(item.entry.path, "things/7")
        let named = try body(.leaf(.int64(7)), leaf("7"), note: "x")
        XCTAssertEqual(text(item.entry.body), text(named))
        XCTAssertEqual(item.dependencies, [])
    }

    /// The objects are named one after the other, with a restart in between.
    func testOnlyTheValuesThatTheRequestNamesAreReplaced() throws {
        let other = LocalID.random()
        let first = try openSender { $0.mappers = .sized }
        let posts = try [local, other].map {
            try first.enqueue(entry(Lane($0), creates: $0))
        }
        let note = local.text
        let waiting = try body(leaf(other.text), leaf(local.text), note: note)
        let all = LocalIDPlace.all(path: "", body: waiting, mapper: SizedMapper())
        XCTAssertEqual(all.map(\.local), [other, local, local])
        XCTAssertEqual(LocalIDPlace.text(all), "v0 v2 v3")
        XCTAssertEqual(
            LocalIDPlace.read("v2 v3-text", of: local),
            [
                LocalIDPlace(local: local, part: .value, start: 2, form: .plain),
                LocalIDPlace(local: local, part: .value, start: 3, form: .text),
            ])
        let put = try first.enqueue(entry(waiting), places: [all[0], all[2]])
        XCTAssertEqual(try taken(first), posts)
        _ = try first.settle([.remove(id: posts[0], identity: .string("long one"), lane: nil)])
        first.close()
        let second = try openSender { $0.mappers = .sized }
        XCTAssertEqual(try taken(second), [posts[1]])
        _ = try second.settle([.remove(id: posts[1], identity: .integer(-12), lane: nil)])
        let item = try XCTUnwrap(second.item(put))
        let named = try body(.leaf(.int64(-12)), leaf("long one"), note: note)
        XCTAssertEqual(text(item.entry.body), text(named))
    }

    func testABodyThatIsStoredLateGetsTheIdentityAtOnce() throws {
        let journal = try openSender { $0.mappers = .sized }
        let post = try journal.enqueue(entry(Lane(local), creates: local))
        _ = try taken(journal)
        _ = try journal.settle([.remove(id: post, identity: .integer(7), lane: nil)])
        let put = try journal.enqueue(entry(waiting()))
        let named = try body(.leaf(.int64(7)), leaf("7"), note: "x")
        XCTAssertEqual(text(try journal.item(put)?.entry.body), text(named))
    }

    /// Another client delivers the object's request, and has no mapper for the body that waits.
    func testWithoutTheMapperTheItemIsADeadLetterThatAnotherClientCanRetry() throws {
        let writing = try open { $0.mappers = .sized }
        let post = try writing.enqueue(entry(Lane(local), creates: local))
        let put = try writing.enqueue(entry(waiting()))
        let sender = try openSender()
        XCTAssertEqual(try taken(sender), [post])
        let settled = try sender.settle([.remove(id: post, identity: .integer(7), lane: nil)])
        XCTAssertEqual(settled.buried, [put])
        let dead = try XCTUnwrap(sender.item(put))
        XCTAssertEqual(dead.deathReason, .unsendable)
        XCTAssertEqual(
            dead.entry.progress.trouble?.message,
            "the identity of an object cannot be written into the body: no mapper reads and writes "
                + "its media type")
        XCTAssertEqual(
            refusal { try sender.retry(put) },
            .unwritableBody("no mapper reads and writes its media type"))
        // The identity is kept while an item may still need it.
        try sender.forgetIdentities(through: 9, namedBefore: 9)
        try writing.retry(put)
        XCTAssertEqual(try taken(sender), [put])
        let named = try body(.leaf(.int64(7)), leaf("7"), note: "x")
        XCTAssertEqual(text(try sender.item(put)?.entry.body), text(named))
        try sender.forgetIdentities(through: 9, namedBefore: 9)
        XCTAssertNil(try sender.identity(of: local))
        writing.close()
    }

    func testAnEditedBodyIsReadForLocalIdentities() throws {
        let journal = try openSender { $0.mappers = .sized }
        let post = try journal.enqueue(entry(Lane(local), creates: local))
        var dead = entry(try waiting())
        dead.path = "things"
        dead.body = try SizedMapper.body([:])
        let id = try journal.enqueue(dead)
        XCTAssertEqual(try taken(journal), [post, id])
        _ = try journal.settle([bury(id)])
        try journal.edit(id, OutboxEdit(body: waiting("edited"), idempotencyKey: "new"))
        XCTAssertEqual(try journal.item(id)?.dependencies, [local])
        try journal.retry(id)
        _ = try journal.settle([.remove(id: post, identity: .integer(7), lane: nil)])
        let named = try body(.leaf(.int64(7)), leaf("7"), note: "edited")
        XCTAssertEqual(text(try journal.item(id)?.entry.body), text(named))
        // Bytes that are no body of the mapper hold no identity.
        var broken = entry(Array("s3:\(local.text)".utf8))
        broken.path = "things"
        let other = try journal.enqueue(broken)
        XCTAssertEqual(try journal.item(other)?.dependencies, [])
    }
}
