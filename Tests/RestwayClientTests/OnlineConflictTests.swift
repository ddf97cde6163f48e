import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Requests that are not stored, and whose server says that the object has changed.
final class OnlineConflictTests: VersionTestCase {
    private func begin() throws { try get(#"{"id":1,"title":"a","text":"t"}"#, tag: #""v1""#) }

    func testA412FetchesTheNewestObjectAndFailsWithBothSides() throws {
        try withNotes {
            try begin()
            let call = try patch("mine")
            answer("PATCH notes/1", condition: #""v1""#, 412, #"{"message":"changed"}"#)
            answer("GET notes/1", 200, #"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            let failure = failure(call)
            XCTAssertEqual(words(failure), "412 attributes title a|mine|theirs")
            XCTAssertEqual(failure?.response?.status, 412)
            XCTAssertEqual(failure?.apiMessage, "changed")
            XCTAssertTrue(failure?.message.contains("title") ?? false, failure?.message ?? "")
            XCTAssertEqual(try title(), "theirs")
            XCTAssertEqual(try version(), #""v2""#)
        }
    }

    func testA412BecauseOfOtherAttributesIsSentAgainWithTheNewestVersion() throws {
        try withNotes {
            try begin()
            let call = try send(.put, draft(title: "mine"))
            let first = answer("PUT notes/1", condition: #""v1""#, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"a","text":"theirs"}"#, tag: #""v2""#)
            let second = answer("PUT notes/1", condition: #""v2""#, 204, tag: #""v3""#)
            XCTAssertTrue(body(first).contains(#""text":"t""#))
            XCTAssertTrue(body(second).contains(#""text":"theirs""#), body(second))
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try version(), #""v3""#)
            XCTAssertEqual(try note().text("text"), "theirs")
            XCTAssertEqual(try title(), "mine")
        }
    }

    func testAServerThatChangesWithoutEndIsAskedAsOftenAsTheEntitySays() throws {
        try withNotes {
            try begin()
            let call = try patch("mine")
            for number in 1...6 {
                answer("PATCH notes/1", condition: "\"v\(number)\"", 412)
                answer(
                    "GET notes/1", 200, #"{"id":1,"title":"a","text":"\#(number)"}"#,
                    tag: "\"v\(number + 1)\"")
            }
            XCTAssertEqual(words(failure(call)), "412 attributes  a|mine|a")
        }
    }

    func testA412AfterALostAnswerIsDeliveredIfTheServerHasTheValues() throws {
        try withNotes(Self.byTag, #", "retry": {"attempts": 2, "baseMilliseconds": 1}"#) {
            try begin()
            let draft = try draft(title: "mine")
            let call = try send(.put, draft)
            transport.next().fail(.connectionLost)
            answer("PUT notes/1", condition: #""v1""#, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"mine","text":"t"}"#, tag: #""v2""#)
            let response = try call.wait(milliseconds: 0)
            XCTAssertEqual(response.status, 204)
            XCTAssertEqual(draft.changedCells, [])
            XCTAssertEqual(try version(), #""v2""#)
        }
    }

    func testAProxyThatChangesTagsIsNamed() throws {
        try withNotes {
            try begin()
            let call = try patch("mine")
            answer("PATCH notes/1", condition: #""v1""#, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"a","text":"t"}"#, tag: #""v1""#)
            let failure = failure(call)
            XCTAssertEqual(words(failure), "412 attributes  a|mine|a")
            XCTAssertTrue(failure?.message.contains("proxy") ?? false, failure?.message ?? "")
        }
    }

    func testAnObjectThatTheServerHasDeletedIsAConflict() throws {
        try withNotes {
            for status in [404, 410] {
                try begin()
                let call = try patch("mine")
                answer("PATCH notes/1", condition: #""v1""#, status)
                XCTAssertEqual(words(failure(call)), "\(status) theyDeleted  a|mine|nil")
            }
            let call = try patch("mine")
            answer("PATCH notes/1", condition: #""v1""#, 412)
            answer("GET notes/1", 404)
            XCTAssertEqual(words(failure(call)), "412 theyDeleted  a|mine|nil")
        }
    }

    func testAPageOfHTMLDoesNotSayThatAnObjectIsDeleted() throws {
        try withNotes {
            try begin()
            let call = try patch("mine")
            let type = HeaderField(name: "Content-Type", value: "text/html")
            transport.answer(404, "<html>no</html>", headers: [type])
            let failure = failure(call)
            XCTAssertEqual(failure?.httpStatus, 404)
            XCTAssertNil(failure?.conflict)
        }
    }

    func testA428IsSentAgainWithACondition() throws {
        try withNotes {
            try get(#"{"id":1,"title":"a","text":"t"}"#)
            let call = try patch("mine")
            answer("PATCH notes/1", condition: nil, 428)
            answer("GET notes/1", 200, #"{"id":1,"title":"a","text":"t"}"#, tag: #""v2""#)
            answer("PATCH notes/1", condition: #""v2""#, 204)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try title(), "mine")
        }
    }

    func testA428OfAServerWithoutStrongTagsFails() throws {
        try withNotes {
            try get(#"{"id":1,"title":"a","text":"t"}"#)
            let call = try patch("mine")
            answer("PATCH notes/1", condition: nil, 428)
            answer("GET notes/1", 200, #"{"id":1,"title":"a","text":"t"}"#, tag: #"W/"v2""#)
            let failure = failure(call)
            XCTAssertEqual(words(failure), "428 attributes  a|mine|a")
            XCTAssertTrue(failure?.message.contains("condition") ?? false)
        }
    }

    func testADeletionOfAChangedObjectIsAConflict() throws {
        try withNotes {
            try begin()
            let call = try delete()
            answer("DELETE notes/1", condition: #""v1""#, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            let failure = failure(call)
            XCTAssertEqual(words(failure), "412 iDelete  a|a|theirs")
            XCTAssertTrue(failure?.message.contains("title") ?? false)
            XCTAssertEqual(try title(), "theirs")
        }
    }

    func testADeletionOfAnObjectThatIsGoneIsDone() throws {
        try withNotes {
            try begin()
            let call = try delete()
            answer("DELETE notes/1", condition: #""v1""#, 412)
            answer("GET notes/1", 404)
            _ = try call.wait(milliseconds: 0)
            XCTAssertNil(try client.store.object(entity, .integer(1)))
        }
    }

    func testTheNewestObjectMayNotBeHad() throws {
        try withNotes {
            try begin()
            let call = try patch("mine")
            answer("PATCH notes/1", condition: #""v1""#, 412)
            answer("GET notes/1", 503)
            let failure = failure(call)
            XCTAssertEqual(words(failure), "412 attributes  a|mine|nil")
            XCTAssertTrue(failure?.message.contains("503") ?? false, failure?.message ?? "")
        }
    }

    func testACancelEndsTheRequestForTheNewestObject() throws {
        try withNotes {
            try begin()
            let call = try patch("mine")
            answer("PATCH notes/1", condition: #""v1""#, 412)
            _ = transport.next()
            call.cancel()
            XCTAssertEqual(failure(call)?.reason, .cancelled)
            transport.waitForCancels()
        }
    }

    func testA409CountsOnlyWithADeclaredCode() throws {
        try withNotes(conflict: #"{"codes": ["ABORTED"]}"#) {
            for code in ["ABORTED", "BUSY"] {
                try begin()
                let call = try patch("mine")
                answer("PATCH notes/1", condition: #""v1""#, 409, #"{"code":"\#(code)"}"#)
                guard code == "ABORTED" else {
                    XCTAssertNil(failure(call)?.conflict)
                    continue
                }
                answer("GET notes/1", 200, #"{"id":1,"title":"b","text":"t"}"#, tag: #""v2""#)
                XCTAssertEqual(words(failure(call)), "409 attributes title a|mine|b")
            }
        }
    }

    func testAProblemTypeOfTheRouteSaysThatTheServerIsStillAtWork() throws {
        try withNotes(conflict: #"{"inProgress": ["busy"]}"#) {
            try begin()
            for (type, mayPass) in [("busy", true), ("other", false)] {
                let call = try patch("mine")
                answer("PATCH notes/1", condition: #""v1""#, 409, #"{"type":"\#(type)"}"#)
                let failure = failure(call)
                XCTAssertEqual(failure?.isRetryable, mayPass, type)
                XCTAssertNil(failure?.conflict)
            }
        }
    }

    func testTheAnswerToAConflictMayHaveTheNewestObject() throws {
        let conflict = #"{"newest": "body", "keyPath": "details.existing"}"#
        try withNotes(conflict: conflict) {
            try begin()
            let call = try patch("mine")
            answer(
                "PATCH notes/1", condition: #""v1""#, 412,
                #"{"message":"no","details":{"existing":{"id":1,"title":"theirs","text":"t"}}}"#,
                tag: #""v2""#)
            XCTAssertEqual(words(failure(call)), "412 attributes title a|mine|theirs")
            XCTAssertEqual(try version(), #""v2""#)
            XCTAssertEqual(try title(), "theirs")
        }
    }

    func testAnAnswerWithAnotherObjectHasTheNewestObjectFetched() throws {
        let conflict = #"{"newest": "body"}"#
        try withNotes(conflict: conflict) {
            try begin()
            let call = try patch("mine")
            answer("PATCH notes/1", condition: #""v1""#, 412, #"{"id":2,"title":"other"}"#)
            answer("GET notes/1", 200, #"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            XCTAssertEqual(words(failure(call)), "412 attributes title a|mine|theirs")
            XCTAssertNil(try client.store.object(entity, .integer(2)))
        }
    }

    func testAConditionOfTheProgramIsNeverReplaced() throws {
        try withNotes {
            try begin()
            var spec = RequestSpec(
                target: .subject(.patch), subject: .draft(try draft(title: "mine"), client.store))
            spec.headers = [("If-Match", #""own""#)]
            let call = try client.send(spec)
            answer("PATCH notes/1", condition: #""own""#, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"a","text":"theirs"}"#, tag: #""v2""#)
            XCTAssertEqual(words(failure(call)), "412 attributes  a|mine|a")
        }
    }

    func testABodyOfTheProgramIsNeverTakenForDelivered() throws {
        try withNotes {
            try begin()
            var spec = RequestSpec(target: .subject(.patch), subject: .object(try note()))
            spec.given.body = .init(
                bytes: Array(#"{"title":"mine"}"#.utf8), mediaType: "application/json")
            let call = try client.send(spec)
            answer("PATCH notes/1", condition: #""v1""#, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"a","text":"t"}"#, tag: #""v2""#)
            answer("PATCH notes/1", condition: #""v2""#, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"a","text":"u"}"#, tag: #""v3""#)
            XCTAssertEqual(words(failure(call)), "412 attributes text a|a|a")
        }
    }

    // MARK: Changes that are seen at once

    private func optimistic(_ title: String) throws -> Call {
        var spec = RequestSpec(
            target: .subject(.patch), subject: .draft(try draft(title: title), client.store))
        spec.sending.isOptimistic = true
        return try client.send(spec)
    }

    func testTheStoreShowsTheServersValueWhenTheChangeIsInConflict() throws {
        try withNotes {
            try begin()
            let call = try optimistic("mine")
            answer("PATCH notes/1", condition: #""v1""#, 412)
            XCTAssertEqual(try title(), "mine")
            answer("GET notes/1", 200, #"{"id":1,"title":"theirs","text":"t"}"#, tag: #""v2""#)
            XCTAssertEqual(words(failure(call)), "412 attributes title a|mine|theirs")
            XCTAssertEqual(try title(), "theirs")
            XCTAssertEqual(try client.store.edits(ofOutbox: 0).count, 0)
        }
    }

    func testTheStoreShowsTheChangeUntilItIsDeliveredWithTheNewestVersion() throws {
        try withNotes {
            try begin()
            let call = try optimistic("mine")
            answer("PATCH notes/1", condition: #""v1""#, 412)
            answer("GET notes/1", 200, #"{"id":1,"title":"a","text":"u"}"#, tag: #""v2""#)
            answer("PATCH notes/1", condition: #""v2""#, 204, tag: #""v3""#)
            _ = try call.wait(milliseconds: 0)
            XCTAssertEqual(try title(), "mine")
            XCTAssertEqual(try note().text("text"), "u")
            XCTAssertEqual(try version(), #""v3""#)
            XCTAssertEqual(try client.store.edits(ofOutbox: 0).count, 0)
        }
    }

    func testWithoutAVersionA412IsARefusal() throws {
        try withNotes {
            let call = try client.send(
                RequestSpec(target: .path(.patch, "notes/1")))
            answer("PATCH notes/1", 412)
            let failure = failure(call)
            XCTAssertEqual(failure?.httpStatus, 412)
            XCTAssertNil(failure?.conflict)
        }
    }
}
