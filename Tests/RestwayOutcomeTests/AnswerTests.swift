import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayOutcome

/// The values of an answer that only the journey of its call needs, and those of a shared answer.
final class AnswerTests: XCTestCase {
    private final class Keeper: Sendable {}

    private final class Cause: HostCause {
        var pointer: UnsafeMutableRawPointer? { nil }
    }

    func testAResponseLetsGoOfWhatOnlyTheJourneyNeeds() {
        weak var mappings: CachedMappings?
        weak var keeper: Keeper?
        weak var cause: Cause?
        weak var other: Cause?
        var response: Response?
        do {
            let kept = (CachedMappings(), Keeper(), Cause(), Cause())
            (mappings, keeper, cause, other) = kept
            var answer = Answer(status: 404, headers: Headers(), url: "http://127.0.0.1/")
            answer.mappings = kept.0
            answer.bodyPlace = .kept(CachedBodyFile(path: "/b", length: 1, keeper: kept.1))
            answer.failure = Failure(.http, "404")
            answer.failure?.cause = kept.2
            answer.damage = Failure(.protocolViolation, "broken")
            answer.damage?.cause = kept.3
            answer.attempts = [CallAttempt(reason: .retry, tookMicroseconds: 2)]
            answer.cache = CacheNote(.stale)
            response = Response(answer)
        }
        XCTAssertNil(mappings)
        XCTAssertNil(keeper)
        XCTAssertNil(cause)
        XCTAssertNil(other)
        XCTAssertEqual(response?.status, 404)
        XCTAssertEqual(response?.bodyCount, 0)
        XCTAssertEqual(response?.cache.state, .stale)
        XCTAssertEqual(response?.severalAttempts.map(\.reason), [.retry])
    }

    func testASharedAnswerHasAllButTheTimesAndTheAttemptsOfTheOtherCall() {
        let mappings = CachedMappings()
        var answer = Answer(
            status: 200, httpVersion: .http2, headers: Headers(), url: "http://127.0.0.1/",
            body: Body(Array("body".utf8)))
        answer.trailers.set("X-After", "1")
        answer.timings.exchange = 7
        answer.attempts = [CallAttempt(reason: .first, tookMicroseconds: 7)]
        answer.cache = CacheNote(.stored, ageSeconds: 3)
        answer.mappings = mappings
        var headers = Headers()
        headers.set("Cache-Status", "restway")
        let shared = answer.shared(with: headers)
        XCTAssertEqual(shared.status, 200)
        XCTAssertEqual(shared.httpVersion, .http2)
        XCTAssertEqual(shared.headers, headers)
        XCTAssertEqual(shared.url, answer.url)
        XCTAssertEqual(shared.body.bytesAndNUL, answer.body.bytesAndNUL)
        XCTAssertEqual(shared.trailers, answer.trailers)
        XCTAssertIdentical(shared.mappings, mappings)
        XCTAssertEqual(shared.cache, CacheNote(.shared, ageSeconds: 3))
        XCTAssertNil(shared.timings.exchange)
        XCTAssertEqual(shared.attempts, [])
        XCTAssertEqual(answer.cache?.state, .stored, "a copy has changed")
    }
}
