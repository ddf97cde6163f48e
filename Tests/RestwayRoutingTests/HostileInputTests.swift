import Glibc
import RandomRounds
import RestwayText
import XCTest

@testable import RestwayRouting

final class HostileInputTests: XCTestCase {
    private static let alphabet = Array(
        "ab.:/\\{}?#%&,;+*=@[]-1 20eE\u{0}\u{7F}\n\u{E9}\u{301}\u{600}\u{1F600}"
            .unicodeScalars)

    private func randomText(_ generator: inout SeededGenerator) -> String {
        let length = Int.random(in: 0...24, using: &generator)
        if Bool.random(using: &generator) {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            return String(decoding: bytes, as: UTF8.self)
        }
        var scalars = String.UnicodeScalarView()
        for _ in 0..<length {
            scalars.append(Self.alphabet.randomElement(using: &generator) ?? "a")
        }
        return String(scalars)
    }

    func testRandomTemplatesPathsAndValuesNeverTrap() throws {
        var generator = SeededGenerator(state: 2026_1121)
        var parsed = 0
        for _ in 0..<rounds(20_000) {
            let template = try? PathTemplate(randomText(&generator))
            let path = randomText(&generator)
            guard let template else { continue }
            parsed += 1
            _ = template.match(path)
            let value = randomText(&generator)
            let values: [VariableValue] = [
                .string(value), .list([value, path]), .map([Pair(name: value, value: path)]),
            ]
            for value in values {
                for isAbsolute in [false, true] {
                    let text = try? template.expand(absolute: isAbsolute) { _ in value }
                    if let text, !isAbsolute { XCTAssertTrue(text.utf8.allSatisfy { $0 < 0x80 }) }
                }
            }
            _ = template.isEquivalent(to: template)
            _ = try? template.joining(PathTemplate(path))
        }
        XCTAssertGreaterThan(parsed, rounds(20_000) / 20)
    }

    func testRandomURLsNeverTrapAndStayAtTheirOrigin() throws {
        var generator = SeededGenerator(state: 7)
        let base = try BaseURL("https://h.example/api")
        for _ in 0..<rounds(20_000) {
            let text = randomText(&generator)
            if let url = try? base.url(path: text) {
                XCTAssertTrue(url.hasPrefix("https://h.example/api"), url)
                XCTAssertEqual(try Origin(url: url), base.origin)
                XCTAssertNotNil(base.relativePath(of: url), url)
            }
            if let url = try? URLText.resolve(text, against: "https://h.example/api/x") {
                XCTAssertEqual(try URLText.normalizedAbsolute(url), url)
            }
            if let url = try? URLText.normalizedAbsolute("http://" + text) {
                XCTAssertEqual(try URLText.normalizedAbsolute(url), url)
            }
            _ = URLText.redacted(text)
            _ = URLText.isAbsolute(text)
            _ = try? BaseURL(server: text, path: text, version: text)
        }
    }

    func testTenThousandSegmentsMatchAndExpand() throws {
        let text = (0..<10_000).map { ":v\($0)" }.joined(separator: "/")
        let template = try PathTemplate(text)
        let path = (0..<10_000).map(String.init).joined(separator: "/")
        XCTAssertEqual(template.match(path)?["v9999"], "9999")
        XCTAssertNil(template.match(path + "/x"))
        XCTAssertEqual(try template.expand { .string(String($0.dropFirst())) }, path)
        XCTAssertNil(try PathTemplate(":a").match(path))
        XCTAssertNil(try PathTemplate("a").match(String(repeating: "/", count: 1_000_000)))
    }

    func testALargeVariableGoesOutAndComesBack() throws {
        let value = String(repeating: "é/", count: 50_000)
        let template = try PathTemplate("a/{v}.json")
        let path = try template.expand(with: ["v": value])
        XCTAssertEqual(template.match(path), ["v": value])
        XCTAssertEqual(try BaseURL("http://h").url(path: path), "http://h/" + path)
    }

    func testMatchingTakesLinearTime() throws {
        let many = (0..<200).map { "{v\($0)}a" }.joined() + "b"
        let template = try PathTemplate(many)
        try assertWorkGrowsLinearly { scale in
            let length = 12_000 * scale
            let repeating = try PathTemplate(
                "{x}" + String(repeating: "a", count: length / 2) + "b{y}")
            let path = String(repeating: "a", count: length)
            return {
                XCTAssertNil(template.match(path))
                XCTAssertNil(repeating.match(path))
            }
        }
    }

    func testManyVariablesInOneSegmentExpandInLinearTime() throws {
        try assertWorkGrowsLinearly { scale in
            let count = 2_500 * scale
            let text = String(repeating: "{a}", count: count)
            let template = try PathTemplate(text + "x/" + text + "/y")
            return {
                XCTAssertEqual(
                    try template.expand { _ in .string("q") }.utf8.count, 2 * count + 4)
                XCTAssertThrowsError(try template.expand { _ in .string("") })
            }
        }
    }
}

/// Asserts that eight times the input takes at most three times eight times the work; with
/// quadratic work it would be 64 times. Work is this thread's CPU time, the least of three runs, so
/// that neither other programs nor the speed of the build matter.
private func assertWorkGrowsLinearly(
    _ prepare: (_ scale: Int) throws -> () throws -> Void, line: UInt = #line
) throws {
    func work(_ scale: Int) throws -> Int {
        let run = try prepare(scale)
        return try (0..<3).map { _ in
            let start = threadNanoseconds()
            try run()
            return threadNanoseconds() - start
        }.min() ?? 0
    }
    XCTAssertLessThan(try work(8), 24 * (try work(1)), line: line)
}

private func threadNanoseconds() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return now.tv_sec * 1_000_000_000 + now.tv_nsec
}
