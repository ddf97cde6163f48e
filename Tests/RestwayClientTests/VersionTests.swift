import RestwayHTTP
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Which versions of objects answers bring, and the conditions of requests that follow.
final class VersionTests: VersionTestCase {
    private static let note = #"{"id":1,"title":"a","text":"t","rev":3}"#

    // MARK: Answers

    func testAGetBringsTheTagOfItsOneObject() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            XCTAssertEqual(try version(), #""v1""#)
            try get(Self.note)
            XCTAssertEqual(try version(), #""v1""#, "an answer that changes nothing")
            try get(#"{"id":1,"title":"b","text":"t"}"#)
            XCTAssertNil(try version(), "a server without tags")
        }
    }

    func testTheTagOfAListIsNoObjectsTag() throws {
        try withNotes {
            let call = try client.send(.get("notes"))
            transport.answer(200, "[\(Self.note)]", headers: [Self.tag(#""list""#)])
            _ = try call.wait(milliseconds: 0)
            XCTAssertNil(try version())
        }
    }

    func testAListBringsVersionsInAttributes() throws {
        try withNotes(Self.byAttribute) {
            let call = try client.send(.get("notes"))
            transport.answer(200, "[\(Self.note)]")
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try version(), "3")
        }
    }

    func testAWeakTagIsNoCondition() throws {
        try withNotes {
            try get(Self.note, tag: #"W/"v1""#)
            XCTAssertEqual(try version(), #"W/"v1""#)
            let call = try patch("b")
            answer("PATCH notes/1", condition: nil, 204)
            _ = try call.wait(milliseconds: 0)
        }
    }

    func testAPatchWithAConditionBringsTheNextTag() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            for (number, status) in [(2, 204), (3, 200)] {
                let call = try patch("b\(number)")
                answer(
                    "PATCH notes/1", condition: "\"v\(number - 1)\"", status,
                    status == 204 ? "" : #"{"id":1,"title":"b3"}"#, tag: "\"v\(number)\"")
                _ = try call.wait(milliseconds: 0)
                XCTAssertEqual(try version(), "\"v\(number)\"")
                XCTAssertEqual(try title(), "b\(number)")
            }
        }
    }

    func testA204WithoutATagMakesTheVersionUnknown() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            let call = try patch("b")
            answer("PATCH notes/1", condition: #""v1""#, 204)
            _ = try call.wait(milliseconds: 0)
            XCTAssertNil(try version())
            let next = try patch("c")
            answer("PATCH notes/1", condition: nil, 204, tag: #""v3""#)
            _ = try next.wait(milliseconds: 0)
            XCTAssertNil(try version(), "another client may have changed the text before")
        }
    }

    func testAPostBringsTheTagOfTheObjectThatItMakes() throws {
        for body in [#"{"id":1,"title":"a"}"#, ""] {
            try withNotes {
                let draft = Draft(try entity)
                try draft.set(.string("a"), attribute: 1)
                if body.isEmpty { try draft.set(.int64(1), attribute: 0) }
                let call = try send(.post, draft)
                answer("POST notes", condition: nil, 201, body, tag: #""v1""#)
                _ = try call.wait(milliseconds: 0)
                XCTAssertEqual(try version(), #""v1""#, body)
                XCTAssertEqual(draft.storeKey, try note().storeKey)
            }
        }
    }

    func testNothingIsKnownAfterAnAcceptedChangeOrARefusedOne() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            let refused = try patch("b")
            answer("PATCH notes/1", condition: #""v1""#, 422, tag: #""v9""#)
            XCTAssertEqual(failure(refused)?.httpStatus, 422)
            XCTAssertEqual(try version(), #""v1""#)
            let promised = try patch("b")
            answer("PATCH notes/1", condition: #""v1""#, 202, tag: #""v2""#)
            _ = try promised.wait(milliseconds: 0)
            XCTAssertNil(try version())
        }
    }

    func testAHeadAndA304ChangeNothing() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            let head = try client.send(RequestSpec(target: .path(.head, "notes/1")))
            transport.answer(200, headers: [Self.tag(#""v2""#)])
            _ = try head.wait(milliseconds: 0)
            var spec = RequestSpec.get("notes/1")
            spec.headers = [("If-None-Match", #""v1""#)]
            let unchanged = try client.send(spec)
            transport.answer(304, headers: [Self.tag(#""v1""#)])
            _ = try unchanged.wait(milliseconds: 0)
            XCTAssertEqual(try version(), #""v1""#)
        }
    }

    func testALastModifiedIsSentAsIfUnmodifiedSince() throws {
        let time = "Sat, 28 Nov 2026 10:00:00 GMT"
        try withNotes(Self.byTime) {
            try get(Self.note, [HeaderField(name: "Last-Modified", value: time)])
            let call = try patch("b")
            let sent = answer("PATCH notes/1", condition: time, 204)
            _ = try call.wait(milliseconds: 0)
            XCTAssertNil(Headers(sent.headers)[first: "If-Match"])
        }
    }

    func testAnAttributeIsQuotedInTheCondition() throws {
        try withNotes(Self.byAttribute) {
            try get(Self.note)
            let call = try patch("b")
            answer("PATCH notes/1", condition: #""3""#, 200, #"{"id":1,"title":"b","rev":4}"#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try version(), "4")
        }
    }

    /// A list has brought a newer version and title, and said nothing of the text.
    func testAVersionThatCameWithoutSomeValuesIsStillACondition() throws {
        try withNotes(Self.byAttribute) {
            try get(#"{"id": 1, "title": "a", "text": "a", "rev": 1}"#)
            let list = try client.send(.get("notes"))
            transport.answer(200, #"[{"id": 1, "title": "b", "rev": 2}]"#)
            _ = try list.wait(milliseconds: 0)
            XCTAssertNil(try version())
            let call = try patch("mine")
            answer("PATCH notes/1", condition: "\"2\"", 200, #"{"id": 1, "rev": 3}"#)
            _ = try call.wait(milliseconds: 0)
            let delete = try delete()
            answer("DELETE notes/1", condition: "\"3\"", 204)
            _ = try delete.wait(milliseconds: 0)
        }
    }

    func testTheBodyCarriesTheVersionInPlaceOfACondition() throws {
        try withNotes(Self.inBody) {
            try get(Self.note)
            let call = try patch("b")
            let sent = answer(
                "PATCH notes/1", condition: nil, 200, #"{"id":1,"title":"b","rev":4}"#)
            XCTAssertEqual(body(sent), #"{"title":"b","rev":3}"#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try version(), "4")
        }
    }

    // MARK: Conditions

    func testAPutAndADeleteHaveTheConditionToo() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            let put = try send(.put, draft(title: "b"))
            answer("PUT notes/1", condition: #""v1""#, 204, tag: #""v2""#)
            _ = try put.wait(milliseconds: 0)
            let delete = try delete()
            answer("DELETE notes/1", condition: #""v2""#, 204)
            _ = try delete.wait(milliseconds: 0)
            XCTAssertNil(try client.store.object(entity, .integer(1)))
        }
    }

    func testAConditionOfTheProgramIsLeftAsItIs() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            for own in [#""mine""#, nil] {
                var spec = RequestSpec(
                    target: .subject(.patch), subject: .draft(try draft(title: "b"), client.store))
                spec.headers = [("If-Match", own)]
                let call = try client.send(spec)
                answer("PATCH notes/1", condition: own, 204)
                _ = try call.wait(milliseconds: 0)
            }
        }
    }

    func testARequestForSomethingBelowTheObjectHasNoCondition() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            let call = try client.send(
                RequestSpec(target: .path(.delete, "notes/1/star"), subject: .object(note())))
            answer("DELETE notes/1/star", condition: nil, 422)
            XCTAssertEqual(failure(call)?.httpStatus, 422)
        }
    }

    func testADraftThatIsOlderThanTheStoreIsNotSent() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            let draft = try draft(title: "mine")
            try get(#"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            let failure = failure(try send(.patch, draft))
            XCTAssertEqual(words(failure), "412 attributes title a|mine|theirs")
            XCTAssertNil(failure?.response)
            XCTAssertEqual(transport.waitingCount, 0)
            XCTAssertTrue(failure?.message.contains("title") ?? false)
        }
    }

    func testADraftWhoseOtherAttributesHaveChangedIsSentWithTheNewestVersion() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            let draft = try draft(title: "mine")
            try get(#"{"id":1,"title":"a","text":"theirs"}"#, tag: #""v2""#)
            let call = try send(.put, draft)
            let sent = answer("PUT notes/1", condition: #""v2""#, 204)
            XCTAssertTrue(body(sent).contains(#""text":"theirs""#), body(sent))
            _ = try call.wait(milliseconds: 0)
        }
    }

    func testADraftThatIsSentTwiceDoesNotConflictWithItself() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            let draft = try draft(title: "b")
            let first = try send(.patch, draft)
            answer("PATCH notes/1", condition: #""v1""#, 204, tag: #""v2""#)
            _ = try first.wait(milliseconds: 0)
            try draft.set(.string("c"), attribute: 1)
            let second = try send(.patch, draft)
            answer("PATCH notes/1", condition: #""v2""#, 204, tag: #""v3""#)
            _ = try second.wait(milliseconds: 0)
            XCTAssertEqual(try version(), #""v3""#)
        }
    }

    func testAnObjectThatIsOlderThanTheStoreDoesNotReplaceIt() throws {
        try withNotes {
            try get(Self.note, tag: #""v1""#)
            let old = try note()
            try get(#"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            let spec = RequestSpec(target: .subject(.put), subject: .object(old))
            let failure = failure(try client.send(spec))
            XCTAssertEqual(words(failure), "412 attributes title a|a|theirs")
        }
    }

    // MARK: Batches

    func testAnItemOfABatchStatesItsVersionAndBringsTheNextOne() throws {
        try withNotes(Self.byTag, #", "batch": {"path": "/batch", "limit": 3}"#) {
            try get(Self.note, tag: #""v1""#)
            let session = try BatchSession(client.batches)
            let ended = Monitor<Bool>(false)
            try session.add(
                RequestSpec(
                    target: .subject(.patch), subject: .draft(draft(title: "b"), client.store)),
                completion: { _, _ in ended.update { $0 = true } }, end: {})
            try session.send(on: .caller)
            let sent = transport.answer(
                200, #"[{"code":204,"headers":{"ETag":"\"v2\""},"body":""}]"#)
            XCTAssertTrue(body(sent).contains("If-Match"), body(sent))
            _ = ended.wait { $0 ? () : nil }
            XCTAssertEqual(try version(), #""v2""#)
        }
    }

    // MARK: The cache

    func testAnAnswerOfTheCacheBringsItsTag() throws {
        try withNotes(Self.byTag, #", "cache": {}"#) {
            let control = HeaderField(name: "Cache-Control", value: "max-age=60")
            try get(Self.note, tag: #""v1""#, [control])
            let call = try client.send(.get("notes/1"))
            XCTAssertEqual(try call.wait(milliseconds: 0).cache.state, .hit)
            XCTAssertEqual(try version(), #""v1""#)
        }
    }

    func testAnAnswerOfTheCacheThatTheStoreDoesNotHaveBringsItsTag() throws {
        try withNotes(Self.byTag, #", "cache": {}"#) {
            let control = HeaderField(name: "Cache-Control", value: "max-age=60")
            try get(Self.note, tag: #""v1""#, [control])
            _ = try client.store.delete(entity, .integer(1))
            // It is mapped once more for another route.
            var spec = RequestSpec.get("notes/1")
            try spec.setRoute("note")
            let call = try client.send(spec)
            XCTAssertEqual(try call.wait(milliseconds: 0).cache.state, .hit)
            XCTAssertEqual(try version(), #""v1""#)
        }
    }

    func testAnAnswerThatTheServerHasValidatedBringsItsTagAgain() throws {
        try withNotes(Self.byTag, #", "cache": {}"#) {
            let control = HeaderField(name: "Cache-Control", value: "no-cache")
            try get(Self.note, tag: #""v1""#, [control])
            try get(#"{"id":1,"title":"other","text":"t"}"#, path: "notes/1?x=1")
            XCTAssertNil(try version())
            let call = try client.send(.get("notes/1"))
            let sent = transport.answer(304, headers: [Self.tag(#""v1""#), control])
            XCTAssertEqual(Headers(sent.headers)[first: "If-None-Match"], #""v1""#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try version(), #""v1""#)
            XCTAssertEqual(try title(), "a")
        }
    }
}
