import RestwayCalls
import RestwayDocument
import RestwayHTTP
import XCTest

@testable import RestwayCache

/// What becomes of the answers of a server.
final class KeepingTests: XCTestCase {
    private func decide(
        _ answer: StoredHead, to request: CacheRequest = Sample.get(),
        _ entries: [StoredHead] = [], asked: Int? = nil, usesHeuristics: Bool = false
    ) -> Keeping {
        Keeping.decide(
            request, answer, entries, asked: asked, usesHeuristics: usesHeuristics)
    }

    func testWhatIsKept() {
        let rows: [(String, StoredHead, String)] = [
            ("3", Sample.answer("Cache-Control: max-age=10"), "keep"),
            ("3", Sample.answer("Cache-Control: max-age=10", status: 599), "keep"),
            ("3", Sample.answer("Cache-Control: max-age=10, no-store"), "pass"),
            ("3", Sample.answer("Cache-Control: max-age=10, No-Store"), "pass"),
            (
                "5.2.2.3", Sample.answer("Cache-Control: max-age=10, no-store, must-understand"),
                "keep"
            ),
            (
                "5.2.2.3",
                Sample.answer(
                    "Cache-Control: max-age=10, no-store, must-understand", status: 599), "pass"
            ),
            (
                "5.2.2.3", Sample.answer("Cache-Control: max-age=10, must-understand", status: 299),
                "pass"
            ),
            ("3", Sample.answer("ETag: \"1\""), "keep"),
            ("3", Sample.answer("ETag: \"1\"", status: 201), "pass"),
            ("3", Sample.answer("ETag: \"1\"", "Cache-Control: private", status: 201), "keep"),
            // It would be of no use.
            ("3", Sample.answer("X-A: 1"), "pass"),
            ("3", Sample.answer("Cache-Control: max-age=0"), "pass"),
            ("3", Sample.answer("Cache-Control: max-age=0", "ETag: \"1\""), "keep"),
            ("4.1", Sample.answer("Cache-Control: max-age=10", "Vary: *"), "pass"),
            ("3.3", Sample.answer("Cache-Control: max-age=10", status: 206), "pass"),
            ("4.3.3", Sample.answer("Cache-Control: max-age=10", status: 304), "pass"),
            ("5861-4", Sample.answer("Cache-Control: max-age=0, stale-if-error=9"), "keep"),
        ]
        for (index, row) in rows.enumerated() {
            XCTAssertEqual(decide(row.1).word, row.2, "row \(index), section \(row.0)")
        }
        let answer = Sample.answer("Cache-Control: max-age=10")
        XCTAssertEqual(decide(answer, to: Sample.get("Cache-Control: no-store")).word, "pass")
        XCTAssertEqual(decide(answer, to: Sample.get(mode: .bypass)).word, "pass")
        XCTAssertEqual(decide(answer, to: Sample.get(method: "PUT")).word, "pass")
        XCTAssertEqual(decide(answer, to: Sample.get(method: "OPTIONS")).word, "pass")
        let kept = Sample.rules { $0.keepsUnsafe = true }
        XCTAssertEqual(decide(answer, to: Sample.get(method: "PUT", rules: kept)).word, "keep")
        let offline = Sample.get(rules: Sample.rules { $0.isReadOffline = true })
        XCTAssertEqual(decide(Sample.answer("X-A: 1"), to: offline).word, "keep")
        let dated = Sample.answer(
            "Date: Wed, 07 Jan 2026 00:00:00 GMT", "Cache-Control: public", status: 599)
        XCTAssertEqual(decide(dated, usesHeuristics: true).word, "pass")
    }

    /// `no-store` wins over the document, and everything else gives way to it.
    func testTheLifetimeOfTheDocument() {
        let request = Sample.get(rules: Sample.rules { $0.lifetimeSeconds = 60 })
        func answer(_ lines: String, status: Int = 200) -> StoredHead {
            Sample.answer(lines, status: status, to: request)
        }
        XCTAssertEqual(decide(answer("Cache-Control: no-store"), to: request).word, "pass")
        XCTAssertEqual(decide(answer("Cache-Control: no-cache"), to: request).word, "keep")
        XCTAssertEqual(decide(answer("Pragma: no-cache"), to: request).word, "keep")
        XCTAssertEqual(decide(answer("X-A: 1", status: 201), to: request).word, "pass")
        let entry = answer("ETag: \"1\"")
        let confirmation = answer("ETag: \"1\"", status: 304)
        guard case .freshen(0, let head) = decide(confirmation, to: request, [entry], asked: 0)
        else { return XCTFail("the entry is not confirmed") }
        XCTAssertEqual(head.documentLifetime, 60)
    }

    /// RFC 9111, section 3.1.
    func testFieldsThatAreNotKept() {
        let answer = Sample.answer(
            "Connection: X-A, close", "X-A: 1", "X-B: 2", "Keep-Alive: 3", "TE: 4",
            "Transfer-Encoding: chunked", "Upgrade: 5", "Proxy-Authenticate: 6",
            "Proxy-Authentication-Info: 7", "Proxy-Authorization: 8", "Proxy-Connection: 9",
            "Set-Cookie: a=b")
        XCTAssertEqual(answer.headers.fields.map(\.name), ["X-B", "Set-Cookie"])
        let named = Sample.answer("Cache-Control: no-cache=\"X-A, X-C\"", "X-A: 1", "X-B: 2")
        XCTAssertEqual(named.headers.fields.map(\.name), ["Cache-Control", "X-B"])
        let essential = Sample.answer(
            "Cache-Control: max-age=9, no-cache=\"Content-Type\"", "Content-Type: text/plain")
        XCTAssertEqual(essential.headers.fields.count, 2)
        XCTAssertTrue(essential.mustAlwaysBeValidated)
    }

    func testVariants() {
        func variant(_ value: String) -> StoredHead {
            Sample.answer(
                "Cache-Control: max-age=10", "Vary: X-A", to: Sample.get("X-A: \(value)"))
        }
        let entries = [variant("1"), variant("2"), variant("1")]
        XCTAssertEqual(
            decide(variant("1"), to: Sample.get("X-A: 1"), entries),
            .keep(variant("1"), replacing: [0, 2]))
        XCTAssertEqual(
            decide(variant("3"), to: Sample.get("X-A: 3"), entries),
            .keep(variant("3"), replacing: []))
        XCTAssertTrue(variant("1").isShareable(with: Sample.get()))
        XCTAssertFalse(Sample.answer("Vary: *").isShareable(with: Sample.get()))
        XCTAssertFalse(
            Sample.answer("Cache-Control: no-store").isShareable(with: Sample.get()))
    }

    /// An answer that is not kept shows that an older one no longer holds, but for errors of the
    /// server.
    func testAnswersThatAreNewerThanAnEntry() {
        let entry = Sample.answer("Cache-Control: max-age=10")
        XCTAssertEqual(decide(Sample.answer("X-A: 1"), [entry]), .invalidate(0))
        XCTAssertEqual(decide(Sample.answer("X-A: 1", status: 404), [entry]), .invalidate(0))
        XCTAssertEqual(decide(Sample.answer("X-A: 1", status: 410), [entry]), .invalidate(0))
        XCTAssertEqual(decide(Sample.answer("X-A: 1", status: 503), [entry]), .pass)
        XCTAssertEqual(decide(Sample.answer("X-A: 1", status: 401), [entry]), .pass)
    }

    /// RFC 9111, sections 3.2 and 4.3.4.
    func testConfirmations() throws {
        let entry = Sample.answer(
            "Cache-Control: max-age=1", "ETag: \"1\"", "Age: 5", "X-A: 1", "X-B: 1",
            "Content-Type: text/plain", "Content-Length: 10")
        let answer = Sample.answer(
            "Cache-Control: max-age=9", "ETag: \"1\"", "X-A: 2", "X-A: 3", "Content-Length: 0",
            "Content-Type: x/y", "Content-Encoding: gzip", "Content-Range: bytes 0-1/2",
            "Connection: X-C", "X-C: 1", status: 304, arrival: 100)
        guard case .freshen(0, let head) = decide(answer, [entry], asked: 0) else {
            return XCTFail("the entry is not confirmed")
        }
        XCTAssertEqual(
            head.headers.fields.map { "\($0.name): \($0.value)" },
            [
                "X-B: 1", "Content-Type: text/plain", "Content-Length: 10",
                "Cache-Control: max-age=9", "ETag: \"1\"", "X-A: 2", "X-A: 3",
            ])
        XCTAssertEqual(head.status, 200)
        XCTAssertEqual(head.bodyLength, 10)
        let age = head.age(now: Sample.time(108), usesHeuristics: false)
        XCTAssertEqual(age, EntryAge(age: 8, lifetime: 9))
        let forbidden = Sample.answer(
            "Cache-Control: no-store", "ETag: \"1\"", status: 304, arrival: 100)
        guard case .freshen(0, let last) = decide(forbidden, [entry], asked: 0) else {
            return XCTFail("the entry is not confirmed")
        }
        XCTAssertTrue(last.isInvalid)
    }

    func testWhichEntryIsConfirmed() {
        func confirmed(
            _ answer: String, _ entries: [String], asked: Int?
        ) -> Int? {
            let heads = entries.map { Sample.answer($0) }
            let decision = decide(
                Sample.answer(answer, status: 304, arrival: 5), heads, asked: asked)
            if case .freshen(let index, _) = decision { return index }
            return nil
        }
        XCTAssertEqual(confirmed("ETag: \"1\"", ["ETag: \"0\"", "ETag: \"1\""], asked: 0), 1)
        XCTAssertEqual(confirmed("ETag: \"1\"", ["ETag: \"1\"", "ETag: \"1\""], asked: 1), 1)
        XCTAssertEqual(confirmed("ETag: \"1\"", ["ETag: \"0\""], asked: 0), nil)
        XCTAssertEqual(confirmed("ETag: \"1\"", ["ETag: W/\"1\""], asked: 0), nil)
        XCTAssertEqual(confirmed("ETag: W/\"1\"", ["ETag: \"1\""], asked: 0), 0)
        XCTAssertEqual(confirmed("X-A: 1", ["ETag: \"0\"", "ETag: \"1\""], asked: 1), 1)
        XCTAssertEqual(confirmed("X-A: 1", ["ETag: \"0\""], asked: nil), nil)
        XCTAssertEqual(confirmed("ETag: \"1\"", ["X-A: 1"], asked: 0), 0)
        XCTAssertEqual(confirmed("Last-Modified: a", ["Last-Modified: b"], asked: 0), nil)
        XCTAssertEqual(confirmed("Last-Modified: b", ["Last-Modified: b"], asked: 0), 0)
        // The program's own condition was met.
        XCTAssertEqual(confirmed("ETag: \"1\"", ["ETag: \"1\""], asked: nil), 0)
    }

    /// RFC 9111, section 4.3.5.
    func testAnswersToHEAD() {
        let request = Sample.get(method: "HEAD")
        func word(_ lines: [String], status: Int = 200, _ entries: [StoredHead]) -> String {
            let answer = StoredHead(
                answering: request, status: status, httpVersion: 11,
                headers: Sample.headers(lines), url: Sample.url, requestTime: Sample.time(0),
                responseTime: Sample.time(0), bodyLength: 0)
            return decide(answer, to: request, entries).word
        }
        let entry = Sample.answer("Cache-Control: max-age=10", "ETag: \"1\"", bodyLength: 7)
        XCTAssertEqual(word(["ETag: \"1\"", "Content-Length: 7"], [entry]), "freshen")
        XCTAssertEqual(word([], [entry]), "freshen")
        XCTAssertEqual(word(["ETag: \"2\""], [entry]), "invalidate")
        XCTAssertEqual(word(["Content-Length: 8"], [entry]), "invalidate")
        XCTAssertEqual(word(["Last-Modified: x"], [entry]), "invalidate")
        XCTAssertEqual(word(["Cache-Control: no-store"], [entry]), "invalidate")
        XCTAssertEqual(word([], status: 404, [entry]), "invalidate")
        XCTAssertEqual(word([], status: 503, [entry]), "pass")
        XCTAssertEqual(word(["Cache-Control: max-age=1"], []), "keep")
    }

    /// RFC 9111, sections 3.3 and 3.4.
    func testParts() {
        func part(
            _ range: String, _ tag: String, _ length: Int64, asked: String? = "bytes=0-"
        ) -> (CacheRequest, StoredHead) {
            let request = asked.map { Sample.get("Range: \($0)") } ?? Sample.get()
            let head = Sample.answer(
                "Cache-Control: max-age=10", "Content-Range: bytes \(range)", "ETag: \(tag)",
                status: 206, to: request, arrival: 5, bodyLength: length)
            return (request, head)
        }
        let entry = part("0-3/10", "\"1\"", 4).1
        func decide(_ new: (CacheRequest, StoredHead), _ entry: StoredHead) -> Keeping {
            self.decide(new.1, to: new.0, [entry])
        }
        guard case .combine(0, let whole, let prefix) = decide(part("4-9/10", "\"1\"", 6), entry)
        else { return XCTFail("the parts are not joined") }
        XCTAssertEqual(prefix, 4)
        XCTAssertEqual(whole.status, 200)
        XCTAssertNil(whole.range)
        XCTAssertEqual(whole.bodyLength, 10)
        XCTAssertEqual(whole.headers[first: "Content-Length"], "10")
        XCTAssertNil(whole.headers[first: "Content-Range"])
        guard case .combine(0, let longer, let kept) = decide(part("2-6/10", "\"1\"", 5), entry)
        else { return XCTFail("the parts are not joined") }
        XCTAssertEqual(kept, 2)
        XCTAssertEqual(longer.status, 206)
        XCTAssertEqual(longer.range, StoredRange(first: 0, last: 6, completeLength: 10))
        XCTAssertEqual(longer.headers[first: "Content-Range"], "bytes 0-6/10")
        XCTAssertEqual(decide(part("5-9/10", "\"1\"", 5), entry).word, "keep")
        XCTAssertEqual(decide(part("4-9/11", "\"1\"", 6), entry).word, "keep")
        XCTAssertEqual(decide(part("4-9/10", "\"2\"", 6), entry).word, "keep")
        XCTAssertEqual(decide(part("4-9/10", "W/\"1\"", 6), entry).word, "keep")
        // Nobody asked for a part, and it does not fit to what is there.
        XCTAssertEqual(decide(part("4-9/10", "\"2\"", 6, asked: nil), entry).word, "pass")
        XCTAssertEqual(decide(part("4-9/10", "\"1\"", 6, asked: nil), entry).word, "combine")
        let complete = Sample.answer("Cache-Control: max-age=10", "ETag: \"1\"")
        XCTAssertEqual(decide(part("4-9/10", "\"1\"", 6), complete).word, "pass")
        // The answer to a HEAD has no bytes that a part could join.
        let head = Sample.answer(
            "Cache-Control: max-age=10", "Content-Range: bytes 0-3/10", "ETag: \"1\"", status: 206,
            to: Sample.get("Range: bytes=0-3", method: "HEAD"), bodyLength: 4)
        XCTAssertEqual(decide(part("4-9/10", "\"1\"", 6), head).word, "keep")
        // A body that is too long is not what its range says; a shorter one is its beginning.
        XCTAssertEqual(decide(part("0-3/10", "\"3\"", 5), entry).word, "pass")
        XCTAssertEqual(part("0-3/10", "\"3\"", 3).1.range?.last, 2)
    }

    /// RFC 9111, section 4.4.
    func testInvalidation() {
        func urls(_ method: String, _ status: Int, _ lines: String...) -> [String] {
            let request = CacheRequest(method: method, url: "http://Host.test/a/b?x=1")
            let answer = StoredHead(
                answering: request, status: status, httpVersion: 11,
                headers: Sample.headers(lines), url: request.url, requestTime: 0,
                responseTime: 0, bodyLength: 0)
            return Keeping.invalidated(by: answer, to: request)
        }
        let own = "http://host.test/a/b?x=1"
        for method in ["POST", "PUT", "PATCH", "DELETE", "M-SEARCH", "UNHEARD-OF"] {
            XCTAssertEqual(urls(method, 200), [own])
            XCTAssertEqual(urls(method, 303), [own])
            XCTAssertEqual(urls(method, 400), [])
            XCTAssertEqual(urls(method, 500), [])
        }
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT"] {
            XCTAssertEqual(urls(method, 200), [])
        }
        XCTAssertEqual(
            urls("POST", 201, "Location: c", "Content-Location: /d"),
            [own, "http://host.test/a/c", "http://host.test/d"])
        XCTAssertEqual(urls("POST", 201, "Location: http://other.test/a"), [own])
        XCTAssertEqual(urls("POST", 201, "Location: https://host.test/a"), [own])
        XCTAssertEqual(urls("POST", 201, "Location: http://host.test:80/a/b?x=1"), [own])
        let kept = Sample.rules { $0.keepsUnsafe = true }
        let request = Sample.get(method: "POST", rules: kept)
        XCTAssertEqual(Keeping.invalidated(by: Sample.answer(to: request), to: request), [])
    }

    /// RFC 9110, section 9.3.3.
    func testAnswersToPOSTThatAGETWouldBring() {
        let request = Sample.get(method: "POST")
        func word(_ lines: String...) -> String {
            let answer = StoredHead(
                answering: request, status: 200, httpVersion: 11,
                headers: Sample.headers(lines), url: Sample.url, requestTime: 0, responseTime: 0,
                bodyLength: 1)
            return decide(answer, to: request).word
        }
        XCTAssertEqual(word("Cache-Control: max-age=1", "Content-Location: /things"), "keep")
        XCTAssertEqual(word("Cache-Control: max-age=1", "Content-Location: /other"), "pass")
        XCTAssertEqual(word("Cache-Control: max-age=1"), "pass")
        XCTAssertEqual(word("Content-Location: /things", "ETag: \"1\""), "pass")
    }

    /// RFC 9211.
    func testCacheStatus() {
        var status = CacheStatus()
        status.secondsToLive = 5
        XCTAssertEqual(status.text, "restway; hit; ttl=5")
        status = CacheStatus(forward: .uriMiss)
        status.isStored = true
        status.isCollapsed = true
        XCTAssertEqual(status.text, "restway; fwd=uri-miss; stored; collapsed")
        status = CacheStatus(forward: .stale)
        status.forwardStatus = 304
        status.secondsToLive = -3
        XCTAssertEqual(status.text, "restway; fwd=stale; fwd-status=304; ttl=-3")
        let entry = Sample.answer("Cache-Status: edge; hit", "Age: 5", "Content-Length: 10")
        let part = StoredRange(first: 2, last: 3, completeLength: 10)
        let served = entry.served(
            EntryAge(age: 7, lifetime: 9), CacheStatus(), part: part)
        XCTAssertEqual(served.joined("Cache-Status"), "edge; hit, restway; hit")
        XCTAssertEqual(served.joined("Age"), "7")
        XCTAssertEqual(served.joined("Content-Range"), "bytes 2-3/10")
        XCTAssertEqual(served.joined("Content-Length"), "2")
        XCTAssertEqual(entry.servedStatus(part: part), 206)
    }
}
