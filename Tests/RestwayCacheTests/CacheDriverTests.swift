import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayThreads
import XCTest

@testable import RestwayCache
@testable import RestwayRequests

/// What becomes of answers and failures between the decisions and the storage.
final class CacheDriverTests: CacheTestCase {
    private let etag = ("ETag", "\"1\"")

    private func stale(_ body: String, _ more: (String, String)...) -> Answer {
        answer(body, [("Cache-Control", "max-age=1"), etag] + more)
    }

    private func cacheInMemory() throws -> ResponseCache { try open(isInFile: false) }

    private func plan(_ cache: ResponseCache, discriminator: String? = nil) -> CachePlan {
        CachePlan(
            rules: CacheRules(), mode: .standard, route: nil, discriminator: discriminator,
            holder: nil, removal: cache.lastRemoval)
    }

    // MARK: Hits

    func testAHitSaysItsAgeAndWhetherItIsStale() throws {
        let cache = try cacheInMemory()
        let late = question("a", headers: [("Cache-Control", "max-stale=9")])
        let stored = answer("one", [("Cache-Control", "max-age=2"), etag, ("X-More", "1")])
        _ = try ticket(cache, question("a")).answered(stored)
        var notes: [CacheNote] = []
        for milliseconds: Int64 in [0, 999, 1, 500, 500, 1_000] {
            clock.advance(milliseconds: milliseconds)
            let first = try XCTUnwrap(inMemory(cache, late))
            XCTAssertIdentical(inMemory(cache, late)?.mappings, first.mappings)
            XCTAssertEqual(text(first), "one")
            XCTAssertEqual(first.headers[first: "X-More"], "1")
            notes.append(try XCTUnwrap(first.cache))
        }
        XCTAssertEqual(notes.map(\.ageSeconds), [0, 0, 1, 1, 2, 3])
        XCTAssertEqual(notes.map(\.state), [.hit, .hit, .hit, .hit, .stale, .stale])
    }

    private func inMemory(_ cache: ResponseCache, _ question: CacheQuestion) -> Answer? {
        guard case .answer(let answer)? = cache.findInMemory(question) else { return nil }
        return answer
    }

    // MARK: POST

    private func post(_ cache: ResponseCache) -> CacheQuestion {
        let request = CacheRequest(method: "POST", url: "http://127.0.0.1/a")
        return CacheQuestion(request, plan(cache))
    }

    private var posted: Answer {
        answer("posted", [("Cache-Control", "max-age=100"), ("Content-Location", "/a")])
    }

    func testTheAnswerToAPOSTThatIsOneToGETIsKept() throws {
        for isInFile in [false, true] {
            let cache = try open(isInFile: isInFile)
            try store(cache, question("a"), "old")
            cache.observed(posted, post(cache))
            XCTAssertEqual(found(cache, question("a")), "posted")
            cache.writer?.finish()
            XCTAssertEqual(try cache.list(CacheFilter(), limit: 0).map(\.method), ["GET"])
            cache.close()
        }
    }

    func testTheAnswerToAPOSTIsNotKeptAfterARemoval() throws {
        let cache = try cacheInMemory()
        let left = post(cache)
        cache.remove(Removal(url: "http://127.0.0.1/a"))
        cache.observed(posted, left)
        XCTAssertNil(found(cache, question("a")))
    }

    func testAnyOtherAnswerToAPOSTIsNotKept() throws {
        let cache = try cacheInMemory()
        cache.observed(answer("posted", [("Cache-Control", "max-age=100")]), post(cache))
        XCTAssertNil(found(cache, question("a")))
        XCTAssertEqual(cache.statistics.counts.misses, 1, "only the lookup of this test is a miss")
    }

    // MARK: 304 and 206

    func testA304ToAConditionOfTheProgramIsGivenToTheProgram() throws {
        let cache = try cacheInMemory()
        _ = try ticket(cache, question("a")).answered(stale("one"))
        clock.advance(milliseconds: 5_000)
        let own = question("a", headers: [("If-None-Match", "\"1\"")])
        let next = try ticket(cache, own)
        XCTAssertEqual(next.conditions, [])
        let fresh = answer(status: 304, [("Cache-Control", "max-age=100"), etag])
        XCTAssertEqual(next.answered(fresh).status, 304)
        // The entry is fresh again all the same.
        XCTAssertEqual(found(cache, question("a")), "one")
    }

    private func storeAPart(_ cache: ResponseCache) throws -> any CacheTicket {
        let part = answer(
            "01234", status: 206,
            [("Cache-Control", "max-age=100"), etag, ("Content-Range", "bytes 0-4/10")])
        _ = try ticket(cache, question("a", headers: [("Range", "bytes=0-4")])).answered(part)
        let next = try ticket(cache, question("a"))
        XCTAssertEqual(next.conditions.map(\.name), ["Range", "If-Range"])
        return next
    }

    func testAPartThatDoesNotFitRemovesTheKeptPart() throws {
        let cache = try cacheInMemory()
        let next = try storeAPart(cache)
        let other = answer(
            "56789", status: 206,
            [("Cache-Control", "max-age=9"), ("ETag", "\"2\""), ("Content-Range", "bytes 5-9/10")])
        XCTAssertEqual(next.answered(other).status, 206)
        XCTAssertEqual(try ticket(cache, question("a")).conditions, [])
    }

    func testAPartThatFitsCompletesTheKeptPart() throws {
        let cache = try cacheInMemory()
        let rest = answer(
            "56789", status: 206,
            [("Cache-Control", "max-age=9"), etag, ("Content-Range", "bytes 5-9/10")])
        let whole = try storeAPart(cache).answered(rest)
        XCTAssertEqual(whole.status, 200)
        XCTAssertEqual(text(whole), "0123456789")
    }

    func testAStaleAnswerThatStandsInHasTheRangeThatIsAskedFor() throws {
        let cache = try cacheInMemory()
        let kept = stale("0123456789", ("Cache-Control", "stale-if-error=100"))
        _ = try ticket(cache, question("a")).answered(kept)
        clock.advance(milliseconds: 5_000)
        let next = try ticket(cache, question("a", headers: [("Range", "bytes=2-4")]))
        let standIn = try XCTUnwrap(next.failed(Failure(.connect, "no server")))
        XCTAssertEqual(standIn.status, 206)
        XCTAssertEqual(text(standIn), "234")
        XCTAssertEqual(standIn.headers[first: "Content-Range"], "bytes 2-4/10")
    }

    /// An answer that is read offline stands in for every failure that says that the server cannot
    /// be reached, and also if the system has nothing to send a request with.
    func testWhichFailuresAKeptAnswerStandsInFor() throws {
        let cache = try cacheInMemory()
        var offline = CacheRules()
        offline.isReadOffline = true
        _ = try ticket(cache, question("a")).answered(
            stale("one", ("Cache-Control", "stale-if-error=100")))
        clock.advance(milliseconds: 5_000)
        let recent = try ticket(cache, question("a"))
        let missing: Set<Failure.Reason> = [
            .resolve, .connect, .tls, .connectionLost, .timedOut, .noResources,
        ]
        for reason in Failure.Reason.allCases {
            XCTAssertEqual(
                recent.failed(Failure(reason, "no answer")) != nil,
                missing.contains(reason) || reason == .protocolViolation, "\(reason)")
        }
        let unreached = recent.failed(Failure(.connect, "no server"))
        XCTAssertEqual(
            unreached?.headers[first: "Cache-Status"], "restway; fwd=stale; ttl=-4")
        for status in 300...599 {
            var failure = Failure(.http, "no success")
            failure.httpStatus = status
            let standIn = recent.failed(failure)
            XCTAssertEqual(
                standIn != nil, [500, 502, 503, 504].contains(status), "\(status)")
            guard let said = standIn?.headers[first: "Cache-Status"] else { continue }
            XCTAssertEqual(said, "restway; fwd=stale; fwd-status=\(status); ttl=-4")
        }
        clock.advance(milliseconds: 1_000_000)
        let old = try ticket(cache, question("a", rules: offline))
        for reason in Failure.Reason.allCases {
            XCTAssertEqual(
                old.failed(Failure(reason, "no answer")) != nil, missing.contains(reason),
                "\(reason)")
        }
    }

    func testCachesOnTheWayAreToldWhatTheProgramWants() throws {
        let cache = try cacheInMemory()
        let kept = stale("one", ("Cache-Control", "stale-while-revalidate=100"))
        _ = try ticket(cache, question("a")).answered(kept)
        let values = { (mode: CacheMode) in
            try self.ticket(cache, self.question("a", mode: mode)).conditions.map(\.value)
        }
        XCTAssertEqual(try values(.validate), ["\"1\"", "max-age=0"])
        XCTAssertEqual(try values(.reload), ["no-cache"])
        clock.advance(milliseconds: 5_000)
        guard case .staleAnswer(_, let refresh) = cache.find(question("a")) else {
            return XCTFail("nothing is refreshed")
        }
        XCTAssertEqual(refresh.conditions.map(\.value), ["\"1\""])
    }

    // MARK: Cookies

    private let varying = [("Cache-Control", "max-age=100"), ("Vary", "Accept, cookie")]

    /// A jar whose cookies the test chooses.
    private final class Jar: Sendable {
        let text = Lock<String?>("")
        let lookups = Lock(0)
    }

    private func open(isInFile: Bool, _ jar: Jar) throws -> ResponseCache {
        try open(
            isInFile: isInFile,
            options: { options in
                options.cookies = { _ in
                    jar.lookups.withLock { $0 += 1 }
                    return jar.text.withLock { $0 }
                }
            })
    }

    /// A request with which the client sends the cookies that it keeps.
    private func withCookies(_ cache: ResponseCache, _ path: String = "a") -> CacheQuestion {
        let request = CacheRequest(
            method: "GET", url: "http://127.0.0.1/\(path)", addedCookies: nil)
        return CacheQuestion(request, plan(cache), knowsCookies: true)
    }

    func testAnAnswerThatVariesWithHiddenCookiesIsNotGivenAgain() throws {
        let cache = try cacheInMemory()
        for isHidden in [true, false] {
            let request = CacheRequest(
                method: "GET", url: "http://127.0.0.1/\(isHidden)",
                addedCookies: isHidden ? nil : "")
            let asked = CacheQuestion(request, plan(cache))
            let outcome = try ticket(cache, asked).answered(answer("one", varying))
            XCTAssertEqual(outcome.isShareable, !isHidden)
            XCTAssertEqual(found(cache, asked), isHidden ? nil : "one")
        }
    }

    func testAnAnswerThatVariesWithCookiesOfTheClientIsGivenForTheSameCookies() throws {
        for isInFile in [false, true] {
            let jar = Jar()
            var cache = try open(isInFile: isInFile, jar)
            let asked = withCookies(cache)
            for cookies in ["", "s=1", "s=2; t=3"] {
                jar.text.withLock { $0 = cookies }
                let outcome = try ticket(cache, asked).answered(answer("of " + cookies, varying))
                XCTAssertEqual(outcome.cache?.state, .stored)
                XCTAssertTrue(outcome.isShareable)
            }
            if isInFile {
                cache.close()
                let places = "SELECT sum(instr(head, CAST('s=1' AS BLOB))) FROM entry"
                XCTAssertEqual(try integer(places), 0)
                cache = try open(isInFile: true, jar)
            }
            for cookies in ["s=1", "", "s=2; t=3"] {
                jar.text.withLock { $0 = cookies }
                XCTAssertEqual(found(cache, asked), "of " + cookies)
                XCTAssertEqual(found(cache, withCookies(cache)), "of " + cookies)
            }
            for cookies in ["s=3", nil] {
                jar.text.withLock { $0 = cookies }
                XCTAssertNil(found(cache, asked))
            }
            cache.close()
        }
    }

    func testAnAnswerToCookiesThatChangedMeanwhileIsNotKept() throws {
        let jar = Jar()
        let cache = try open(isInFile: false, jar)
        for (path, varying) in [("a", varying), ("b", [("Cache-Control", "max-age=100")])] {
            jar.text.withLock { $0 = "" }
            let left = try ticket(cache, withCookies(cache, path))
            jar.text.withLock { $0 = "s=1" }
            let outcome = left.answered(answer("one", varying))
            XCTAssertEqual(outcome.isShareable, path == "b")
            XCTAssertEqual(found(cache, withCookies(cache, path)), path == "b" ? "one" : nil)
            jar.text.withLock { $0 = "" }
            XCTAssertEqual(found(cache, withCookies(cache, path)), path == "b" ? "one" : nil)
        }
    }

    func testA304WithUnknownCookiesFreshensNothingForOtherCookies() throws {
        let jar = Jar()
        let cache = try open(isInFile: false, jar)
        let kept = answer("one", [("Cache-Control", "max-age=1"), etag])
        _ = try ticket(cache, withCookies(cache)).answered(kept)
        clock.advance(milliseconds: 5_000)
        let left = try ticket(cache, withCookies(cache))
        jar.text.withLock { $0 = "s=1" }
        XCTAssertEqual(
            text(left.answered(answer(status: 304, varying + [etag]))), "one")
        for cookies in ["", "s=1"] {
            jar.text.withLock { $0 = cookies }
            XCTAssertNil(found(cache, withCookies(cache)))
        }
    }

    func testAHitThatDoesNotVaryWithCookiesAsksForNone() throws {
        let jar = Jar()
        let cache = try open(isInFile: false, jar)
        _ = try ticket(cache, withCookies(cache)).answered(answer("one"))
        let lookups = jar.lookups.withLock { $0 }
        XCTAssertEqual(found(cache, withCookies(cache)), "one")
        XCTAssertEqual(jar.lookups.withLock { $0 }, lookups)
    }

    func testRequestsWithOtherCookiesShareNoExchange() throws {
        let jar = Jar()
        let cache = try open(isInFile: false, jar)
        let key = { try self.ticket(cache, self.withCookies(cache)).flightKey }
        let first = try XCTUnwrap(try key())
        XCTAssertEqual(try key(), first)
        jar.text.withLock { $0 = "s=1" }
        XCTAssertNotEqual(try key(), first)
    }

    // MARK: Flights

    func testARequestSharesNoExchangeThatMayHaveAnotherAnswer() throws {
        let cache = try cacheInMemory()
        func key(_ question: CacheQuestion) throws -> FlightKey? {
            try ticket(cache, question).flightKey
        }
        let first = try XCTUnwrap(try key(question("a")))
        XCTAssertEqual(first, try key(question("a")))
        let others = [
            question("a", mode: .reload), question("a", headers: [("If-None-Match", "\"1\"")]),
            question("a", headers: [("Accept", "text/plain")]), question("a", "HEAD"),
            question("a", discriminator: "ann"), question("a", holder: 5), question("b"),
        ]
        for (number, other) in others.enumerated() {
            XCTAssertNotEqual(first, try key(other), "\(number)")
        }
        XCTAssertNil(try key(question("a", wantsBytes: false)))
        cache.remove(Removal(url: "http://127.0.0.1/a"))
        XCTAssertNotEqual(first, try key(question("a")))
    }

    // MARK: Owners

    func testAnObservedAnswerConcernsTheEntriesOfItsDiscriminator() throws {
        let cache = try cacheInMemory()
        let read = { (discriminator: String?, holder: UInt64?) in
            self.question("a", route: "read", discriminator: discriminator, holder: holder)
        }
        var rules = CacheRules()
        rules.invalidatedRoutes = ["read"]
        for discriminator in [nil, "ann"] as [String?] {
            try store(cache, read(nil, nil), "public")
            try store(cache, read(nil, 5), "of a holder")
            try store(cache, read("ann", nil), "of ann")
            let plan = CachePlan(
                rules: rules, mode: .bypass, route: nil, discriminator: discriminator, holder: nil)
            let change = CacheRequest(method: "PUT", url: "http://127.0.0.1/b", rules: rules)
            cache.observed(answer(), CacheQuestion(change, plan), cause: nil)
            let isAnn = discriminator != nil
            XCTAssertEqual(found(cache, read(nil, nil)), isAnn ? "public" : nil)
            XCTAssertEqual(found(cache, read(nil, 5)), isAnn ? "of a holder" : nil)
            XCTAssertEqual(found(cache, read("ann", nil)), isAnn ? nil : "of ann")
            _ = try cache.remove(CacheFilter())
        }
    }
}
