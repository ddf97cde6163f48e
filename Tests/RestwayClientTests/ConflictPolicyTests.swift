import RestwayCalls
import RestwayHTTP
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayClient
@testable import RestwayOutbox
@testable import RestwayOutcome

/// The policies of a document, functions of the program that decide, and conflicts about an object
/// as a whole, with a server that checks conditions.
final class ConflictPolicyTests: ConflictTestCase {
    // MARK: Attributes

    func testThePolicyOfEachAttributeDecides() throws {
        try withNotes(
            #""policy": "park", "attributes": {"title": "mine", "text": "theirs", "views": "add", "#
                + #""tags": "union"}"#
        ) {
            try begin(#"{"title":"base","text":"t","views":10,"tags":["a","b"]}"#)
            try edit([
                "title": .string("mine"), "text": .string("mine"), "views": .int64(13),
                "tags": .json(#"["a","c"]"#),
            ])
            server.change(
                #"{"title":"theirs","text":"theirs","views":20,"tags":["b","a","d"]}"#)
            try flush()
            XCTAssertEqual(server.value("title"), "\"mine\"")
            XCTAssertEqual(server.value("text"), "\"theirs\"")
            XCTAssertEqual(server.value("views"), "23")
            XCTAssertEqual(server.value("tags"), #"["a","d","c"]"#)
            XCTAssertEqual(try conflictWords(), [])
            try checkSettled()
        }
    }

    func testAFunctionDecidesAndWhatItLeavesIsParked() throws {
        try withNotes(#""policy": "ask""#) {
            try begin()
            let asked = Lock<[String]>([])
            try client.requireOutbox().setResolver(entity: "Note") {
                (conflict) throws(HostRefusal) in
                let names = conflict.cells.map { conflict.entity.cellName($0) }
                asked.withLock { $0.append(names.sorted().joined(separator: ",")) }
                conflict.choose(.value(.string("both")), cell: 1)
                conflict.choose(.mine, cell: 3)
            }
            try edit(["title": .string("mine"), "text": .string("mine"), "views": .int64(11)])
            server.change(#"{"title":"theirs","text":"theirs","views":12}"#)
            try flush()
            XCTAssertEqual(asked.withLock { $0 }, ["text,title,views"])
            XCTAssertEqual(server.value("title"), "\"both\"")
            XCTAssertEqual(server.value("views"), "11")
            XCTAssertEqual(server.value("text"), "\"theirs\"")
            XCTAssertEqual(try conflictWords(), ["2 attributes text t|mine|theirs"])
            XCTAssertEqual(try title(), "both")
        }
    }

    func testAFunctionThatIsMissingOrFailsParksTheChange() throws {
        for isMissing in [true, false] {
            try withNotes(#""policy": "ask""#) {
                try begin()
                if !isMissing {
                    try client.requireOutbox().setResolver(entity: nil) {
                        (conflict) throws(HostRefusal) in
                        conflict.choose(.mine)
                        throw HostRefusal("no")
                    }
                }
                try edit(title: "mine")
                server.change(#"{"title":"theirs"}"#)
                try flush()
                XCTAssertEqual(server.value("title"), "\"theirs\"")
                XCTAssertEqual(try conflictWords(), ["1 attributes title base|mine|theirs"])
            }
        }
    }

    // MARK: Decisions of the program

    /// Parks the title, and returns its conflict.
    private func parkTitle() throws -> Conflict {
        try begin()
        try edit(title: "mine")
        server.change(#"{"title":"theirs"}"#)
        try flush()
        return try XCTUnwrap(conflicts().first)
    }

    func testAConflictIsResolvedWithEitherSideOrAnotherValue() throws {
        let choices: [(Conflict.Choice, String)] = [
            (.mine, "mine"), (.theirs, "theirs"), (.value(.string("both")), "both"),
        ]
        for (choice, expected) in choices {
            try withNotes {
                let conflict = try parkTitle()
                XCTAssertEqual(try title(), "mine")
                _ = server.keys()
                conflict.choose(choice)
                try resolve(conflict)
                XCTAssertEqual(try title(), expected)
                try flush()
                XCTAssertEqual(server.value("title"), "\"\(expected)\"")
                try checkSettled()
            }
        }
    }

    func testAResolvedConflictIsComparedAgain() throws {
        try withNotes {
            let conflict = try parkTitle()
            server.change(#"{"title":"later"}"#)
            conflict.choose(.mine)
            try resolve(conflict)
            try flush()
            XCTAssertEqual(server.value("title"), "\"later\"")
            XCTAssertEqual(try conflictWords(), ["1 attributes title theirs|mine|later"])
        }
    }

    func testSomeAttributesAreResolvedAndTheOthersStayParked() throws {
        try withNotes {
            try begin()
            try edit(["title": .string("mine"), "text": .string("mine")])
            server.change(#"{"title":"theirs","text":"theirs"}"#)
            try flush()
            let conflict = try XCTUnwrap(conflicts().first)
            conflict.choose(.mine, cell: 1)
            try resolve(conflict)
            XCTAssertEqual(try conflictWords(), ["2 attributes text t|mine|theirs"])
            try flush()
            XCTAssertEqual(server.value("title"), "\"mine\"")
            XCTAssertEqual(server.value("text"), "\"theirs\"")
            XCTAssertEqual(try value("text"), .string("mine"))
            XCTAssertEqual(try items(), ["2 parked"])
        }
    }

    func testAConflictSurvivesARestart() throws {
        try withNotes {
            _ = try parkTitle()
            try reopen()
            XCTAssertEqual(try items(), ["1 parked"])
            XCTAssertEqual(try title(), "mine")
            // A store in memory knows the values of the server again when it gets them.
            try get()
            XCTAssertEqual(try title(), "mine")
            XCTAssertEqual(try flush(), [])
            XCTAssertEqual(try conflictWords(), ["1 attributes title base|mine|theirs"])
            let conflict = try XCTUnwrap(conflicts().first)
            conflict.choose(.mine)
            try resolve(conflict)
            try flush()
            XCTAssertEqual(server.value("title"), "\"mine\"")
            try checkSettled()
        }
    }

    func testAnotherClientResolvesAConflict() throws {
        try withNotes {
            _ = try parkTitle()
            let other = try newClient()
            try other.setReachability(.unreachable)
            _ = try other.send(.get("notes/1")).wait(milliseconds: 0)
            let conflict = try XCTUnwrap(other.requireOutbox().conflicts().first)
            conflict.choose(.theirs)
            try other.requireOutbox().resolve(conflict)
            other.close()
            XCTAssertEqual(try conflictWords(), [])
            XCTAssertEqual(try title(), "theirs")
            try checkSettled()
        }
    }

    func testADroppedConflictShowsTheNewestValueOfTheServer() throws {
        try withNotes {
            let conflict = try parkTitle()
            server.change(#"{"title":"later"}"#)
            try get()
            XCTAssertEqual(try title(), "mine")
            _ = try client.requireOutbox().drop(conflict.item)
            XCTAssertEqual(try title(), "later")
            try checkSettled()
        }
    }

    func testAParkedValueThatTheServerHasByNowEndsTheConflict() throws {
        try withNotes {
            _ = try parkTitle()
            server.change(#"{"title":"mine"}"#)
            try get()
            XCTAssertEqual(try conflictWords(), [])
            try checkSettled()
        }
    }

    func testAParkedItemIsNotRetried() throws {
        try withNotes {
            let conflict = try parkTitle()
            let outbox = try client.requireOutbox()
            let refusal = refusal { try outbox.retry(conflict.item) }
            XCTAssertEqual(refusal?.reason, .invalidArgument)
            XCTAssertTrue(refusal?.message.contains("conflict") ?? false)
            let json = String(decoding: try outbox.list().json, as: UTF8.self)
            XCTAssertTrue(json.contains(#""state":"parked""#), json)
            XCTAssertTrue(json.contains(#""kind":"attributes""#), json)
            XCTAssertEqual(try outbox.counts().parked, 1)
            XCTAssertFalse(try outbox.needsFlushing())
        }
    }

    // MARK: Objects that the server has deleted

    func testAnEditOfADeletedObjectFollowsThePolicy() throws {
        for policy in ["mine", "theirs", "park"] {
            try withNotes(#""theyDeleted": "\#(policy)""#) {
                try begin()
                try edit(title: "mine")
                server.delete()
                let log = try flush()
                XCTAssertEqual(log.first, #"PATCH notes/1 {"title":"mine"} "v1" 404"#)
                switch policy {
                case "mine":
                    XCTAssertEqual(server.value("title", 101), "\"mine\"")
                    XCTAssertEqual(server.value("text", 101), "\"t\"")
                    XCTAssertEqual(try items(), [])
                case "theirs":
                    XCTAssertEqual(log.count, 1)
                    XCTAssertNil(try value("title"))
                    XCTAssertEqual(try items(), [])
                default:
                    XCTAssertEqual(try items(), ["1 parked"])
                    XCTAssertEqual(try conflictWords(), ["1 theyDeleted gone"])
                    XCTAssertEqual(try title(), "mine")
                }
            }
        }
    }

    func testItemsWaitBehindAConflictAboutTheirObject() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            try edit(["text": .string("x")])
            server.delete()
            try flush()
            XCTAssertEqual(try items(), ["1 parked", "2 blocked"])
            XCTAssertEqual(try item(2).waitReason, .conflict)
            XCTAssertEqual(try flush(), [])
            let conflict = try XCTUnwrap(conflicts().first)
            conflict.choose(.theirs)
            try resolve(conflict)
            XCTAssertEqual(try items().filter { $0.hasSuffix("parked") }, [])
            XCTAssertNil(try value("title"))
        }
    }

    func testAParkedEditMakesADeletedObjectAgain() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            server.delete()
            try flush()
            let conflict = try XCTUnwrap(conflicts().first)
            conflict.choose(.mine)
            try resolve(conflict)
            try flush()
            XCTAssertEqual(server.value("title", 101), "\"mine\"")
            XCTAssertEqual(try items(), [])
        }
    }

    // MARK: Objects that the program deletes

    func testADeletionOfAChangedObjectFollowsThePolicy() throws {
        for policy in ["mine", "theirs", "park"] {
            try withNotes(#""iDelete": "\#(policy)""#) {
                try begin()
                try deleteNote()
                XCTAssertNil(try value("title"), "it is hidden")
                server.change(#"{"text":"theirs"}"#)
                let log = try flush()
                XCTAssertEqual(log.prefix(2), [#"DELETE notes/1 "v1" 412"#, "GET notes/1 200"])
                switch policy {
                case "mine":
                    XCTAssertEqual(log.last, #"DELETE notes/1 "v2" 204"#)
                    XCTAssertNil(server.text())
                    XCTAssertNil(try value("title"))
                    XCTAssertEqual(try items(), [])
                case "theirs":
                    XCTAssertEqual(try value("text"), .string("theirs"))
                    try checkSettled()
                default:
                    XCTAssertEqual(try items(), ["1 parked"])
                    XCTAssertEqual(try value("text"), .string("theirs"), "it is seen again")
                    XCTAssertEqual(try conflictWords(), ["1 iDelete"])
                }
            }
        }
    }

    func testADeletionOfAnUnchangedObjectIsSentOnce() throws {
        try withNotes {
            try begin()
            try deleteNote()
            XCTAssertEqual(try flush(), [#"DELETE notes/1 "v1" 204"#])
            XCTAssertNil(server.text())
            XCTAssertEqual(try items(), [])
        }
    }

    func testADeletionBehindOwnEditsIsInNoConflictWithThem() throws {
        try withNotes {
            try begin()
            try edit(title: "mine")
            try deleteNote()
            XCTAssertEqual(
                try flush(),
                [#"PATCH notes/1 {"title":"mine"} "v1" 200"#, #"DELETE notes/1 "v2" 204"#])
            XCTAssertEqual(try items(), [])
        }
    }

    func testADeletionOfAnObjectThatIsGoneIsDelivered() throws {
        try withNotes {
            try begin()
            try deleteNote()
            server.delete()
            try observeItems()
            XCTAssertEqual(try flush(), [#"DELETE notes/1 "v1" 404"#])
            XCTAssertEqual(told.withLock { $0 }, ["1 delivered 404"])
            XCTAssertEqual(try items(), [])
        }
    }

    func testAParkedDeletionIsSentAgainOrEnds() throws {
        for choice in [Conflict.Choice.mine, .theirs] {
            try withNotes {
                try begin()
                try deleteNote()
                server.change(#"{"text":"theirs"}"#)
                try flush()
                let conflict = try XCTUnwrap(conflicts().first)
                XCTAssertEqual(conflict.theirs?.text("text"), "theirs")
                conflict.choose(choice)
                try resolve(conflict)
                guard case .mine = choice else {
                    XCTAssertEqual(try flush(), [])
                    try checkSettled()
                    return
                }
                XCTAssertNil(try value("title"), "it is hidden again")
                XCTAssertEqual(try flush().last, #"DELETE notes/1 "v2" 204"#)
                XCTAssertNil(server.text())
                XCTAssertEqual(try items(), [])
            }
        }
    }

    func testADeletionWhoseVersionIsUnknownIsComparedWithTheValuesThatTheProgramHasSeen() throws {
        try withNotes {
            server.put(1, #"{"title":"base","text":"t"}"#)
            _ = try client.send(.get("notes")).wait(milliseconds: 0)
            try deleteNote()
            try reopen()
            server.change(#"{"text":"theirs"}"#)
            XCTAssertEqual(try flush(), ["GET notes/1 200"])
            XCTAssertEqual(try items(), ["1 parked"])
        }
    }
}
