import RestwayHTTP
import RestwayObjects
import RestwayRouting
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Stored requests whose objects other devices have changed: each kind of answer, and each way in
/// which versions are known.
final class ConflictTests: ConflictTestCase {
    func testEditsOfDifferentAttributesBothReachTheServer() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            server.change(#"{"text":"theirs"}"#)
            XCTAssertEqual(
                try flush(),
                [
                    #"PATCH notes/1 {"title":"mine"} "v1" 412"#, "GET notes/1 200",
                    #"PATCH notes/1 {"title":"mine"} "v2" 200"#,
                ])
            let keys = server.keys()
            XCTAssertEqual(Set(keys).count, 2, "the second request has another key")
            XCTAssertEqual(server.value("title"), "\"mine\"")
            XCTAssertEqual(server.value("text"), "\"theirs\"")
            try checkSettled()
        }
    }

    func testAWholePUTKeepsWhatOthersHaveChanged() throws {
        try withNotes {
            try begin()
            try edit(["title": .string("mine")], .put)
            server.change(#"{"text":"theirs"}"#)
            try flush()
            XCTAssertEqual(server.value("title"), "\"mine\"")
            XCTAssertEqual(server.value("text"), "\"theirs\"")
            try checkSettled()
        }
    }

    /// A newer version that came with a GET while the edit waited is compared before the request is
    /// sent, not only after a 412.
    func testAnItemIsComparedWithTheNewestValuesBeforeItIsSent() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            server.change(#"{"title":"theirs"}"#)
            try get()
            XCTAssertEqual(try flush(), [])
            XCTAssertEqual(try conflictWords(), ["1 attributes title base|mine|theirs"])
            XCTAssertEqual(server.value("title"), "\"theirs\"")
        }
    }

    func testAValueThatTheServerHasAlreadyIsNotSent() throws {
        try withNotes {
            try begin()
            try edit(["title": .string("mine"), "text": .string("x")])
            server.change(#"{"title":"mine"}"#)
            XCTAssertEqual(
                try flush(),
                [
                    #"PATCH notes/1 {"title":"mine","text":"x"} "v1" 412"#, "GET notes/1 200",
                    #"PATCH notes/1 {"text":"x"} "v2" 200"#,
                ])
            try checkSettled()
        }
    }

    func testAnItemOfWhichNothingIsLeftIsDeliveredWithoutARequest() throws {
        try withNotes {
            try begin()
            let id = try edit(title: "mine")
            server.change(#"{"title":"mine"}"#)
            try get()
            try observeItems()
            XCTAssertEqual(try flush(), [])
            XCTAssertEqual(told.withLock { $0 }.first, "\(id) delivered 0")
            try checkSettled()
        }
    }

    // MARK: The item may have arrived

    func testAnItemThatMayHaveArrivedIsSentAgainAsItWas() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            server.with { $0.lostAnswers = 1 }
            let line = #"PATCH notes/1 {"title":"mine"} "v1" 200"#
            XCTAssertEqual(try flush(), [line + " lost"])
            // Another device has changed the same attribute, and the client sees it.
            server.change(#"{"title":"theirs"}"#)
            try get()
            XCTAssertEqual(try flush(), [line])
            XCTAssertEqual(Set(server.keys()).count, 1)
            XCTAssertEqual(server.value("title"), "\"theirs\"", "the first attempt came first")
            XCTAssertEqual(try items(), [])
        }
    }

    func testAnItemThatMayHaveArrivedIsSentAgainAsItWasAfterARestart() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            server.with { $0.lostAnswers = 1 }
            try flush()
            let key = server.keys()
            server.change(#"{"text":"theirs"}"#)
            try reopen()
            try get()
            XCTAssertEqual(try flush(), [#"PATCH notes/1 {"title":"mine"} "v1" 200"#])
            XCTAssertEqual(server.keys(), key)
            try get()
            try checkSettled()
        }
    }

    func testA412AfterALostAnswerIsDeliveredIfTheServerHasTheValues() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            server.with { $0.lostAnswers = 1 }
            try flush()
            // The server has forgotten the key.
            server.with { $0.known = [:] }
            XCTAssertEqual(
                try flush(), [#"PATCH notes/1 {"title":"mine"} "v1" 412"#, "GET notes/1 200"])
            try checkSettled()
        }
    }

    func testA412AfterALostAnswerIsParkedIfTheValueIsNeitherBaseNorMine() throws {
        try withNotes(#""policy": "mine""#) {
            try begin()
            try edit(title: "mine")
            server.with { $0.lostRequests = 1 }
            try flush()
            server.change(#"{"title":"theirs"}"#)
            XCTAssertEqual(
                try flush(), [#"PATCH notes/1 {"title":"mine"} "v1" 412"#, "GET notes/1 200"])
            XCTAssertEqual(try conflictWords(), ["1 attributes title base|mine|theirs"])
        }
    }

    func testTheDocumentSaysWhatBecomesOfAnUncertainValue() throws {
        try withNotes(#""policy": "mine", "uncertain": "mine""#) {
            try begin()
            try edit(title: "mine")
            server.with { $0.lostRequests = 1 }
            try flush()
            server.change(#"{"title":"theirs"}"#)
            try flush()
            XCTAssertEqual(server.value("title"), "\"mine\"")
            try checkSettled()
        }
    }

    func testANumberIsNotAddedTwice() throws {
        try withNotes(#""attributes": {"views": "add"}"#) {
            try begin()
            try edit(["views": .int64(11)])
            server.with { $0.lostAnswers = 1 }
            try flush()
            server.with { $0.known = [:] }
            server.change(#"{"views":15}"#)
            try flush()
            XCTAssertEqual(server.value("views"), "15")
            XCTAssertEqual(try conflictWords(), ["1 attributes views 10|11|15"])
        }
    }

    // MARK: The version

    func testAnObjectOfAListIsFetchedBeforeItIsChanged() throws {
        try withNotes {
            server.put(1, #"{"title":"base","text":"t"}"#)
            _ = try client.send(.get("notes")).wait(milliseconds: 0)
            try edit(title: "mine")
            server.change(#"{"text":"theirs"}"#)
            XCTAssertEqual(
                try flush(), ["GET notes/1 200", #"PATCH notes/1 {"title":"mine"} "v2" 200"#])
            try checkSettled()
        }
    }

    func testAnAnswerWithoutATagMakesTheVersionUnknown() throws {
        try withNotes {
            try begin()
            server.with { $0.isTerse = true }
            try edit(title: "first")
            try flush()
            try edit(title: "second")
            XCTAssertEqual(
                try flush(), ["GET notes/1 200", #"PATCH notes/1 {"title":"second"} "v2" 204"#])
            try checkSettled()
        }
    }

    func testAWeakTagIsNeverACondition() throws {
        try withNotes {
            server.with { $0.tags = .weak }
            try begin()
            try edit(title: "mine")
            server.change(#"{"text":"theirs"}"#)
            XCTAssertEqual(
                try flush(), ["GET notes/1 200", #"PATCH notes/1 {"title":"mine"} 200"#])
            try checkSettled()
            try edit(title: "again")
            server.change(#"{"title":"theirs"}"#)
            XCTAssertEqual(try flush(), ["GET notes/1 200"])
            XCTAssertEqual(try conflictWords(), ["2 attributes title mine|again|theirs"])
        }
    }

    func testARefusedTagIsNeverSentAgain() throws {
        try withNotes(#""triesMax": 2"#) {
            server.with { $0.tagSuffix = "-gzip" }
            try begin()
            let id = try edit(title: "mine")
            try observeItems()
            var log: [String] = []
            for _ in 0..<4 { log += try flush() }
            XCTAssertEqual(log.first, #"PATCH notes/1 {"title":"mine"} "v1-gzip" 412"#)
            XCTAssertEqual(Set(log.dropFirst()), ["GET notes/1 200"])
            let item = try item(id)
            XCTAssertEqual(item.state, .dead)
            XCTAssertEqual(item.deathReason, .version)
            XCTAssertTrue(item.lastError?.contains("proxy") ?? false, item.lastError ?? "")
        }
    }

    func testAReplicaThatLagsIsAskedAgain() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            server.with { $0.lag = ($0.notes[1].map { (1, $0) })! }
            server.change(#"{"text":"theirs"}"#)
            XCTAssertEqual(
                try flush(), [#"PATCH notes/1 {"title":"mine"} "v1" 412"#, "GET notes/1 200"])
            XCTAssertEqual(try items(), ["1 waiting"])
            XCTAssertEqual(
                try flush(), ["GET notes/1 200", #"PATCH notes/1 {"title":"mine"} "v2" 200"#])
            try checkSettled()
        }
    }

    func testATimeOfTheLastChangeIsACondition() throws {
        try withNotes(version: #"{"header": "Last-Modified"}"#) {
            server.with { $0.tags = .lastModified }
            try begin()
            try edit(title: "mine")
            server.change(#"{"text":"theirs"}"#)
            let log = try flush()
            XCTAssertEqual(log.count, 3)
            XCTAssertTrue(log[0].hasSuffix("08:49:11 GMT 412"), log[0])
            XCTAssertTrue(log[2].hasSuffix("08:49:12 GMT 200"), log[2])
            try checkSettled()
        }
    }

    func testAnAttributeIsTheVersion() throws {
        try withNotes(version: #"{"attribute": "rev"}"#) {
            server.with { $0.tags = .attribute }
            server.put(1, #"{"title":"base","text":"t"}"#)
            // A list has the version too.
            _ = try client.send(.get("notes")).wait(milliseconds: 0)
            try edit(title: "mine")
            server.change(#"{"text":"theirs"}"#)
            XCTAssertEqual(
                try flush(),
                [
                    #"PATCH notes/1 {"title":"mine"} "1" 412"#, "GET notes/1 200",
                    #"PATCH notes/1 {"title":"mine"} "2" 200"#,
                ])
            try checkSettled()
        }
    }

    // MARK: Other answers

    func testAServerMayDemandACondition() throws {
        try withNotes {
            server.with { ($0.demandsCondition, $0.tags) = (true, .none) }
            try begin()
            try edit(title: "mine")
            server.with { $0.tags = .strong }
            XCTAssertEqual(
                try flush(), ["GET notes/1 200", #"PATCH notes/1 {"title":"mine"} "v1" 200"#])
            try checkSettled()
        }
    }

    func testAServerThatDemandsAConditionAndSendsNoTagIsNamed() throws {
        try withNotes {
            server.with { ($0.demandsCondition, $0.tags) = (true, .weak) }
            try begin()
            let id = try edit(title: "mine")
            XCTAssertEqual(
                try flush(),
                ["GET notes/1 200", #"PATCH notes/1 {"title":"mine"} 428"#, "GET notes/1 200"])
            XCTAssertEqual(try item(id).deathReason, .version)
        }
    }

    func testADeclaredCodeIsAConflict() throws {
        try withNotes(
            route: #", "conflict": {"codes": ["ABORTED"], "newest": "body", "keyPath": "newest"}"#
        ) {
            server.with {
                $0.refusal = (409, #"{"code":"ABORTED","newest":"NEWEST"}"#)
            }
            try begin()
            try edit(title: "mine")
            server.change(#"{"text":"theirs"}"#)
            try flush()
            XCTAssertEqual(server.value("title"), "\"mine\"")
            XCTAssertEqual(server.value("text"), "\"theirs\"")
            try checkSettled()
        }
    }

    func testA409WithoutADeclaredCodeIsNoConflict() throws {
        try withNotes {
            server.with { $0.refusal = (409, #"{"code":"ABORTED"}"#) }
            try begin()
            let id = try edit(title: "mine")
            server.change(#"{"text":"theirs"}"#)
            XCTAssertEqual(try flush(), [#"PATCH notes/1 {"title":"mine"} "v1" 409"#])
            XCTAssertEqual(try item(id).deathReason, .refused)
        }
    }

    func testAnItemIsSentAgainAtMostAsOftenAsTheEntitySays() throws {
        try withNotes(#""triesMax": 2"#) {
            try begin()
            try edit(title: "mine")
            // Another device is always faster.
            server.with { $0.meanwhile = { $0.change(1, #"{"text":"\#($0.notes[1]!.version)"}"#) } }
            var log: [String] = []
            for _ in 0..<3 { log += try flush() }
            XCTAssertEqual(log.count { $0.hasPrefix("PATCH") }, 3)
            XCTAssertEqual(Set(server.keys()).count, 3)
            XCTAssertEqual(try items(), ["1 parked"])
        }
    }

    func testAFailedGETIsAFailedAttempt() throws {
        try withNotes {
            try begin()
            let id = try edit(title: "mine")
            server.change(#"{"text":"theirs"}"#)
            server.with { $0.failures = [503] }
            XCTAssertEqual(
                try flush(), [#"PATCH notes/1 {"title":"mine"} "v1" 412"#, "GET notes/1 503"])
            XCTAssertEqual(try item(id).state, .waiting)
            XCTAssertEqual(
                try flush(), ["GET notes/1 200", #"PATCH notes/1 {"title":"mine"} "v2" 200"#])
            try checkSettled()
        }
    }

    // MARK: Several items

    func testOwnEditsAreInNoConflictWithEachOther() throws {
        try withNotes {
            try begin()
            try edit(title: "first")
            try edit(title: "second")
            try edit(["text": .string("third")])
            XCTAssertEqual(
                try flush(),
                [
                    #"PATCH notes/1 {"title":"first"} "v1" 200"#,
                    #"PATCH notes/1 {"title":"second"} "v2" 200"#,
                    #"PATCH notes/1 {"text":"third"} "v3" 200"#,
                ])
            try checkSettled()
        }
    }

    func testAChangeBetweenTwoOwnEditsIsSeen() throws {
        try withNotes {
            try begin()
            try edit(["text": .string("first")])
            try edit(title: "second")
            // Another device is between the two.
            server.with { state in
                state.meanwhile = { state in
                    if state.notes[1]?.version == 2 { state.change(1, #"{"title":"theirs"}"#) }
                }
            }
            try flush()
            XCTAssertEqual(server.value("title"), "\"theirs\"")
            XCTAssertEqual(try conflictWords(), ["2 attributes title base|second|theirs"])
        }
    }

    func testNoOlderEditIsParkedUnderANewerOne() throws {
        try withNotes {
            try begin()
            try edit(title: "first")
            try edit(title: "second")
            server.change(#"{"title":"theirs"}"#)
            try flush()
            XCTAssertEqual(try conflictWords(), ["2 attributes title base|second|theirs"])
            XCTAssertEqual(try title(), "second")
        }
    }

    func testAnEditOfAParkedAttributeReplacesTheParkedValue() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            server.change(#"{"title":"theirs"}"#)
            try flush()
            try edit(["title": .string("newer"), "text": .string("x")])
            XCTAssertEqual(try flush(), [#"PATCH notes/1 {"text":"x"} "v2" 200"#])
            XCTAssertEqual(try conflictWords(), ["1 attributes title base|newer|theirs"])
            XCTAssertEqual(try title(), "newer")
            XCTAssertEqual(server.value("title"), "\"theirs\"")
        }
    }

    func testAConflictAboutOneAttributeDoesNotHoldTheOthers() throws {
        try withNotes {
            try begin()
            try edit(["title": .string("mine"), "text": .string("x")])
            server.change(#"{"title":"theirs"}"#)
            try observeItems()
            try flush()
            XCTAssertEqual(server.value("text"), "\"x\"")
            XCTAssertEqual(server.value("title"), "\"theirs\"")
            XCTAssertEqual(try conflictWords(), ["2 attributes title base|mine|theirs"])
            XCTAssertEqual(Set(told.withLock { $0 }), ["2 parked 0", "1 delivered 200"])
            XCTAssertEqual(try title(), "mine")
            XCTAssertEqual(try confirmed("title"), .string("theirs"))
        }
    }

    func testAHandMadeConditionDoesNotConflictWithOwnEdits() throws {
        try withNotes {
            try begin()
            for title in ["first", "second"] {
                let draft = try draft(["title": .string(title)])
                var spec = RequestSpec(
                    target: .subject(.patch), subject: .draft(draft, client.store))
                spec.headers.append(("If-Match", "\"v1\""))
                try queue(client, spec)
            }
            XCTAssertEqual(
                try flush(),
                [
                    #"PATCH notes/1 {"title":"first"} "v1" 200"#,
                    #"PATCH notes/1 {"title":"second"} "v2" 200"#,
                ])
            try checkSettled()
        }
    }
}
