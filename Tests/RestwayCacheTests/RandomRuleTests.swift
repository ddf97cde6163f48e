import RandomRounds
import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCache
@testable import RestwayRequests

/// Random answers and requests: whatever the decisions are, they keep the promises of a cache.
final class RandomRuleTests: XCTestCase {
    private var random = SeededRandom(seed: 1)

    private func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &random)! }

    private func number() -> Int64 {
        let any = Int64.random(in: 0...100, using: &random)
        return pick([0, 1, 5, 10, 60, 3_600, 1 << 31, .max, -5, any])
    }

    private func directives(_ names: [String]) -> String {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
            let name = pick(names)
            return pick([name, "\(name)=\(number())", "\(name)=\"\(number())\"", "\(name)=x", "\""])
        }.joined(separator: pick([",", ", ", ",,"]))
    }

    private func request() -> CacheRequest {
        var lines: [String] = []
        if pick([true, false]) {
            let names = [
                "max-age", "min-fresh", "max-stale", "no-cache", "no-store", "only-if-cached",
                "stale-if-error",
            ]
            lines.append("Cache-Control: " + directives(names))
        }
        if pick([true, false, false, false]) {
            lines.append(
                "Range: " + pick(["bytes=0-1", "bytes=5-", "bytes=-2", "bytes=9-99", "x"]))
        }
        if pick([true, false, false, false]) { lines.append("If-None-Match: \"1\"") }
        if pick([true, false]) { lines.append("X-A: \(pick(["1", "2"]))") }
        return CacheRequest(
            method: pick(["GET", "GET", "GET", "HEAD", "POST"]), url: Sample.url,
            headers: Sample.headers(lines),
            rules: Sample.rules {
                $0.lifetimeSeconds = pick([nil, nil, 0, 7])
                $0.staleWhileRevalidateSeconds = pick([nil, nil, 20])
                $0.staleIfErrorSeconds = pick([nil, nil, 30])
                $0.keepsUnsafe = pick([true, false, false])
            }, mode: pick(CacheMode.allCases + [.standard, .standard]))
    }

    /// Makes a kept answer; with a range, one that is this part of a body and can be combined.
    private func entry(part range: String? = nil) -> StoredHead {
        let names = [
            "max-age", "no-cache", "must-revalidate", "immutable", "public", "private",
            "stale-while-revalidate", "stale-if-error",
        ]
        var lines = ["Cache-Control: " + directives(names)]
        let dates = [
            "Tue, 06 Jan 2026 23:59:00 GMT", "Wed, 07 Jan 2026 00:00:00 GMT",
            "Wed, 07 Jan 2026 00:01:00 GMT", "Thursday, 08-Jan-26 00:00:00 GMT", "x",
        ]
        for name in ["Date", "Expires", "Last-Modified"] where pick([true, false]) {
            lines.append("\(name): \(pick(dates))")
        }
        if range != nil || pick([true, false]) {
            lines.append("ETag: \(range == nil ? pick(["\"1\"", "W/\"1\""]) : "\"1\"")")
        }
        if pick([true, false]) { lines.append("Age: \(number())") }
        if pick([true, false, false]) { lines.append("Vary: \(pick(["X-A", "X-B", "*"]))") }
        let isPart = range != nil || pick([true, false, false, false])
        if isPart {
            lines.append("Content-Range: bytes \(range ?? "0-9")/\(pick(["20", "10", "*"]))")
        }
        return StoredHead(
            answering: request(), status: isPart ? 206 : pick([200, 200, 404, 503]),
            httpVersion: 11, headers: Sample.headers(lines), url: Sample.url,
            requestTime: Sample.time(pick([-3, 0, 1])), responseTime: Sample.time(0),
            bodyLength: 10)
    }

    /// The latest age at which an entry may be given without a question to the server.
    private func oldest(_ entry: StoredHead, _ request: CacheRequest, _ lifetime: Int64) -> Int64 {
        let stated = entry.statements.directives.staleWhileRevalidate ?? 0
        var window = request.rules.staleWhileRevalidateSeconds ?? (entry.mustBeFresh ? 0 : stated)
        let asked = request.directives
        if !entry.mustBeFresh {
            let accepted =
                asked.flags.contains(.anyStaleness) ? CacheControl.secondsMax : asked.maxStale ?? -1
            window = max(window, accepted + 1)
        }
        return lifetime + window
    }

    func testNothingIsGivenThatMustNotBe() {
        var counts: [String: Int] = [:]
        for _ in 0..<rounds(12_000) {
            let (entry, request) = (entry(), request())
            let now = Sample.time(pick([-10, 0, 1, 9, 29, 61, 4_000, 1 << 33]))
            let decision = Reuse.decide(
                request, [entry], now: now, usesHeuristics: pick([true, false]))
            counts[decision.word.hasPrefix("part") ? "part" : decision.word, default: 0] += 1
            switch decision {
            case .serve(_, let age, let refreshes, let part):
                XCTAssertTrue(entry.suits(request))
                XCTAssertGreaterThanOrEqual(age.age, 0)
                XCTAssertGreaterThanOrEqual(age.lifetime, 0)
                XCTAssertFalse([.reload, .bypass].contains(request.mode))
                if let part {
                    XCTAssertLessThanOrEqual(part.last, entry.range?.last ?? 9)
                    XCTAssertGreaterThanOrEqual(part.first, entry.range?.first ?? 0)
                    XCTAssertGreaterThan(part.length, 0)
                }
                guard ![.only, .preferred].contains(request.mode) else { continue }
                XCTAssertLessThan(age.age, oldest(entry, request, age.lifetime))
                XCTAssertTrue(
                    request.mode == .validate || !request.directives.flags.contains(.noCache))
                XCTAssertEqual(refreshes && age.isFresh, false)
            case .validate(_, let fields, _):
                XCTAssertFalse(fields.isEmpty)
                XCTAssertFalse(request.staysOffline)
            case .send, .complete:
                XCTAssertFalse(request.mode == .only && request.isAnswerable)
            case .nothing:
                XCTAssertTrue(request.staysOffline)
            case .notModified:
                XCTAssertTrue(request.hasOwnCondition)
            }
        }
        // All kinds of decisions occur.
        for word in ["hit", "hit+refresh", "part", "304", "validate", "rest", "send", "nothing"] {
            XCTAssertGreaterThan(counts[word, default: 0], 0, word)
        }
    }

    func testNothingIsKeptThatMustNotBe() {
        var counts: [String: Int] = [:]
        for _ in 0..<rounds(12_000) {
            let request = request()
            let entries = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                entry(part: pick([nil, nil, "0-9"]))
            }
            let made = entry(part: pick([nil, nil, "10-19"]))
            let answer = StoredHead(
                answering: request, status: pick([made.status, 304]), httpVersion: 11,
                headers: made.headers, url: Sample.url, requestTime: Sample.time(5),
                responseTime: Sample.time(6), bodyLength: 10)
            let decision = Keeping.decide(
                request, answer, entries, asked: entries.isEmpty ? nil : 0, usesHeuristics: true)
            counts[decision.word, default: 0] += 1
            switch decision {
            case .keep(let head, let replaced):
                XCTAssertNotEqual(head.status, 304)
                XCTAssertFalse(request.directives.flags.contains(.noStore))
                XCTAssertFalse(request.passesBy)
                XCTAssertTrue(head.matches(request))
                XCTAssertTrue(replaced.allSatisfy { entries[$0].matches(request) })
            case .freshen(let index, let head):
                XCTAssertEqual(head.status, entries[index].status)
                XCTAssertEqual(head.bodyLength, entries[index].bodyLength)
                XCTAssertEqual(head.responseTime, Sample.time(6))
            case .combine(let index, let head, let prefix):
                XCTAssertEqual(head.bodyLength, prefix + 10)
                XCTAssertLessThanOrEqual(prefix, entries[index].bodyLength ?? 0)
            case .invalidate(let index):
                XCTAssertTrue(entries[index].matches(request))
            case .pass:
                break
            }
        }
        for word in ["keep", "freshen", "combine", "invalidate", "pass"] {
            XCTAssertGreaterThan(counts[word, default: 0], 0, word)
        }
    }
}
