import RestwayCalls
import RestwayDocument
import RestwayHTTP
import XCTest

@testable import RestwayCache
@testable import RestwayRequests

/// What the RFCs say about answers that are kept, case by case.
final class ReuseTests: XCTestCase {
    private struct Row {
        let section: String
        let entry: StoredHead
        let request: CacheRequest
        let seconds: Int64
        let word: String

        init(
            _ section: String, _ entry: StoredHead, after seconds: Int64,
            _ request: CacheRequest, _ word: String
        ) {
            self.section = section
            self.entry = entry
            self.request = request
            self.seconds = seconds
            self.word = word
        }

        init(_ section: String, _ entry: StoredHead, after seconds: Int64, _ word: String) {
            self.init(section, entry, after: seconds, Sample.get(), word)
        }
    }

    private func check(
        _ rows: [Row], usesHeuristics: Bool = false, file: StaticString = #filePath,
        line: UInt = #line
    ) {
        for (index, row) in rows.enumerated() {
            let decision = Reuse.decide(
                row.request, [row.entry], now: Sample.time(row.seconds),
                usesHeuristics: usesHeuristics)
            XCTAssertEqual(
                decision.word, row.word, "row \(index), section \(row.section)", file: file,
                line: line)
        }
    }

    func testLifetimes() {
        let date = "Date: Wed, 07 Jan 2026 00:00:00 GMT"
        let later = "Expires: Wed, 07 Jan 2026 00:00:10 GMT"
        check([
            Row("4.2.1", Sample.answer("Cache-Control: max-age=10"), after: 9, "hit"),
            Row("4.2.1", Sample.answer("Cache-Control: max-age=10"), after: 10, "send"),
            Row("4.2.1", Sample.answer(date, later), after: 9, "hit"),
            Row("4.2.1", Sample.answer(date, later), after: 10, "send"),
            Row("5.3", Sample.answer(date, later, "Cache-Control: max-age=20"), after: 15, "hit"),
            Row("5.3", Sample.answer(date, later, "Cache-Control: max-age=0"), after: 1, "send"),
            Row("5.3", Sample.answer(date, "Expires: 0"), after: 0, "send"),
            Row("5.3", Sample.answer("Date: today", later), after: 9, "hit"),
            Row("4.2.1", Sample.answer(date, later, "Expires: never"), after: 1, "send"),
            Row("4.2.1", Sample.answer(date), after: 0, "send"),
            // A private cache does not know `s-maxage` (5.2.2.10).
            Row("5.2.2.10", Sample.answer("Cache-Control: s-maxage=10"), after: 1, "send"),
            Row("5.2.2.7", Sample.answer("Cache-Control: private, max-age=10"), after: 1, "hit"),
        ])
    }

    func testAges() {
        let fresh = "Cache-Control: max-age=100"
        let date = "Date: Wed, 07 Jan 2026 00:00:00 GMT"
        check([
            Row("4.2.3", Sample.answer(fresh, "Age: 95"), after: 4, "hit"),
            Row("4.2.3", Sample.answer(fresh, "Age: 95"), after: 5, "send"),
            Row("4.2.3", Sample.answer(fresh, date, arrival: 50), after: 99, "hit"),
            Row("4.2.3", Sample.answer(fresh, date, arrival: 50), after: 100, "send"),
            Row("4.2.3", Sample.answer(fresh, "Age: 95", delay: 5), after: 0, "send"),
            Row("5.1", Sample.answer(fresh, "Age: 95, 0"), after: 6, "send"),
            Row("5.1", Sample.answer(fresh, "Age: 0", "Age: 95"), after: 6, "hit"),
            Row("5.1", Sample.answer(fresh, "Age: -95"), after: 6, "hit"),
            Row("5.1", Sample.answer(fresh, "Age: 95.5"), after: 6, "hit"),
            Row("1.2.2", Sample.answer(fresh, "Age: 99999999999999999999"), after: 0, "send"),
        ])
    }

    func testAnEntryWhoseAgeIsUnknownBecauseTheClockWentBackIsValidated() {
        let entry = Sample.answer(
            "Cache-Control: max-age=100, stale-while-revalidate=100", "ETag: \"1\"")
        let any = Sample.get("Cache-Control: max-stale")
        check([
            // The small corrections of a clock.
            Row("4.2.3", entry, after: -1, "hit"),
            Row("4.2.3", entry, after: -2, "validate"),
            Row("4.2.3", entry, after: -86_400, any, "validate"),
            Row("4.2.3", entry, after: -86_400, Sample.get(mode: .only), "hit"),
            Row("4.2.3", Sample.answer("Cache-Control: max-age=100"), after: -2, "send"),
        ])
    }

    func testHeuristics() {
        let lines = [
            "Date: Wed, 07 Jan 2026 00:00:00 GMT", "Last-Modified: Tue, 06 Jan 2026 23:58:20 GMT",
        ]
        func entry(_ more: String..., status: Int = 200) -> StoredHead {
            StoredHead(
                answering: Sample.get(), status: status, httpVersion: 11,
                headers: Sample.headers(lines + more), url: Sample.url,
                requestTime: Sample.time(0), responseTime: Sample.time(0), bodyLength: 1)
        }
        let rows = [
            Row("4.2.2", entry(), after: 9, "hit"),
            Row("4.2.2", entry(), after: 10, "validate"),
            Row("4.2.2", entry("Cache-Control: max-age=5"), after: 6, "validate"),
            Row("4.2.2", entry(status: 404), after: 9, "hit"),
            Row("4.2.2", entry(status: 503), after: 9, "validate"),
            Row("4.2.2", entry("Cache-Control: public", status: 503), after: 9, "hit"),
        ]
        check(rows, usesHeuristics: true)
        for row in rows where row.section == "4.2.2" {
            let decision = Reuse.decide(
                row.request, [row.entry], now: Sample.time(6), usesHeuristics: false)
            XCTAssertEqual(decision.word, "validate")
        }
        let old = Sample.answer(
            "Date: Wed, 07 Jan 2026 00:00:00 GMT", "Last-Modified: Mon, 07 Jan 2019 00:00:00 GMT")
        XCTAssertEqual(old.lifetime(usesHeuristics: true), Statements.likelyLifetimeMax)
    }

    func testDirectivesOfAnswers() {
        let tag = "ETag: \"1\""
        func entry(_ directives: String) -> StoredHead {
            Sample.answer("Cache-Control: \(directives)", tag)
        }
        check([
            Row("5.2.2.4", entry("max-age=10, no-cache"), after: 1, "validate"),
            Row("5.2.2.4", entry("max-age=10, No-Cache"), after: 1, "validate"),
            Row("5.2.2.4", entry("max-age=10, no-cache=\"X-A\""), after: 1, "hit"),
            Row("5.2.2.2", entry("max-age=10, must-revalidate"), after: 1, "hit"),
            Row("5.2.2.2", entry("max-age=10, must-revalidate"), after: 11, "validate"),
            Row("4.2.1", entry("max-age=10, max-age=10"), after: 1, "hit"),
            Row("4.2.1", entry("max-age=10, max-age=20"), after: 1, "validate"),
            Row("4.2.1", entry("max-age=x"), after: 1, "validate"),
            Row("4.2.1", entry("max-age='10'"), after: 1, "validate"),
            Row("5.2", entry("max-age=\"10\""), after: 1, "hit"),
            Row("5.2", entry("x=\"max-age=99\", max-age=10"), after: 11, "validate"),
            Row("5.2", entry("x=\"max-age=99, no-cache, max-age=10"), after: 1, "validate"),
            Row("1.2.2", entry("max-age=99999999999999999999"), after: 2_000_000_000, "hit"),
            Row(
                "8246", entry("max-age=10, immutable"), after: 1, Sample.get(mode: .validate),
                "hit"),
            Row("8246", entry("max-age=10, immutable"), after: 11, "validate"),
        ])
    }

    func testDirectivesOfRequests() {
        let entry = Sample.answer("Cache-Control: max-age=10", "ETag: \"1\"")
        let strict = Sample.answer("Cache-Control: max-age=10, must-revalidate", "ETag: \"1\"")
        func asking(_ directives: String) -> CacheRequest {
            Sample.get("Cache-Control: \(directives)")
        }
        check([
            Row("5.2.1.1", entry, after: 5, asking("max-age=5"), "hit"),
            Row("5.2.1.1", entry, after: 6, asking("max-age=5"), "validate"),
            Row("5.2.1.1", entry, after: 0, asking("max-age=0"), "validate"),
            Row("5.2.1.2", entry, after: 15, asking("max-stale"), "hit"),
            Row("5.2.1.2", entry, after: 15, asking("max-stale=5"), "hit"),
            Row("5.2.1.2", entry, after: 16, asking("max-stale=5"), "validate"),
            Row("5.2.1.2", entry, after: 15, asking("max-stale=x"), "validate"),
            Row("5.2.2.2", strict, after: 15, asking("max-stale"), "validate"),
            Row("5.2.1.3", entry, after: 5, asking("min-fresh=5"), "hit"),
            Row("5.2.1.3", entry, after: 6, asking("min-fresh=5"), "validate"),
            Row("5.2.1.4", entry, after: 1, asking("no-cache"), "validate"),
            Row("5.4", entry, after: 1, Sample.get("Pragma: no-cache"), "validate"),
            Row(
                "5.4", entry, after: 1, Sample.get("Pragma: no-cache", "Cache-Control: max-age=9"),
                "hit"),
            Row("5.2.1.7", entry, after: 1, asking("only-if-cached"), "hit"),
            Row("5.2.1.7", entry, after: 11, asking("only-if-cached"), "nothing"),
            Row("5.2.1.7", entry, after: 11, asking("only-if-cached, max-stale"), "hit"),
        ])
    }

    func testModes() {
        let entry = Sample.answer("Cache-Control: max-age=10, must-revalidate", "ETag: \"1\"")
        let words: [CacheMode: (fresh: String, stale: String, missing: String)] = [
            .standard: ("hit", "validate", "send"), .reload: ("send", "send", "send"),
            .validate: ("validate", "validate", "send"), .bypass: ("send", "send", "send"),
            .only: ("hit", "hit", "nothing"), .preferred: ("hit", "hit", "send"),
        ]
        for mode in CacheMode.allCases {
            let request = Sample.get(mode: mode)
            let found = [1, 11].map {
                Reuse.decide(
                    request, [entry], now: Sample.time($0), usesHeuristics: false
                ).word
            }
            XCTAssertEqual(found, [words[mode]!.fresh, words[mode]!.stale], "\(mode)")
            let missing = Reuse.decide(request, [], now: 0, usesHeuristics: false)
            XCTAssertEqual(missing.word, words[mode]!.missing, "\(mode)")
            let invalid = Sample.invalid(entry)
            let word = Reuse.decide(
                request, [invalid], now: Sample.time(1), usesHeuristics: false
            ).word
            XCTAssertNotEqual(word, "hit", "\(mode)")
        }
        XCTAssertEqual(
            Sample.get(mode: .validate).directivesForOthers.map(\.value), ["max-age=0"])
        XCTAssertEqual(
            Sample.get("Cache-Control: x", mode: .reload).directivesForOthers, [])
    }

    func testReasonsToAskTheServer() {
        let entry = Sample.answer("Cache-Control: max-age=10", "Vary: X-A")
        func decide(_ request: CacheRequest, _ seconds: Int64) -> Reuse {
            Reuse.decide(request, [entry], now: Sample.time(seconds), usesHeuristics: false)
        }
        XCTAssertEqual(decide(Sample.get(), 11), .send(.stale))
        XCTAssertEqual(decide(Sample.get("Cache-Control: no-cache"), 1), .send(.request))
        XCTAssertEqual(decide(Sample.get("X-A: 1"), 1), .send(.varyMiss))
        XCTAssertEqual(decide(Sample.get(method: "DELETE"), 1), .send(.method))
        XCTAssertEqual(decide(Sample.get(mode: .bypass), 1), .send(.bypass))
        let bypassed = Sample.get(rules: Sample.rules { $0.isBypassed = true })
        XCTAssertEqual(decide(bypassed, 1), .send(.bypass))
        XCTAssertEqual(
            Reuse.decide(Sample.get(), [], now: 0, usesHeuristics: true), .send(.uriMiss))
    }

    func testVaryKeepsNoCredential() {
        let request = Sample.get(
            "Authorization: Bearer secret", "Cookie: a=secret", "Accept-Encoding: gzip")
        let entry = Sample.answer(
            "Vary: Authorization, Cookie, Accept-Encoding", to: request)
        XCTAssertEqual(entry.selecting.map(\.name), ["authorization", "cookie", "accept-encoding"])
        XCTAssertEqual(entry.selecting.last?.value, "gzip")
        XCTAssertTrue(entry.selecting.prefix(2).allSatisfy { $0.value.utf8.count == 64 })
        XCTAssertTrue(entry.matches(request))
        XCTAssertFalse(
            entry.matches(
                Sample.get(
                    "Authorization: Bearer secret", "Cookie: a=other", "Accept-Encoding: gzip")))
    }

    func testVary() {
        let lines = "Cache-Control: max-age=10"
        func row(
            _ vary: String, _ old: String, _ new: String, _ word: String, _ more: String = "X: y"
        ) -> Row {
            let first = Sample.get(old)
            return Row(
                "4.1", Sample.answer(lines, "Vary: \(vary)", more, to: first), after: 1,
                Sample.get(new), word)
        }
        check([
            row("X-A", "X-A: 1", "X-A: 1", "hit"),
            row("X-A", "X-A: 1", "X-A: 2", "send"),
            row("x-a", "X-A: 1", "x-A: 1", "hit"),
            row("X-A", "X-B: 1", "X-B: 2", "hit"),
            row("X-A", "X-A: 1", "X-B: 1", "send"),
            row("X-A", "X-B: 1", "X-A: ", "send"),
            row("X-A", "X-A: 1,2", "X-A: 1 , 2", "hit"),
            row("X-A", "X-A: \"1, 2\"", "X-A: \"1,2\"", "send"),
            row("*", "X-A: 1", "X-A: 1", "send"),
            row(", *", "X-A: 1", "X-A: 1", "send"),
            row("Accept-Language", "Accept-Language: en, de", "Accept-Language: DE,en", "hit"),
            row(
                "Accept-Language", "Accept-Language: en, de",
                "Accept-Language: fr;q=0.5, de", "hit", "Content-Language: de"),
            row(
                "Accept-Language", "Accept-Language: en, de",
                "Accept-Language: fr, de", "send", "Content-Language: de"),
            row(
                "Accept-Language", "Accept-Language: en, de",
                "Accept-Language: fr, de;q=0.9", "send", "Content-Language: de"),
            row(
                "Accept-Language", "Accept-Language: en, de", "Accept-Language: *", "send",
                "Content-Language: de"),
            row(
                "Accept-Language", "Accept-Language: en, de", "Accept-Language: de;q=2", "send",
                "Content-Language: de"),
        ])
        let joined = Sample.get("X-A: 1, 2")
        let entry = Sample.answer(lines, "Vary: X-A", to: joined)
        XCTAssertTrue(entry.matches(Sample.get("X-A: 1", "X-A: 2")))
    }

    func testStaleAnswersWhileAndIfAndOffline() {
        let entry = Sample.answer(
            "Cache-Control: max-age=10, stale-while-revalidate=5, stale-if-error=20")
        let strict = Sample.answer(
            "Cache-Control: max-age=10, stale-while-revalidate=5, stale-if-error=20, "
                + "must-revalidate")
        let windows = Sample.rules {
            $0.staleWhileRevalidateSeconds = 30
            $0.staleIfErrorSeconds = 40
        }
        check([
            Row("5861-3", entry, after: 14, "hit+refresh"),
            Row("5861-3", entry, after: 15, "send"),
            Row("5861-3", strict, after: 14, "send"),
            Row("5861-3", entry, after: 14, Sample.get("Cache-Control: no-cache"), "send"),
            Row("5861-3", entry, after: 14, Sample.get("Cache-Control: max-age=99"), "send"),
            Row("5861-3", strict, after: 39, Sample.get(rules: windows), "hit+refresh"),
            Row("5861-3", strict, after: 40, Sample.get(rules: windows), "send"),
        ])
        func stands(
            _ entry: StoredHead, _ seconds: Int64, _ request: CacheRequest = Sample.get(),
            isOffline: Bool = false
        ) -> Bool {
            Reuse.mayStandIn(
                entry, for: request, isOffline: isOffline, now: Sample.time(seconds),
                usesHeuristics: false)
        }
        XCTAssertTrue(stands(entry, 29))
        XCTAssertFalse(stands(entry, 30))
        XCTAssertFalse(stands(strict, 11))
        XCTAssertTrue(stands(strict, 49, Sample.get(rules: windows)))
        XCTAssertFalse(stands(strict, 50, Sample.get(rules: windows)))
        XCTAssertFalse(stands(entry, 11, Sample.get("Cache-Control: no-cache")))
        let plain = Sample.answer("Cache-Control: max-age=10")
        XCTAssertFalse(stands(plain, 11))
        XCTAssertTrue(stands(plain, 11, Sample.get("Cache-Control: stale-if-error=2")))
        let offline = Sample.get(rules: Sample.rules { $0.isReadOffline = true })
        XCTAssertTrue(stands(strict, 1_000_000, offline, isOffline: true))
        XCTAssertFalse(stands(strict, 1_000_000, offline))
        let invalid = Sample.invalid(entry)
        XCTAssertFalse(stands(invalid, 11, offline, isOffline: true))
    }

    func testTheLifetimeOfTheDocument() {
        let rules = Sample.rules { $0.lifetimeSeconds = 60 }
        let request = Sample.get(rules: rules)
        func entry(_ lines: String, status: Int = 200) -> StoredHead {
            Sample.answer(lines, "Age: 1000", status: status, to: request)
        }
        check([
            Row("cacheTTL", entry("X-A: 1"), after: 59, "hit"),
            Row("cacheTTL", entry("X-A: 1"), after: 60, "send"),
            Row("cacheTTL", entry("Cache-Control: no-cache, max-age=0"), after: 59, "hit"),
            Row("cacheTTL", entry("Cache-Control: max-age=9999"), after: 60, "send"),
            Row("cacheTTL", entry("X-A: 1", status: 203), after: 1, "send"),
        ])
        let posting = CacheRequest(method: "POST", url: Sample.url, rules: rules)
        XCTAssertNil(Sample.answer("X: y", to: posting).documentLifetime)
    }

    func testConditionsOfTheProgram() {
        let entry = Sample.answer(
            "Cache-Control: max-age=10", "ETag: W/\"1\"",
            "Last-Modified: Tue, 06 Jan 2026 00:00:00 GMT")
        check([
            Row("4.3.2", entry, after: 1, Sample.get("If-None-Match: \"0\", \"1\""), "304"),
            Row("4.3.2", entry, after: 1, Sample.get("If-None-Match: *"), "304"),
            Row("4.3.2", entry, after: 1, Sample.get("If-None-Match: \"0\""), "hit"),
            Row(
                "4.3.2", entry, after: 1,
                Sample.get("If-Modified-Since: Tue, 06 Jan 2026 00:00:00 GMT"), "304"),
            Row(
                "4.3.2", entry, after: 1,
                Sample.get("If-Modified-Since: Mon, 05 Jan 2026 23:59:59 GMT"), "hit"),
            Row("4.3.2", entry, after: 1, Sample.get("If-Match: \"1\""), "send"),
            Row("4.3.2", entry, after: 11, Sample.get("If-None-Match: \"0\""), "send"),
        ])
        let decision = Reuse.decide(
            Sample.get(), [entry], now: Sample.time(11), usesHeuristics: false)
        XCTAssertEqual(
            decision,
            .validate(
                0,
                Sample.headers([
                    "If-None-Match: W/\"1\"",
                    "If-Modified-Since: Tue, 06 Jan 2026 00:00:00 GMT",
                ]).fields, .stale))
    }

    func testMethods() {
        let head = Sample.get(method: "HEAD")
        let lines = "Cache-Control: max-age=10"
        let kept = Sample.rules { $0.keepsUnsafe = true }
        let post = Sample.get(method: "POST", rules: kept)
        check([
            Row("9110-9.3.2", Sample.answer(lines), after: 1, head, "hit"),
            Row("9110-9.3.2", Sample.answer(lines, to: head), after: 1, "send"),
            Row("9110-9.3.2", Sample.answer(lines, to: head), after: 1, head, "hit"),
            Row("3", Sample.answer(lines, to: post), after: 1, post, "hit"),
            // A condition would have another meaning for an unsafe method (RFC 9110, 13.1.2).
            Row("3", Sample.answer(lines, "ETag: \"1\"", to: post), after: 11, post, "send"),
            Row("3", Sample.answer(lines), after: 1, Sample.get(method: "PUT"), "send"),
            Row("3", Sample.answer(lines), after: 1, Sample.get(method: "OPTIONS"), "send"),
        ])
    }

    func testRanges() {
        let lines = "Cache-Control: max-age=10"
        let whole = Sample.answer(lines, "ETag: \"1\"")
        let coded = Sample.answer(lines, "Content-Encoding: gzip")
        let part = Sample.answer(
            lines, "Content-Range: bytes 4-7/10", "ETag: \"1\"", status: 206,
            to: Sample.get("Range: bytes=4-7"), bodyLength: 4)
        let beginning = Sample.answer(
            lines, "Content-Range: bytes 0-7/10", "ETag: \"1\"", status: 206,
            to: Sample.get("Range: bytes=0-7"), bodyLength: 8)
        let weak = Sample.answer(
            lines, "Content-Range: bytes 0-7/10", "ETag: W/\"1\"", status: 206,
            to: Sample.get("Range: bytes=0-7"), bodyLength: 8)
        func asking(_ range: String) -> CacheRequest { Sample.get("Range: bytes=\(range)") }
        check([
            Row("9110-14.2", whole, after: 1, asking("0-1"), "part 0-1"),
            Row("9110-14.2", whole, after: 1, asking("8-99"), "part 8-9"),
            Row("9110-14.2", whole, after: 1, asking("-3"), "part 7-9"),
            Row("9110-14.2", whole, after: 1, asking("-99"), "part 0-9"),
            Row("9110-14.2", whole, after: 1, asking("3-"), "part 3-9"),
            Row("9110-14.2", whole, after: 1, asking("10-"), "send"),
            Row("9110-14.2", whole, after: 1, asking("0-1,4-5"), "send"),
            Row("9110-14.2", whole, after: 1, asking("x"), "send"),
            Row("9110-14.2", coded, after: 1, asking("0-1"), "send"),
            Row("9110-14.2", whole, after: 11, asking("0-1"), "send"),
            Row(
                "9110-13.1.5", whole, after: 1,
                Sample.get("Range: bytes=0-1", "If-Range: \"1\""), "part 0-1"),
            Row(
                "9110-13.1.5", whole, after: 1,
                Sample.get("Range: bytes=0-1", "If-Range: \"2\""), "hit"),
            Row("3.3", part, after: 1, asking("4-7"), "hit"),
            Row("3.3", part, after: 1, asking("5-6"), "part 5-6"),
            Row("3.3", part, after: 1, asking("5-8"), "send"),
            Row("3.3", part, after: 1, asking("-1"), "send"),
            Row("3.3", part, after: 1, "send"),
            Row("3.4", beginning, after: 1, "rest"),
            Row("3.4", beginning, after: 11, "send"),
            Row("3.4", weak, after: 1, "send"),
            Row("3.3", beginning, after: 1, Sample.get(mode: .only), "nothing"),
            Row("3.3", part, after: 1, Sample.get(method: "HEAD"), "send"),
        ])
        XCTAssertEqual(
            Reuse.decide(Sample.get(), [beginning], now: Sample.time(1), usesHeuristics: false),
            .complete(0, Sample.headers(["Range: bytes=8-", "If-Range: \"1\""]).fields))
    }
}
