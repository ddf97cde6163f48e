import RestwayCalls
import RestwayDocument
import RestwayHTTP
import XCTest

@testable import RestwayCache
@testable import RestwayRequests

/// Answers behind redirects, which are found by the URL before the redirects.
final class RedirectedAnswerTests: XCTestCase {
    private static let target = "http://127.0.0.1/blob?signature=1"

    /// A request that redirects have led to `url`.
    private func behind(
        _ url: String = target, rules: CacheRules = CacheRules(), mode: CacheMode = .standard,
        by lines: [String] = []
    ) -> CacheRequest {
        var redirects = FollowedRedirects()
        redirects.follow(Sample.headers(lines))
        return CacheRequest(
            method: "GET", url: url, redirects: redirects, rules: rules, mode: mode)
    }

    private func answer(_ lines: String..., to request: CacheRequest) -> StoredHead {
        StoredHead(
            answering: request, status: 200, httpVersion: 11, headers: Sample.headers(lines),
            url: request.url, requestTime: Sample.time(0), responseTime: Sample.time(0),
            bodyLength: 10)
    }

    private func word(
        _ request: CacheRequest, _ entries: [StoredHead], after seconds: Int64 = 1
    ) -> String {
        Reuse.decide(request, entries, now: Sample.time(seconds), usesHeuristics: true).word
    }

    private let minute = Sample.rules { $0.lifetimeSeconds = 60 }

    func testTheLifetimeOfTheRouteAloneMakesItFresh() {
        let stated = answer("Cache-Control: max-age=60", "ETag: \"1\"", to: behind())
        XCTAssertEqual(word(Sample.get(), [stated]), "send")
        XCTAssertEqual(word(Sample.get(mode: .only), [stated]), "hit")
        XCTAssertEqual(word(Sample.get(mode: .preferred), [stated]), "hit")
        let kept = answer("ETag: \"1\"", to: behind(rules: minute))
        XCTAssertEqual(word(Sample.get(rules: minute), [kept], after: 59), "hit")
        XCTAssertEqual(word(Sample.get(rules: minute), [kept], after: 60), "send")
    }

    func testItIsValidatedOnlyAtItsOwnURL() {
        let entry = answer("ETag: \"1\"", to: behind())
        XCTAssertEqual(word(behind(), [entry]), "validate")
        XCTAssertEqual(word(behind("http://127.0.0.1/blob?signature=2"), [entry]), "send")
    }

    func testAFreshRedirectIsGivenBeforeAStaleAnswerBehindIt() {
        let redirect = Sample.answer(
            "Cache-Control: max-age=60", "Location: \(Self.target)", status: 301)
        let entry = answer("ETag: \"1\"", to: behind())
        XCTAssertEqual(word(Sample.get(), [entry, redirect]), "hit")
        // Behind the redirect, the redirect itself answers nothing.
        XCTAssertEqual(word(behind(), [entry, redirect]), "validate")
        XCTAssertEqual(word(behind(), [redirect]), "send")
    }

    func testARedirectAndTheAnswerBehindItStayBesideEachOther() {
        let redirect = Sample.answer(
            "Cache-Control: max-age=60", "Location: \(Self.target)", status: 301)
        let entry = answer("ETag: \"1\"", to: behind())
        XCTAssertNotEqual(redirect.selecting, entry.selecting)
        let second = answer("ETag: \"2\"", to: behind("http://127.0.0.1/blob?signature=2"))
        let decision = Keeping.decide(
            behind("http://127.0.0.1/blob?signature=2"), second, [entry, redirect],
            usesHeuristics: false)
        XCTAssertEqual(decision, .keep(second, replacing: [0]))
        XCTAssertEqual(
            Keeping.decide(Sample.get(), redirect, [entry, redirect], usesHeuristics: false),
            .keep(redirect, replacing: [1]))
        let temporary = Sample.answer("Location: \(Self.target)", status: 307)
        XCTAssertEqual(
            Keeping.decide(Sample.get(), temporary, [entry], usesHeuristics: false), .pass)
        // The URL no longer redirects.
        let own = Sample.answer("ETag: \"3\"")
        XCTAssertEqual(
            Keeping.decide(Sample.get(), own, [entry], usesHeuristics: false),
            .keep(own, replacing: [0]))
    }

    func testItVariesWithTheFieldsOfTheRedirects() {
        let request = behind(rules: minute, by: ["Vary: Accept-Language"])
        let entry = answer("X-A: 1", to: request)
        XCTAssertEqual(word(Sample.get(rules: minute), [entry]), "hit")
        XCTAssertEqual(word(Sample.get("Accept-Language: de", rules: minute), [entry]), "send")
    }

    func testItStandsInForAFailureByTheRulesOfTheRoute() {
        let rules = Sample.rules { $0.staleIfErrorSeconds = 60 }
        let stated = answer("Cache-Control: stale-if-error=60", to: behind())
        for (request, entry, isOffline, stands) in [
            (Sample.get(rules: rules), answer("X-A: 1", to: behind(rules: rules)), false, true),
            (behind("http://127.0.0.1/blob?signature=2", rules: rules),
                answer("X-A: 1", to: behind(rules: rules)), false, true),
            (Sample.get(rules: Sample.rules { $0.isReadOffline = true }), stated, true, true),
            (Sample.get(), stated, false, false),
        ] {
            XCTAssertEqual(
                Reuse.mayStandIn(
                    entry, for: request, isOffline: isOffline, now: Sample.time(9),
                    usesHeuristics: false), stands)
        }
    }

    func testAnAnswerOfATypeThatTheRouteRefusesIsNotKept() {
        let request = CacheRequest(method: "GET", url: Sample.url, accepted: ["text/csv"])
        let answers = [
            ("Content-Type: text/csv; charset=utf-8", "keep"), ("Content-Type: text/html", "pass"),
        ]
        for (type, word) in answers {
            let answer = Sample.answer("Cache-Control: max-age=9", type, to: request)
            let decision = Keeping.decide(request, answer, [], usesHeuristics: false)
            XCTAssertEqual(decision.word, word)
        }
    }
}
