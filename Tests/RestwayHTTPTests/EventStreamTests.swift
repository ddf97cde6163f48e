import XCTest

@testable import RestwayHTTP

/// Tests the parsers of event streams. Every body is also fed in other pieces, which must not
/// change the events.
final class EventStreamTests: XCTestCase {
    private struct Event: Equatable {
        var name = "message"
        var id = ""
        var data = ""
        var isTruncated = false
    }

    /// The events and values that a parser has read from a body.
    private struct Outcome: Equatable {
        var events: [Event] = []
        var lastEventID = ""
        var reconnection: Int64?
        var isTooLarge = false
    }

    private func parse(
        _ pieces: [ArraySlice<UInt8>], _ format: EventStreamFormat, lastEventID: String,
        bytesMax: Int
    ) -> Outcome {
        var parser = format.parser(lastEventID: lastEventID, bytesMax: bytesMax)
        var outcome = Outcome()
        func take(_ batch: inout EventBatch) {
            let events = batch.events
            outcome.events += batch.withData(paddingCount: 0) { data in
                events.map { event in
                    Event(
                        name: event.name, id: event.id,
                        data: String(decoding: data[event.range], as: UTF8.self),
                        isTruncated: event.isTruncated)
                }
            }
            batch.removeAll()
        }
        var batch = EventBatch()
        do throws(EventTooLarge) {
            for piece in pieces {
                // Each piece has its own memory, as in a transport.
                let piece = Array(piece)
                let fed: Result<Void, EventTooLarge> = piece.withUnsafeBytes { bytes in
                    Result { () throws(EventTooLarge) in
                        try parser.feed(bytes, into: &batch)
                    }
                }
                take(&batch)
                try fed.get()
            }
            parser.end(into: &batch)
            take(&batch)
        } catch {
            XCTAssertEqual(error.bytesMax, bytesMax)
            outcome.isTooLarge = true
        }
        outcome.lastEventID = parser.lastEventID
        outcome.reconnection = parser.reconnectionMilliseconds
        return outcome
    }

    /// Parses a body as a whole, and checks that other pieces give the same events.
    private func parse(
        _ body: [UInt8], _ format: EventStreamFormat = .events, lastEventID: String = "",
        bytesMax: Int = 1_000, line: UInt = #line
    ) -> Outcome {
        let whole = parse([body[...]], format, lastEventID: lastEventID, bytesMax: bytesMax)
        let bytes = body.indices.map { body[$0..<$0 + 1] }
        XCTAssertEqual(
            parse(bytes, format, lastEventID: lastEventID, bytesMax: bytesMax), whole,
            "byte by byte: \(body)", line: line)
        for cut in 0...body.count {
            XCTAssertEqual(
                parse(
                    [body[..<cut], [], body[cut...]], format, lastEventID: lastEventID,
                    bytesMax: bytesMax),
                whole, "cut at \(cut): \(body)", line: line)
        }
        return whole
    }

    private func parse(
        _ body: String, _ format: EventStreamFormat = .events, lastEventID: String = "",
        bytesMax: Int = 1_000, line: UInt = #line
    ) -> Outcome {
        parse(
            Array(body.utf8), format, lastEventID: lastEventID, bytesMax: bytesMax, line: line)
    }

    private func data(
        _ body: String, _ format: EventStreamFormat = .events, line: UInt = #line
    ) -> [String] {
        parse(body, format, line: line).events.map(\.data)
    }

    // MARK: The examples of WHATWG HTML, section 9.2.6

    func testDataOfSeveralLinesIsJoined() {
        XCTAssertEqual(
            parse("data: YHOO\ndata: +2\ndata: 10\n\n").events, [Event(data: "YHOO\n+2\n10")])
    }

    func testCommentsAndIDsAndAnEndWithoutAnEmptyLine() {
        let outcome = parse(
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\n"
                + "data:  third event\n")
        XCTAssertEqual(
            outcome.events, [Event(id: "1", data: "first event"), Event(data: "second event")])
        XCTAssertEqual(outcome.lastEventID, "")
    }

    func testAnEmptyDataFieldIsAnEventAndTheIncompleteLastOneIsNone() {
        XCTAssertEqual(data("data\n\ndata\ndata\n\ndata:"), ["", "\n"])
    }

    func testOneSpaceAfterTheColonIsIgnored() {
        XCTAssertEqual(
            data("data:test\n\ndata: test\n\ndata:  test\n\n"), ["test", "test", " test"])
    }

    // MARK: Lines

    func testLinesEndWithAnyOfTheThreeEnds() {
        for end in ["\n", "\r", "\r\n"] {
            let body = ["data: a", "data: b", "", "data: c", "", ""].joined(separator: end)
            XCTAssertEqual(data(body), ["a\nb", "c"], end.debugDescription)
        }
        XCTAssertEqual(data("data: a\r\n\rdata: b\n\r\ndata: c\r\r\n"), ["a", "b", "c"])
        XCTAssertEqual(data("data:1\rdata:2\r\ndata:3\n\n"), ["1\n2\n3"])
    }

    func testAByteOrderMarkIsSkippedOnceAtTheStart() {
        let mark = "\u{FEFF}"
        XCTAssertEqual(data("\(mark)data: a\n\n"), ["a"])
        XCTAssertEqual(data("\(mark)\(mark)data: a\n\ndata: b\n\n"), ["b"])
        XCTAssertEqual(data("data: a\n\n\(mark)data: b\n\n"), ["a"])
        XCTAssertEqual(data("\(mark)\ndata: a\n\n"), ["a"])
        XCTAssertEqual(
            parse([0xEF, 0xBB] + Array("data: a\n\ndata: b\n\n".utf8)).events.map(\.data), ["b"])
    }

    // MARK: Fields

    func testOnlyFieldsWithTheirExactNamesCount() {
        XCTAssertEqual(
            data("data:a\nDATA:b\ndatas:c\nda ta:d\n data:e\ndata :f\nfoobar:g\n:data:h\n\n"), ["a"]
        )
    }

    func testANullCharacterIsDataLikeAnyOther() {
        XCTAssertEqual(data("data:\0\n\n\0data:b\n\ndata\0:c\n\n"), ["\0"])
    }

    func testTheNameOfAnEventIsForgottenAfterIt() {
        XCTAssertEqual(
            parse(
                "event:test\ndata:x\n\ndata:x\n\nevent: a\nevent: b\ndata:y\n\nevent:\ndata:z\n\n"
            )
            .events,
            [
                Event(name: "test", data: "x"), Event(data: "x"), Event(name: "b", data: "y"),
                Event(data: "z"),
            ])
    }

    func testAnEventWithoutDataIsNoneAndItsNameIsForgotten() {
        XCTAssertEqual(parse("event:a\n\ndata:x\n\n").events, [Event(data: "x")])
    }

    func testAnIDStaysUntilAnotherComes() {
        let outcome = parse("id: 1\ndata:a\n\ndata:b\n\nid: 2\n\ndata:c\n\nid\ndata:d\n\n")
        XCTAssertEqual(
            outcome.events,
            [
                Event(id: "1", data: "a"), Event(id: "1", data: "b"), Event(id: "2", data: "c"),
                Event(data: "d"),
            ])
    }

    func testAnIDWithANullCharacterIsIgnored() {
        let outcome = parse("id: 1\ndata:a\n\nid: 2\0\ndata:b\n\n")
        XCTAssertEqual(outcome.events.map(\.id), ["1", "1"])
        XCTAssertEqual(outcome.lastEventID, "1")
    }

    func testAnIDOfAnEventThatDidNotComeWholeDoesNotCount() {
        XCTAssertEqual(parse("id: 1\ndata:a\n\nid: 2\ndata:b\n").lastEventID, "1")
        XCTAssertEqual(parse("id: 2\n\n").lastEventID, "2", "although there is no data")
    }

    func testTheIDOfTheStreamBeforeStays() {
        let outcome = parse("data:a\n\n", lastEventID: "7")
        XCTAssertEqual(outcome.events, [Event(id: "7", data: "a")])
        XCTAssertEqual(outcome.lastEventID, "7")
        XCTAssertEqual(parse("", lastEventID: "7").lastEventID, "7")
    }

    func testOnlyDigitsAreAReconnectionTime() {
        XCTAssertNil(parse("data:a\n\n").reconnection)
        XCTAssertEqual(parse("retry:500\n").reconnection, 500)
        XCTAssertEqual(
            parse("retry: 03000\nretry:1x\nretry\nretry:-1\nretry:1.5\n").reconnection, 3_000)
        XCTAssertEqual(parse("retry:0\n").reconnection, 0)
        XCTAssertEqual(parse("retry: 99999999999999999999999999\n").reconnection, 86_400_000)
    }

    func testTextThatIsNoUTF8IsRepairedInNames() {
        let outcome = parse(Array("event: a".utf8) + [0xFF] + Array("\ndata: b\n\n".utf8))
        XCTAssertEqual(outcome.events, [Event(name: "a\u{FFFD}", data: "b")])
    }

    // MARK: Bounds

    func testAnEventAtTheBoundIsTakenAndALargerOneIsAnError() {
        let ten = String(repeating: "x", count: 10)
        var outcome = parse("data:\(ten)\n\n", bytesMax: 15)
        XCTAssertEqual(outcome.events, [Event(data: ten)])
        outcome = parse("data:a\n\ndata:\(ten)x\n\n", bytesMax: 15)
        XCTAssertEqual(outcome, Outcome(events: [Event(data: "a")], isTooLarge: true))
        XCTAssertTrue(parse("data:\(ten)\ndata:abcde\n\n", bytesMax: 15).isTooLarge)
        XCTAssertTrue(parse(":\(ten)\(ten)", bytesMax: 15).isTooLarge, "a line without an end")
    }

    // MARK: JSON lines

    func testEachLineIsATextAndTheLastNeedsNoEnd() {
        XCTAssertEqual(
            data("{\"a\":1}\n\n  \r\n[2]\r\n\"\\n\"\n3", .lines),
            ["{\"a\":1}", "[2]", "\"\\n\"", "3"])
        XCTAssertEqual(data("", .lines), [])
        XCTAssertEqual(data("\n", .lines), [])
        XCTAssertEqual(data("1\n", .lines), ["1"])
    }

    func testALineBeyondTheBoundIsAnError() {
        XCTAssertEqual(
            parse("12345\n123456\n1\n", .lines, bytesMax: 5),
            Outcome(events: [Event(data: "12345")], isTooLarge: true))
    }

    // MARK: JSON sequences (RFC 7464)

    func testATextFollowsEachSeparator() {
        XCTAssertEqual(
            data(
                "\u{1E}{\"a\":[1,\n\"}\\\"\"]}\n\u{1E}\u{1E}\"x\"\n\u{1E} [2]\n\u{1E}12\n",
                .sequence),
            ["{\"a\":[1,\n\"}\\\"\"]}", "\"x\"", "[2]", "12"])
        XCTAssertEqual(data("", .sequence), [])
        XCTAssertEqual(data("\u{1E}\n\u{1E}", .sequence), [])
    }

    func testATruncatedTextIsMarkedAndTheNextOneIsRead() {
        let truncated = { Event(data: $0, isTruncated: true) }
        XCTAssertEqual(
            parse("\u{1E}{\"a\":[1,\u{1E}{}\n\u{1E}\"ab\u{1E}[3]\u{1E}12", .sequence).events,
            [
                truncated("{\"a\":[1,"), Event(data: "{}"), truncated("\"ab"), Event(data: "[3]"),
                truncated("12"),
            ])
        XCTAssertEqual(
            parse("\u{1E}tru\u{1E}true\n\u{1E}1 ", .sequence).events,
            [truncated("tru"), Event(data: "true"), Event(data: "1")],
            "white space shows that a number or a literal is whole")
    }

    func testTextThatBelongsToNoSeparatorIsMarked() {
        XCTAssertEqual(
            parse(" [0]\n\u{1E}[1] [2]\n\u{1E}[3]\n", .sequence).events,
            [
                Event(data: "[0]\n", isTruncated: true), Event(data: "[1]"),
                Event(data: "[2]\n", isTruncated: true), Event(data: "[3]"),
            ])
    }

    func testATextIsAnEventBeforeTheNextSeparatorComes() throws {
        var parser = EventStreamFormat.sequence.parser(lastEventID: "", bytesMax: 100)
        var batch = EventBatch()
        try Array("\u{1E}{}".utf8).withUnsafeBytes { try parser.feed($0, into: &batch) }
        XCTAssertEqual(batch.events.count, 1)
    }

    func testATextBeyondTheBoundIsAnError() {
        XCTAssertEqual(
            parse("\u{1E}[123]\n\u{1E}[1234]\n", .sequence, bytesMax: 5),
            Outcome(events: [Event(data: "[123]")], isTooLarge: true))
    }

    // MARK: Random bodies

    func testRandomBodiesGiveTheSameEventsInAnyPieces() {
        var random = SystemRandomNumberGenerator()
        let alphabets: [(EventStreamFormat, [String])] = [
            (
                .events,
                [
                    "data", "id", "event", "retry", ":", " ", "\r", "\n", "\r\n", "\u{FEFF}",
                    "1", "\0", "é",
                ]
            ),
            (.lines, ["{}", "1", "\r", "\n", " ", "\"a\""]),
            (.sequence, ["\u{1E}", "{", "}", "[", "]", "\"", "\\", "1", "\n", "true", " "]),
        ]
        for _ in 0..<150 {
            for (format, alphabet) in alphabets {
                let words = (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    alphabet.randomElement(using: &random)!
                }
                _ = parse(words.joined(), format, bytesMax: 20)
            }
        }
    }

    // MARK: Heads

    private func opening(
        _ status: Int, _ type: String?, _ format: EventStreamFormat? = nil
    ) -> EventStreamOpening {
        let fields = type.map { [HeaderField(name: "Content-Type", value: $0)] } ?? []
        return EventStreamOpening(
            ResponseHead(status: status, headers: Headers(fields), url: "http://a/"), format)
    }

    func testTheMediaTypeDecidesUnlessAFormatIsAskedFor() {
        XCTAssertEqual(opening(200, "text/event-stream"), .events(.events))
        XCTAssertEqual(opening(200, "Text/Event-Stream;charset=utf-8"), .events(.events))
        XCTAssertEqual(opening(200, "application/x-ndjson"), .events(.lines))
        XCTAssertEqual(opening(201, "application/jsonl"), .events(.lines))
        XCTAssertEqual(opening(200, "application/json-seq"), .events(.sequence))
        XCTAssertEqual(opening(200, "application/geo+json-seq"), .events(.sequence))
        XCTAssertEqual(opening(200, "text/plain", .lines), .events(.lines))
        XCTAssertEqual(opening(200, nil, .sequence), .events(.sequence))
        XCTAssertEqual(opening(204, nil), .nothing)
        XCTAssertEqual(opening(205, nil, .events), .nothing)
    }

    func testAnotherTypeOrStatusIsRefused() {
        XCTAssertEqual(
            opening(200, "text/html", .events),
            .refused("expected text/event-stream, the server sent text/html"))
        XCTAssertEqual(
            opening(200, nil),
            .refused(
                "expected text/event-stream, application/x-ndjson, application/ndjson, "
                    + "application/jsonl, application/json-seq, the server sent nothing"))
        XCTAssertEqual(
            opening(201, "text/event-stream"),
            .refused("an event stream has status 200, the server sent 201"))
        guard case .refused = opening(200, "application/jsonl", .events) else {
            return XCTFail("lines are no Server-Sent Events")
        }
    }
}
