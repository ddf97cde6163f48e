import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCurl

/// A parser is used for one response after the other: nothing of an earlier one may show.
final class HeadParserTests: XCTestCase {
    private func consume(_ lines: [String], with parser: inout HeadParser) -> [String] {
        lines.map { line in
            let step = Array(line.utf8).withUnsafeBufferPointer { parser.consume($0) }
            switch step {
            case .more: return "more"
            case .failed(_, let message): return message
            case .head(let status, let headers, let version):
                let fields = headers.fields.map { "\($0.name)=\($0.value)" }
                return "\(version) \(status) \(fields)"
            }
        }
    }

    private func head(_ fields: [String]) -> [String] {
        ["HTTP/1.1 200 OK\r\n"] + fields.map { "\($0)\r\n" } + ["\r\n"]
    }

    private func assertReadAsAlone(_ heads: [[String]], line: UInt = #line) {
        var parser = HeadParser()
        for head in heads {
            var alone = HeadParser()
            XCTAssertEqual(
                consume(head, with: &parser), consume(head, with: &alone), "\(heads)", line: line)
            XCTAssertEqual(parser.takeTrailers(), alone.takeTrailers(), line: line)
            parser.reset()
        }
    }

    func testAHeadIsReadAsIfItWereTheFirst() {
        assertReadAsAlone([head(["A: 1", "B: 2"]), head(["A: 1", "B: 2"]), head(["A: 1"])])
        assertReadAsAlone([head(["A: 1"]), head(["A: 1", "B: 2"]), head(["B: 2", "A: 1"])])
        assertReadAsAlone([head(["A: 1", "B: 2"]), head(["A: 9", "B: 2"]), head([])])
        assertReadAsAlone([head(["A: 1", "B: 2"]), head([]), head(["B: 2"])])
    }

    func testTwoLengthsAreFoundWhereverTheSecondStands() {
        let one = "Content-Length: 10"
        let other = "Content-Length: 20"
        let filler = "X-Filler: 1234567890"
        assertReadAsAlone([head([one, one]), head([other, one])])
        assertReadAsAlone([head([filler, one]), head([other, one]), head([filler, one])])
        assertReadAsAlone([head([one, filler]), head([one, other]), head([one, filler])])
        assertReadAsAlone([head([one, filler]), head([other, filler]), head([other, one])])
    }

    func testAFoldedValueDoesNotStayBehind() {
        assertReadAsAlone([head(["A: 1", " more", "B: 2"]), head(["A: 1", "B: 2"])])
        // The head never ended.
        assertReadAsAlone([Array(head(["A: 1", " more"]).dropLast()), head(["A: 1"])])
    }

    func testAHeadHandedOutStaysAsItWas() throws {
        var parser = HeadParser()
        var first: Headers?
        for text in head(["A: 1", "B: 2"]) {
            let step = Array(text.utf8).withUnsafeBufferPointer { parser.consume($0) }
            if case .head(_, let headers, _) = step { first = headers }
        }
        parser.reset()
        _ = consume(head(["A: 9", "B: 2"]), with: &parser)
        XCTAssertEqual(try XCTUnwrap(first)[first: "A"], "1")
    }

    func testAnySequenceOfHeadsIsReadAsIfEachWereTheFirst() {
        let lines = [
            "A: 1", "A: 2", "B: 1", "Long-Name: a value that is no short string", " folded", "\tx",
            "Content-Length: 10", "Content-Length: 20", "content-length: 10", "Content-Length: x",
            "no name", ": empty", "HTTP/1.1 200 OK", "HTTP/1.1 100 Continue", "HTTP/2 404", "",
        ]
        var random = SeededRandom(seed: 7)
        for _ in 0..<2_000 {
            let heads = (0..<4).map { _ in
                let status = ["HTTP/1.1 200 OK", "HTTP/2 204", "HTTP/1.1 103 Early Hints"]
                    .randomElement(using: &random)!
                let fields = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    lines.randomElement(using: &random)!
                }
                return ([status] + fields + [""]).map { "\($0)\r\n" }
            }
            assertReadAsAlone(heads)
        }
    }
}
