import RestwayHTTP
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayClient
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// What becomes of stored requests about an object that somebody else has changed at the server.
final class ConflictItemTests: ConflictItemTestCase {
    private static func note(_ title: String, _ rest: String = "") -> String {
        #"{"id":1,"title":"\#(title)"\#(rest)}"#
    }

    /// Changes the title from "a" to "b". Somebody else has changed it to "c", so it is parked.
    private func parkTitle() throws {
        try change(["title": .string("b")])
        try begin()
        answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 412)
        answer("GET notes/1", 200, Self.note("c"), tag: #""v2""#)
        try end()
    }

    // MARK: Without a conflict

    func testAnItemIsSentWithTheVersionThatItWasComparedWith() throws {
        try withNotes {
            let item = try change(["title": .string("b")])
            XCTAssertEqual(try values(), "b|a")
            try begin()
            answer(
                #"PATCH notes/1 {"title":"b"} if "v1""#, 200, Self.note("b"), tag: #""v2""#)
            XCTAssertEqual(try end(), ["\(item) delivered"])
            XCTAssertEqual(try values(), "b|b")
            try checkNothingIsLeft()
        }
    }

    func testTheNextItemIsSentWithTheVersionOfTheAnswerToTheFirst() throws {
        try withNotes {
            try change(["title": .string("b")])
            try change(["title": .string("c"), "text": .string("u")])
            try begin()
            answer(
                #"PATCH notes/1 {"title":"b"} if "v1""#, 200, Self.note("B"), tag: #""v2""#)
            answer(
                #"PATCH notes/1 {"title":"c","text":"u"} if "v2""#, 200,
                Self.note("c", #","text":"u""#), tag: #""v3""#)
            try end()
            XCTAssertEqual(try values(), "c|c")
            try checkNothingIsLeft()
        }
    }

    func testAnUnknownVersionIsFetchedFirst() throws {
        try withNotes {
            try get(Self.first, tag: nil)
            try get(Self.note("z"), tag: nil)
            try change(["title": .string("b")])
            try begin()
            answer("GET notes/1", 200, Self.note("z"), tag: #""v2""#)
            answer(#"PATCH notes/1 {"title":"b"} if "v2""#, 204)
            try end()
            XCTAssertEqual(try values(), "b|b")
            try checkNothingIsLeft()
        }
    }

    func testAWeakVersionIsFetchedAndNotSent() throws {
        try withNotes {
            try get(Self.first, tag: #"W/"v1""#)
            try change(["title": .string("b")])
            try begin()
            answer("GET notes/1", 200, Self.first, tag: #"W/"v1""#)
            answer(#"PATCH notes/1 {"title":"b"}"#, 204)
            try end()
            XCTAssertEqual(try values(), "b|b")
        }
    }

    func testAFetchThatFailsIsAnAttemptAndTheItemIsComparedLater() throws {
        try withNotes {
            try get(Self.note("a"), tag: nil)
            try get(Self.note("z"), tag: nil)
            let item = try change(["text": .string("u")])
            try begin()
            answer("GET notes/1", 403)
            XCTAssertEqual(try end(), ["\(item) waiting"])
            XCTAssertEqual(try outbox.find(item).attempts, 1)
            try reopen()
            try begin()
            answer("GET notes/1", 200, Self.note("z"), tag: #""v2""#)
            answer(#"PATCH notes/1 {"text":"u"} if "v2""#, 204, tag: #""v3""#)
            try end()
            try checkNothingIsLeft()
        }
    }

    // MARK: 412

    func testAfterA412TheItemIsMergedAndSentWithAnotherKey() throws {
        try withNotes {
            try change(["title": .string("b")])
            try begin()
            let first = answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 412)
            answer("GET notes/1", 200, Self.note("a", #","text":"other""#), tag: #""v2""#)
            let second = answer(#"PATCH notes/1 {"title":"b"} if "v2""#, 204, tag: #""v3""#)
            try end()
            XCTAssertNotEqual(key(first), key(second))
            XCTAssertEqual(try values("text"), "other|other")
            XCTAssertEqual(try values(), "b|b")
            try checkNothingIsLeft()
        }
    }

    func testPoliciesDecideEachAttribute() throws {
        let policies =
            #"{"attributes": {"title": "mine", "text": "theirs", "views": "add", "tags": "union"}}"#
        try withNotes(policies) {
            try change([
                "title": .string("b"), "text": .string("u"), "views": .int64(3),
                "tags": .json(#"["x","mine"]"#),
            ])
            try begin()
            answer(
                #"PATCH notes/1 {"title":"b","text":"u","views":3,"tags":["x","mine"]} if "v1""#,
                412)
            answer(
                "GET notes/1", 200,
                #"{"id":1,"title":"c","text":"w","views":11,"tags":["x","its"]}"#, tag: #""v2""#)
            answer(
                #"PATCH notes/1 {"title":"b","views":13,"tags":["x","its","mine"]} if "v2""#,
                204, tag: #""v3""#)
            try end()
            XCTAssertEqual(try values(), "b|b")
            XCTAssertEqual(try values("text"), "w|w")
            XCTAssertEqual(try values("views"), "13|13")
            try checkNothingIsLeft()
        }
    }

    func testAnItemOfWhichNothingIsLeftIsDeliveredWithoutARequest() throws {
        try withNotes {
            let item = try change(["title": .string("b")])
            try begin()
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 412)
            answer("GET notes/1", 200, Self.note("b"), tag: #""v2""#)
            XCTAssertEqual(try end(), ["\(item) delivered"])
            XCTAssertEqual(try values(), "b|b")
            try checkNothingIsLeft()
        }
    }

    func testAValueInConflictIsParkedAndTheOthersAreSent() throws {
        try withNotes {
            let told = told
            try outbox.setObserver(
                OutboxObserver(
                    item: .init { list in
                        told.update { $0.append("\(list.all[0].id) \(list.all[0].state)") }
                    }, flushed: nil))
            try change(["title": .string("b"), "text": .string("u")])
            try begin()
            answer(#"PATCH notes/1 {"title":"b","text":"u"} if "v1""#, 412)
            answer("GET notes/1", 200, Self.note("c"), tag: #""v2""#)
            answer(#"PATCH notes/1 {"text":"u"} if "v2""#, 204, tag: #""v3""#)
            try end()
            XCTAssertEqual(try conflictWords(), ["attributes title a|b|c"])
            XCTAssertEqual(try values(), "b|c")
            XCTAssertEqual(try values("text"), "u|u")
            XCTAssertEqual(try outbox.counts().parked, 1)
            told.wait { $0.count == 2 ? () : nil }
            XCTAssertEqual(told.withLock { $0 }, ["2 parked", "1 delivered"])
            told.withLock { $0 = [] }
            try reopen()
            if try !client.store.keepsKeys {
                try get(Self.note("c"), tag: #""v3""#)
            }
            XCTAssertEqual(try conflictWords(), ["attributes title a|b|c"], "after a restart")
        }
    }

    func testAParkedConflictIsResolvedForEitherSideOrWithAValue() throws {
        for (choice, sent, seen) in [
            (Conflict.Choice.mine, "b", "b|b"), (.theirs, "", "c|c"),
            (.value(.string("d")), "d", "d|d"),
        ] {
            try withNotes {
                try parkTitle()
                XCTAssertEqual(try outbox.counts().parked, 1)
                try resolve(choice)
                if !sent.isEmpty {
                    try begin()
                    answer(#"PATCH notes/1 {"title":"\#(sent)"} if "v2""#, 204, tag: #""v3""#)
                    try end()
                }
                XCTAssertEqual(try values(), seen)
                try checkNothingIsLeft()
            }
        }
    }

    func testAParkedValueThatIsDroppedShowsTheServersNewest() throws {
        try withNotes {
            try parkTitle()
            _ = try outbox.drop(try XCTUnwrap(outbox.conflicts().first).item)
            XCTAssertEqual(try values(), "c|c")
            try checkNothingIsLeft()
        }
    }

    func testAParkedValueThatTheServerGetsEndsTheConflict() throws {
        try withNotes {
            try parkTitle()
            try get(Self.note("b"), tag: #""v3""#)
            XCTAssertEqual(try conflictWords(), [])
            XCTAssertEqual(try values(), "b|b")
            try checkNothingIsLeft()
        }
    }

    func testAnEditOfAParkedValueReplacesIt() throws {
        try withNotes {
            try parkTitle()
            let item = try change(["title": .string("d"), "text": .string("u")])
            try begin()
            answer(#"PATCH notes/1 {"text":"u"} if "v2""#, 204, tag: #""v3""#)
            XCTAssertEqual(try end(), ["\(item) delivered"])
            XCTAssertEqual(try conflictWords(), ["attributes title a|d|c"])
            XCTAssertEqual(try values(), "d|c")
            let again = try change(["title": .string("e")])
            try begin()
            XCTAssertEqual(try end(), ["\(again) parked"])
            XCTAssertEqual(try conflictWords(), ["attributes title a|e|c"])
        }
    }

    func testNoOlderValueIsParkedUnderANewerOne() throws {
        try withNotes {
            let first = try change(["title": .string("b")])
            let second = try change(["title": .string("d")])
            try begin()
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 412)
            answer("GET notes/1", 200, Self.note("c"), tag: #""v2""#)
            XCTAssertEqual(try end(), ["\(first) delivered", "\(second) parked"])
            XCTAssertEqual(try conflictWords(), ["attributes title a|d|c"])
            XCTAssertEqual(try values(), "d|c")
        }
    }

    func testAfterTriesMaxTheChangeIsParked() throws {
        try withNotes(#"{"triesMax": 2, "policy": "mine"}"#) {
            try change(["title": .string("b")])
            try begin()
            for number in 1...3 {
                answer(#"PATCH notes/1 {"title":"b"} if "v\#(number)""#, 412)
                answer("GET notes/1", 200, Self.note("c\(number)"), tag: "\"v\(number + 1)\"")
            }
            try end()
            XCTAssertEqual(try conflictWords(), ["attributes title c2|b|c3"])
        }
    }

    // MARK: Uncertain

    /// The first request arrived, but not its answer. Then somebody else has changed the value.
    func testAnUncertainValueIsParkedAlthoughThePolicyIsMine() throws {
        try withNotes(#"{"policy": "mine"}"#) {
            try change(["title": .string("b")])
            try begin()
            let lost = wire.next()
            lost.observer.completed(.failure(TransportError(.connectionLost, "lost")))
            try end()
            try begin()
            let again = answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 412)
            XCTAssertEqual(key(lost.exchange), key(again), "the same request")
            answer("GET notes/1", 200, Self.note("c"), tag: #""v3""#)
            try end()
            XCTAssertEqual(try conflictWords(), ["attributes title a|b|c"])
        }
    }

    func testAnUncertainValueThatTheServerHasIsDelivered() throws {
        try withNotes {
            let item = try change(["title": .string("b")])
            try begin()
            wire.next().observer.completed(.failure(TransportError(.connectionLost, "lost")))
            try end()
            // The process ends, and the next one goes on.
            try reopen()
            try begin()
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 412)
            answer("GET notes/1", 200, Self.note("b"), tag: #""v2""#)
            XCTAssertEqual(try end(), ["\(item) delivered"])
            XCTAssertEqual(try values(), "b|b")
            try checkNothingIsLeft()
        }
    }

    // MARK: After a restart

    /// A store in memory gives the notes other keys, in the order of the items.
    func testItemsOfTwoNotesAreNotTakenForEachOtherAfterARestart() throws {
        try withNotes {
            let call = try client.send(.get("notes/2"))
            wire.answer(200, #"{"id":2,"title":"x"}"#, headers: [Self.tag(#""w1""#)])
            _ = try call.wait(milliseconds: 0)
            let other = Draft(copying: try note(2))
            try other.set(.string("y"), attribute: XCTUnwrap(entity.attributeIndex(named: "title")))
            try queue(
                client,
                RequestSpec(target: .subject(.patch), subject: .draft(other, client.store)))
            try change(["title": .string("b")])
            try reopen()
            try get(Self.first, tag: #""v1""#)
            let again = try client.send(.get("notes/2"))
            wire.answer(200, #"{"id":2,"title":"z"}"#, headers: [Self.tag(#""w2""#)])
            _ = try again.wait(milliseconds: 0)
            try begin()
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 204, tag: #""v2""#)
            try end()
            XCTAssertEqual(try conflictWords(), ["attributes title x|y|z"])
            XCTAssertEqual(try values(), "b|b")
        }
    }

    func testAPartThatIsParkedAfterARestartKeepsItsObject() throws {
        try withNotes {
            try change(["title": .string("b"), "text": .string("u")])
            try reopen()
            try get(Self.note("c"), tag: #""v2""#)
            try begin()
            answer(#"PATCH notes/1 {"text":"u"} if "v2""#, 204, tag: #""v3""#)
            try end()
            XCTAssertEqual(try conflictWords(), ["attributes title a|b|c"])
            XCTAssertEqual(try values(), "b|c")
            try resolve(.mine)
            try begin()
            answer(#"PATCH notes/1 {"title":"b"} if "v3""#, 204, tag: #""v4""#)
            try end()
            XCTAssertEqual(try values(), "b|b")
            try checkNothingIsLeft()
        }
    }

    func testAConflictAboutAttributesEndsWithItsObject() throws {
        try withNotes(#"{"iDelete": "mine"}"#) {
            try parkTitle()
            XCTAssertEqual(try conflictWords(), ["attributes title a|b|c"])
            try delete()
            try begin()
            answer(#"DELETE notes/1 if "v2""#, 204)
            try end()
            XCTAssertEqual(try conflictWords(), [])
            XCTAssertEqual(try values(), "none")
            try checkNothingIsLeft()
        }
    }

    /// A list of the server that has the additions of an item, whose answer was lost, and those of
    /// somebody else.
    func testAMergedListIsWhatTheNextItemIsAddedTo() throws {
        try withNotes(#"{"attributes": {"tags": "union"}}"#) {
            try change(["tags": .json(#"["x","y"]"#)])
            try change(["tags": .json(#"["x","y","z"]"#)])
            try begin()
            wire.next().observer.completed(.failure(TransportError(.connectionLost, "lost")))
            try end()
            try begin()
            answer(#"PATCH notes/1 {"tags":["x","y"]} if "v1""#, 412)
            let newest = #"{"id":1,"title":"a","text":"t","views":1,"tags":["x","y","q"],"rev":1}"#
            answer("GET notes/1", 200, newest, tag: #""v3""#)
            answer(#"PATCH notes/1 {"tags":["x","y","q","z"]} if "v3""#, 204, tag: #""v4""#)
            try end()
            try checkNothingIsLeft()
        }
    }

    func testTheAnswerToAPostIsWhatLaterEditsWithoutAValueWereMadeOn() throws {
        try withNotes(#"{"attributes": {"tags": "union"}}"#) {
            let made = Draft(try entity)
            try made.set(.string("n"), attribute: XCTUnwrap(entity.attributeIndex(named: "title")))
            try queue(
                client,
                RequestSpec(target: .subject(.post), subject: .draft(made, client.store)))
            try made.set(
                .json(#"["z"]"#), attribute: XCTUnwrap(entity.attributeIndex(named: "tags")))
            try made.set(.string("u"), attribute: XCTUnwrap(entity.attributeIndex(named: "text")))
            try queue(
                client,
                RequestSpec(target: .subject(.patch), subject: .draft(made, client.store)))
            try begin()
            // The server gives the attributes defaults.
            answer(
                #"POST notes {"title":"n"}"#, 201,
                #"{"id":2,"title":"n","text":"","views":0,"tags":[],"rev":1}"#, tag: #""w1""#)
            answer(#"PATCH notes/2 {"text":"u","tags":["z"]} if "w1""#, 204, tag: #""w2""#)
            try end()
            XCTAssertEqual(try conflictWords(), [])
            try checkNothingIsLeft()
        }
    }

    func testAnotherClientOfTheOutboxResolvesAConflict() throws {
        try withNotes {
            try parkTitle()
            let (other, _) = try other()
            guard other.store.keepsKeys else { return }
            XCTAssertEqual(try conflictWords(other), ["attributes title a|b|c"])
            let conflict = try XCTUnwrap(other.requireOutbox().conflicts().first)
            conflict.choose(.mine)
            try other.requireOutbox().resolve(conflict)
            other.close()
            try begin()
            answer(#"PATCH notes/1 {"title":"b"} if "v2""#, 204, tag: #""v3""#)
            try end()
            XCTAssertEqual(try values(), "b|b")
            try checkNothingIsLeft()
        }
    }

    func testTheObserverOfAnotherClientIsToldOfAParkedItem() throws {
        try withNotes {
            let told = Monitor<[String]>([])
            let (other, _) = try other()
            try other.requireOutbox().setObserver(
                OutboxObserver(
                    item: .init { list in
                        told.update { $0.append("\(list.all[0].id) \(list.all[0].state)") }
                    }, flushed: nil))
            let item = try change(["title": .string("b")])
            try begin()
            let patch = wire.next()
            // The other client finds that this one sends, and looks again after a while.
            try other.setReachability(.reachable)
            try flush(other)
            XCTAssertEqual(nextFlushed().failure?.reason, .outbox)
            patch.answer(412)
            answer("GET notes/1", 200, Self.note("c"), tag: #""v2""#)
            try end()
            XCTAssertEqual(told.withLock { $0 }, [])
            clock.advance(milliseconds: 3_000)
            told.wait { $0.isEmpty ? nil : () }
            XCTAssertEqual(told.withLock { $0 }, ["\(item) parked"])
            XCTAssertEqual(try conflictWords(other).count, 1)
            other.close()
        }
    }

    // MARK: Conditions by hand

    private func changePlain(_ title: String, if tag: String) throws -> Int64 {
        let plain = try client.api.entity(named: "Plain")
        let draft = Draft(
            copying: try XCTUnwrap(client.store.object(plain, .integer(1))))
        try draft.set(.string(title), attribute: 1)
        var spec = RequestSpec(target: .subject(.patch), subject: .draft(draft, client.store))
        spec.headers = [("If-Match", tag)]
        return try queue(client, spec)
    }

    private func withPlain(_ body: () throws -> Void) throws {
        try withNotes {
            let call = try client.send(.get("plain/1"))
            wire.answer(200, #"{"id":1,"title":"a"}"#)
            _ = try call.wait(milliseconds: 0)
            try body()
        }
    }

    func testOwnItemsWithTheSameConditionByHandAreNotInConflict() throws {
        try withPlain {
            _ = try changePlain("b", if: #""1""#)
            _ = try changePlain("c", if: #""1""#)
            try begin()
            answer(
                #"PATCH plain/1 {"title":"b"} if "1""#, 200, #"{"id":1,"title":"b"}"#,
                tag: #""2""#)
            answer(
                #"PATCH plain/1 {"title":"c"} if "2""#, 200, #"{"id":1,"title":"c"}"#,
                tag: #""3""#)
            try end()
            try checkNothingIsLeft()
        }
    }

    func testARefusedConditionByHandIsCheckedForValuesThatTheServerHas() throws {
        for (title, end) in [("b", "delivered"), ("c", "dead")] {
            try withPlain {
                let item = try changePlain("b", if: #""1""#)
                try begin()
                answer(#"PATCH plain/1 {"title":"b"} if "1""#, 412)
                answer("GET plain/1", 200, #"{"id":1,"title":"\#(title)"}"#, tag: #""2""#)
                XCTAssertEqual(try self.end(), ["\(item) \(end)"])
                if end == "dead" {
                    XCTAssertEqual(try outbox.find(item).deathReason, .refused)
                    XCTAssertEqual(try outbox.find(item).response?.status, 412)
                    _ = try outbox.drop(item)
                }
                let plain = try client.api.entity(named: "Plain")
                XCTAssertEqual(
                    try client.store.object(plain, .integer(1))?.text("title"), title)
                try checkNothingIsLeft()
            }
        }
    }

    // MARK: Versions that cannot be used

    func testARefusedVersionIsNeverSentAgain() throws {
        try withNotes(#"{"triesMax": 2}"#) {
            let item = try change(["title": .string("b")])
            try begin()
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 412)
            answer("GET notes/1", 200, Self.first, tag: #""v1""#)
            XCTAssertEqual(try end(), ["\(item) waiting"])
            // A replica lags, and has the newest object now.
            try begin()
            answer("GET notes/1", 200, Self.note("a"), tag: #""v2""#)
            answer(#"PATCH notes/1 {"title":"b"} if "v2""#, 204, tag: #""v3""#)
            XCTAssertEqual(try end(), ["\(item) delivered"])
        }
    }

    func testAVersionThatIsRefusedAgainAndAgainMakesADeadLetter() throws {
        try withNotes(#"{"triesMax": 2}"#) {
            let item = try change(["title": .string("b")])
            try begin()
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 412)
            answer("GET notes/1", 200, Self.first, tag: #""v1""#)
            try end()
            try begin()
            answer("GET notes/1", 200, Self.first, tag: #""v1""#)
            XCTAssertEqual(try end(), ["\(item) dead"])
            let dead = try outbox.find(item)
            XCTAssertEqual(dead.deathReason, .version)
            XCTAssertTrue(dead.lastError?.contains("proxy") == true, dead.lastError ?? "")
            XCTAssertEqual(try values(), "a|a")
            _ = try outbox.drop(item)
            try checkNothingIsLeft()
        }
    }

    func testA428IsAnsweredWithACondition() throws {
        try withNotes {
            try get(Self.first, tag: #"W/"v1""#)
            let item = try change(["title": .string("b")])
            try begin()
            answer("GET notes/1", 200, Self.first, tag: #"W/"v1""#)
            answer(#"PATCH notes/1 {"title":"b"}"#, 428)
            answer("GET notes/1", 200, Self.first, tag: #""v1""#)
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 204, tag: #""v2""#)
            XCTAssertEqual(try end(), ["\(item) delivered"])
        }
    }

    func testA428WithoutAStrongTagMakesADeadLetter() throws {
        try withNotes {
            try get(Self.first, tag: #"W/"v1""#)
            let item = try change(["title": .string("b")])
            try begin()
            answer("GET notes/1", 200, Self.first, tag: #"W/"v1""#)
            answer(#"PATCH notes/1 {"title":"b"}"#, 428)
            answer("GET notes/1", 200, Self.first, tag: #"W/"v1""#)
            XCTAssertEqual(try end(), ["\(item) dead"])
            XCTAssertEqual(try outbox.find(item).deathReason, .version)
        }
    }

    // MARK: PUT

    func testAPutHasTheServersNewestValuesAndNoOtherPendingEdit() throws {
        try withNotes {
            try parkTitle()
            XCTAssertEqual(try values(), "b|c", "the title is parked")
            try change(["text": .string("u")], .put)
            try get(Self.note("c", #","views":9"#), tag: #""v3""#)
            try begin()
            answer(
                #"PUT notes/1 {"id":1,"title":"c","text":"u","views":9,"tags":["x"],"rev":1}"#
                    + #" if "v3""#, 204, tag: #""v4""#)
            try end()
            XCTAssertEqual(try conflictWords(), ["attributes title a|b|c"])
            XCTAssertEqual(try values("text"), "u|u")
        }
    }

    // MARK: DELETE

    func testADeletionIsSentIfNothingHasChanged() throws {
        try withNotes {
            try delete()
            try begin()
            answer(#"DELETE notes/1 if "v1""#, 204)
            try end()
            XCTAssertEqual(try values(), "none")
            try checkNothingIsLeft()
        }
    }

    func testADeletionOfAChangedObjectFollowsItsPolicy() throws {
        for policy in ["mine", "theirs", "park"] {
            try withNotes(#"{"iDelete": "\#(policy)"}"#) {
                try delete()
                XCTAssertNil(try client.store.seen(note()))
                try get(Self.note("c"), tag: #""v2""#)
                try begin()
                if policy == "mine" { answer(#"DELETE notes/1 if "v2""#, 204) }
                let told = try end()
                switch policy {
                case "mine": XCTAssertEqual(try values(), "none")
                case "theirs": XCTAssertEqual(try values(), "c|c")
                default:
                    XCTAssertEqual(told.map { $0.split(separator: " ").last }, ["parked"])
                    XCTAssertNotNil(try client.store.seen(note()), "it is seen again")
                    XCTAssertEqual(try conflictWords(), ["iDelete"])
                    let later = try change(["title": .string("d")])
                    XCTAssertEqual(try outbox.find(later).waitReason, .conflict)
                    _ = try outbox.drop(later)
                    try resolve(.mine)
                    try begin()
                    answer(#"DELETE notes/1 if "v2""#, 204)
                    try end()
                    XCTAssertEqual(try values(), "none")
                }
                try checkNothingIsLeft()
            }
        }
    }

    func testADeletionOfAnObjectThatHasGoneIsDelivered() throws {
        try withNotes {
            try get(Self.note("a"), tag: nil)
            try get(Self.note("z"), tag: nil)
            let item = try delete()
            try begin()
            answer("GET notes/1", 404)
            XCTAssertEqual(try end(), ["\(item) delivered"])
            XCTAssertEqual(try values(), "none")
            try checkNothingIsLeft()
        }
    }

    func testADeletionBehindAnOwnEditIsNotInConflictWithIt() throws {
        try withNotes {
            try change(["title": .string("b")])
            try delete()
            try begin()
            answer(
                #"PATCH notes/1 {"title":"b"} if "v1""#, 200,
                Self.note("B", #","views":2"#), tag: #""v2""#)
            answer(#"DELETE notes/1 if "v2""#, 204)
            try end()
            XCTAssertEqual(try values(), "none")
            try checkNothingIsLeft()
        }
    }

    // MARK: Deleted at the server

    func testAnEditOfAnObjectThatHasGoneFollowsItsPolicy() throws {
        for policy in ["mine", "theirs", "park"] {
            try withNotes(#"{"theyDeleted": "\#(policy)"}"#) {
                let item = try change(["title": .string("b")])
                try begin()
                answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 404)
                if policy == "mine" {
                    answer(
                        #"POST notes {"id":1,"title":"b","text":"t","views":1,"#
                            + #""tags":["x"],"rev":1}"#,
                        201, #"{"id":7,"title":"b"}"#, tag: #""w1""#)
                }
                let told = try end()
                switch policy {
                case "mine":
                    XCTAssertEqual(told, ["\(item) delivered"])
                    XCTAssertEqual(try client.store.count(nil), 1)
                    XCTAssertNotNil(try client.store.object(entity, .integer(7)))
                case "theirs": XCTAssertEqual(try values(), "none")
                default:
                    XCTAssertEqual(try conflictWords(), ["theyDeleted"])
                    XCTAssertEqual(try values(), "b|a")
                    try resolve(.theirs)
                    XCTAssertEqual(try values(), "none")
                }
                try checkNothingIsLeft()
            }
        }
    }

    func testAParkedEditOfAnObjectThatHasGoneMakesItAgain() throws {
        try withNotes {
            try change(["title": .string("b")])
            try begin()
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 410)
            try end()
            try resolve(.mine)
            try begin()
            answer(
                #"POST notes {"id":1,"title":"b","text":"t","views":1,"tags":["x"],"rev":1}"#,
                201, Self.note("b"), tag: #""w1""#)
            try end()
            XCTAssertEqual(try values(), "b|b")
            try checkNothingIsLeft()
        }
    }

    func testWithoutARouteThatMakesObjectsAnEditOfAGoneObjectIsParked() throws {
        try withNotes(#"{"theyDeleted": "mine"}"#, isMade: false) {
            try change(["title": .string("b")])
            try begin()
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 404)
            try end()
            XCTAssertEqual(try conflictWords(), ["theyDeleted"])
        }
    }

    // MARK: Functions of the program

    func testAResolverDecidesAndWhatItLeavesIsParked() throws {
        try withNotes(#"{"policy": "ask"}"#) {
            let title = try XCTUnwrap(entity.attributeIndex(named: "title"))
            try client.requireOutbox().setResolver(entity: "Note") { conflict in
                conflict.choose(.value(.string("merged")), cell: title)
            }
            try change(["title": .string("b"), "text": .string("u")])
            try begin()
            answer(#"PATCH notes/1 {"title":"b","text":"u"} if "v1""#, 412)
            answer("GET notes/1", 200, Self.note("c", #","text":"w""#), tag: #""v2""#)
            answer(#"PATCH notes/1 {"title":"merged"} if "v2""#, 204, tag: #""v3""#)
            try end()
            XCTAssertEqual(try values(), "merged|merged")
            XCTAssertEqual(try conflictWords(), ["attributes text t|u|w"])
        }
    }

    func testAResolverThatFailsParksEverything() throws {
        try withNotes(#"{"policy": "ask"}"#) {
            try client.requireOutbox().setResolver(entity: nil) { _ throws(HostRefusal) in
                throw HostRefusal("no")
            }
            try parkTitle()
            XCTAssertEqual(try conflictWords(), ["attributes title a|b|c"])
        }
    }

    // MARK: Calls that wait

    func testACallFailsWhereItsItemWouldBeParked() throws {
        try withNotes(storing: #"{"store": "first"}"#) {
            try client.setReachability(.reachable)
            let call = try client.send(spec(.patch, ["title": .string("b")]))
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 412)
            answer("GET notes/1", 200, Self.note("c"), tag: #""v2""#)
            let failure = failure(of: call)
            XCTAssertEqual(failure?.httpStatus, 412)
            XCTAssertEqual(failure?.conflict?.cells.count, 1)
            XCTAssertEqual(try values(), "c|c")
            try checkNothingIsLeft()
        }
    }

    func testACallGetsTheAnswerToItsMergedItem() throws {
        try withNotes(#"{"policy": "mine"}"#, storing: #"{"store": "first"}"#) {
            try client.setReachability(.reachable)
            let call = try client.send(spec(.patch, ["title": .string("b")]))
            answer(#"PATCH notes/1 {"title":"b"} if "v1""#, 412)
            answer("GET notes/1", 200, Self.note("c"), tag: #""v2""#)
            answer(#"PATCH notes/1 {"title":"b"} if "v2""#, 200, Self.note("b"), tag: #""v3""#)
            XCTAssertEqual(try call.wait(milliseconds: 0).status, 200)
            XCTAssertEqual(try values(), "b|b")
            try checkNothingIsLeft()
        }
    }
}
