import RestwayHTTP
import RestwayObjects
@testable import RestwayOutbox
import XCTest

/// Objects that are created offline, and requests about them.
final class LocalIdentityTests: JournalTestCase {
    private let local = LocalID.random()
    private var lane: Lane { Lane(local) }
    private let named = Lane(entity: "Thing", .integer(42))

    private func created(_ id: Int64, _ identity: Identity? = .integer(42)) -> OutboxSettlement {
        .remove(id: id, identity: identity, lane: identity == nil ? nil : named)
    }

    func testLocalIdentitiesAreReadAsTheyAreWritten() {
        XCTAssertEqual(LocalID(local.text), local)
        XCTAssertNotEqual(LocalID.random(), local)
        XCTAssertNil(LocalID(local.text + "0"))
        XCTAssertNil(LocalID(local.text.uppercased()))
        XCTAssertNil(LocalID(""))
    }

    func testDependentsWaitAndAreRewrittenWhenTheServerNamesTheObject() throws {
        let journal = try openSender()
        let post = try journal.enqueue(entry(lane, creates: local))
        let put = try journal.enqueue(
            entry(
                lane, path: "things/\(local.text)?of=\(local.text)",
                body: "{\"id\": \"\(local.text)\", \"link\": \"/things/\(local.text)\"}"))
        let other = try journal.enqueue(entry("elsewhere", body: "[\"\(local.text)\"]"))
        XCTAssertEqual(try journal.item(other)?.dependencies, [local])
        XCTAssertEqual(try taken(journal), [post])
        let settled = try journal.settle([created(post)])
        let identity = OutboxIdentity(
            number: 1, local: local, identity: .integer(42), lane: named, entity: nil,
            storeKey: nil)
        XCTAssertEqual(settled.identities, [identity])
        let items = try journal.take(itemsMax: 9, now: 0)
        XCTAssertEqual(items.map { $0.id }, [put, other])
        XCTAssertEqual(items[0].entry.path, "things/42?of=42")
        XCTAssertEqual(items[0].entry.lane, named)
        XCTAssertEqual(text(items[0].entry.body), "{\"id\": 42, \"link\": \"/things/42\"}")
        XCTAssertEqual(text(items[1].entry.body), "[42]")
        XCTAssertEqual(try journal.identity(of: local), identity)
        XCTAssertEqual(try journal.identities(after: 0, countMax: 9), [identity])
        XCTAssertEqual(try journal.identities(after: 1, countMax: 9), [])
    }

    func testAnIdentityThatIsATextIsWrittenAsEachPlaceNeedsIt() throws {
        let journal = try openSender()
        let post = try journal.enqueue(entry(lane, creates: local))
        var form = entry("form", path: "things/\(local.text)", body: "a=1&of=\(local.text)")
        form.headers = [
            HeaderField(name: "Content-Type", value: "application/x-www-form-urlencoded"),
            HeaderField(name: "X-Of", value: local.text),
        ]
        let json = entry("json", body: "{\"id\":\"\(local.text)\",\"q\":\"\\\"\(local.text)\\\"\"}")
        let ids = try [form, json].map { try journal.enqueue($0) }
        _ = try taken(journal)
        _ = try journal.settle([created(post, .string("a/b \"c\""))])
        let items = try journal.take(itemsMax: 9, now: 0)
        XCTAssertEqual(items.map { $0.id }, ids)
        XCTAssertEqual(items[0].entry.path, "things/a%2Fb%20%22c%22")
        XCTAssertEqual(text(items[0].entry.body), "a=1&of=a%2Fb%20%22c%22")
        XCTAssertEqual(items[0].entry.headers[1].value, "a/b \"c\"")
        XCTAssertEqual(
            text(items[1].entry.body),
            "{\"id\":\"a/b \\\"c\\\"\",\"q\":\"\\\"a/b \\\"c\\\"\\\"\"}")
    }

    func testAnIntegerBetweenEscapedQuotesStaysText() throws {
        let journal = try openSender()
        let post = try journal.enqueue(entry(lane, creates: local))
        _ = try journal.enqueue(entry("b", body: "[\"\\\"\(local.text)\\\"\"]"))
        _ = try taken(journal)
        _ = try journal.settle([created(post)])
        let body = try journal.take(itemsMax: 9, now: 0)[0].entry.body
        XCTAssertEqual(text(body), "[\"\\\"42\\\"\"]")
    }

    func testWhatIsPreparedTooLateGetsTheIdentityAtOnce() throws {
        let journal = try openSender()
        let post = try journal.enqueue(entry(lane, creates: local))
        _ = try taken(journal)
        _ = try journal.settle([created(post)])
        let late = try journal.enqueue(entry(lane, path: "things/\(local.text)"))
        let item = try XCTUnwrap(journal.item(late))
        XCTAssertEqual(item.entry.path, "things/42")
        XCTAssertEqual(item.entry.lane, named)
        XCTAssertEqual(try taken(journal), [late])
        XCTAssertEqual(
            refusal { _ = try journal.enqueue(entry(creates: local)) }, .alreadyCreated(local))
        try journal.forgetIdentities(through: 1, namedBefore: 1)
        XCTAssertNil(try journal.identity(of: local))
        let next = try journal.enqueue(entry(Lane(.random()), creates: .random()))
        _ = try taken(journal)
        let settled = try journal.settle([.remove(id: next, identity: .integer(1), lane: nil)])
        XCTAssertEqual(settled.identities.first?.number, 2, "numbers are not given again")
    }

    func testAnObjectThatIsNotCreatedYetIsKnownByItsStoreKey() throws {
        let journal = try openSender()
        var post = entry(lane, creates: local)
        (post.origin.entity, post.origin.storeKey) = ("Thing", 7)
        let id = try journal.enqueue(post)
        var put = entry(lane, path: local.text)
        (put.origin.entity, put.origin.storeKey) = ("Thing", 8)
        _ = try journal.enqueue(put)
        XCTAssertEqual(try journal.local(entity: "Thing", storeKey: 7), local)
        XCTAssertNil(try journal.local(entity: "Thing", storeKey: 8))
        XCTAssertNil(try journal.local(entity: "Other", storeKey: 7))
        _ = try taken(journal)
        _ = try journal.settle([created(id)])
        XCTAssertNil(try journal.local(entity: "Thing", storeKey: 7))
    }

    func testWhatNobodyCreatesIsRefused() throws {
        let journal = try open()
        XCTAssertEqual(
            refusal { _ = try journal.enqueue(entry(path: local.text)) }, .unknownLocalID(local))
        XCTAssertEqual(
            refusal { _ = try journal.enqueue(entry(lane, body: local.text, creates: local)) },
            .unknownLocalID(local), "a creation cannot wait for itself")
        _ = try journal.enqueue(entry(lane, creates: local))
        XCTAssertEqual(
            refusal { _ = try journal.enqueue(entry(lane, creates: local)) },
            .alreadyCreated(local))
        XCTAssertEqual(try journal.counts().all, 1)
    }

    func testARequestMayWaitForSeveralObjects() throws {
        let journal = try openSender()
        let locals = [LocalID.random(), LocalID.random()]
        let posts = try locals.map { try journal.enqueue(entry(Lane($0), creates: $0)) }
        let both = try journal.enqueue(entry("c", path: "\(locals[0].text)/\(locals[1].text)"))
        XCTAssertEqual(try taken(journal), posts)
        _ = try journal.settle([.remove(id: posts[0], identity: .integer(1), lane: nil)])
        XCTAssertEqual(try taken(journal), [])
        _ = try journal.settle([.remove(id: posts[1], identity: .string("b"), lane: nil)])
        let item = try XCTUnwrap(journal.take(itemsMax: 9, now: 0).first)
        XCTAssertEqual(item.id, both)
        XCTAssertEqual(item.entry.path, "1/b")
    }

    func testWithoutAnIdentityWhatWaitsForItIsDead() throws {
        let journal = try openSender()
        let post = try journal.enqueue(entry(lane, creates: local))
        let put = try journal.enqueue(entry(lane, path: "things/\(local.text)"))
        _ = try taken(journal)
        let settled = try journal.settle([created(post, nil)])
        XCTAssertEqual(settled.buried, [put])
        let trouble = try journal.item(put)?.entry.progress.trouble
        XCTAssertEqual(trouble?.code, OutboxTrouble.noIdentity)
        XCTAssertEqual(refusal { try journal.retry(put) }, .unknownLocalID(local))
        var edit = OutboxEdit(idempotencyKey: "new")
        edit.path = "things/9"
        try journal.edit(put, edit)
        try journal.retry(put)
        XCTAssertEqual(try journal.take(itemsMax: 9, now: 0).map { $0.entry.path }, ["things/9"])
    }

    // MARK: Dropping

    func testADroppedCreationTakesWhatWaitsForItAlong() throws {
        let journal = try open()
        let inner = LocalID.random()
        let post = try journal.enqueue(entry(lane, creates: local))
        let put = try journal.enqueue(entry(lane, path: local.text))
        let child = try journal.enqueue(entry(Lane(inner), body: local.text, creates: inner))
        let grandchild = try journal.enqueue(entry("g", body: inner.text))
        let other = try journal.enqueue(entry("g"))
        XCTAssertEqual(try journal.drop(post).items, [post, put, child, grandchild])
        XCTAssertEqual(try journal.items(after: 0, itemsMax: 9).map { $0.id }, [other])
        XCTAssertTrue(try journal.becomeSender())
        XCTAssertEqual(try taken(journal), [other])
    }

    func testADeletedObjectTakesItsRequestsAlongAsLongAsNothingWasSent() throws {
        let journal = try openSender()
        XCTAssertEqual(try journal.withdraw(local), .unknown)
        var post = try journal.enqueue(entry(lane, creates: local))
        let put = try journal.enqueue(entry(lane, path: local.text))
        XCTAssertEqual(try journal.withdraw(local), .dropped(OutboxDropped(items: [post, put])))
        XCTAssertEqual(try journal.counts().all, 0)

        post = try journal.enqueue(entry(lane, creates: local))
        _ = try taken(journal)
        XCTAssertEqual(try journal.withdraw(local), .mayHaveArrived)
        _ = try journal.settle([
            .postpone(
                id: post, nextAttemptAt: 0, askedUntil: 0, mayHaveArrived: false,
                trouble: trouble())
        ])
        XCTAssertEqual(try journal.withdraw(local), .dropped(OutboxDropped(items: [post])))

        post = try journal.enqueue(entry(lane, creates: local))
        _ = try taken(journal)
        _ = try journal.settle([bury(post)])
        XCTAssertEqual(
            try journal.withdraw(local), .dropped(OutboxDropped(items: [post])),
            "the server refused it")

        post = try journal.enqueue(entry(lane, creates: local))
        _ = try taken(journal)
        let identity = try journal.settle([created(post)]).identities[0]
        XCTAssertEqual(try journal.withdraw(local), .named(identity))
    }

    func testACreationThatASenderHadWhenItDiedMayHaveArrived() throws {
        var journal = try openSender()
        let post = try journal.enqueue(entry(lane, creates: local))
        _ = try taken(journal)
        journal.resign()
        journal = try openSender()
        XCTAssertEqual(try journal.withdraw(local), .mayHaveArrived)
        XCTAssertEqual(try taken(journal), [post])
        _ = try journal.settle([
            .postpone(
                id: post, nextAttemptAt: 0, askedUntil: 0, mayHaveArrived: false,
                trouble: trouble())
        ])
        XCTAssertEqual(
            try journal.withdraw(local), .mayHaveArrived, "nobody knows what the first did")
    }

    func testOnlyIdentitiesThatAreOldEnoughAreForgotten() throws {
        let journal = try openSender()
        let locals = (0..<3).map { _ in LocalID.random() }
        for (index, local) in locals.enumerated() {
            let post = try journal.enqueue(entry(Lane(local), creates: local))
            _ = try taken(journal)
            let identity = Identity.integer(Int64(index))
            _ = try journal.settle(
                [.remove(id: post, identity: identity, lane: nil)], now: Int64(index) * 100)
        }
        func known() throws -> [Bool] { try locals.map { try journal.identity(of: $0) != nil } }
        try journal.forgetIdentities(through: 9, namedBefore: 0)
        XCTAssertEqual(try known(), [true, true, true])
        try journal.forgetIdentities(through: 1, namedBefore: 150)
        XCTAssertEqual(try known(), [false, true, true])
        try journal.forgetIdentities(through: 9, namedBefore: 150)
        XCTAssertEqual(try known(), [false, false, true])
    }
}
