import RandomRounds
import RestwayCalls
import RestwayDocument
import RestwayThreads
import XCTest

@testable import RestwayCache

/// The keys of entries.
final class CacheKeyTests: XCTestCase {
    private func key(
        _ url: String, method: String = "GET", owner: String = "", body: String = "",
        _ ignored: CacheRules.IgnoredParameters = .none, keepsUnsafe: Bool = false
    ) -> CacheKey {
        let rules = Sample.rules {
            $0.ignoredParameters = ignored
            $0.keepsUnsafe = keepsUnsafe
        }
        return CacheKey(
            CacheRequest(method: method, url: url, body: Array(body.utf8), rules: rules),
            owner: owner)
    }

    func testTargets() {
        let rows = [
            ("http://a.test", "http://a.test/"),
            ("HTTP://A.Test:80/B", "http://a.test/B"),
            ("https://a.test:443?x", "https://a.test/?x"),
            ("https://a.test:80/", "https://a.test:80/"),
            ("http://a.test:8080/b#c", "http://a.test:8080/b"),
            ("http://[::1]:80/", "http://[::1]/"),
            ("http://a.test/%c3%a4?%c3", "http://a.test/%C3%A4?%C3"),
            ("http://a.test/?b=2&a=1", "http://a.test/?a=1&b=2"),
            ("http://a.test/?a=2&b&a=1", "http://a.test/?a=2&a=1&b"),
            ("http://a.test/?a=1%26b=2", "http://a.test/?a=1%26b=2"),
            ("http://a.test/?", "http://a.test/?"),
            ("http://a.test/?b&&a", "http://a.test/?&a&b"),
            ("http://a.test/a b\u{e4}\n", "http://a.test/a%20b%C3%A4%0A"),
            ("http://a.test/?a?b=c=d", "http://a.test/?a?b=c=d"),
        ]
        for (url, target) in rows { XCTAssertEqual(CacheKey.target(url), target) }
        let url = "http://a.test/?b=1&a%20b=2&c"
        XCTAssertEqual(CacheKey.target(url, .all), "http://a.test/")
        XCTAssertEqual(CacheKey.target(url, .named(["a b"])), "http://a.test/?b=1&c")
        XCTAssertEqual(CacheKey.target(url, .named(["c", "a b", "b"])), "http://a.test/")
        XCTAssertEqual(CacheKey.target("http://a.test/?a+b", .named(["a b"])), "http://a.test/")
    }

    func testWhatAKeyTellsApart() {
        let keys = [
            key("http://a.test/"), key("https://a.test/"), key("http://a.test/?"),
            key("http://a.test/", owner: "d1"), key("http://a.test/", owner: "h1"),
            key("http://a.test/", owner: "d1 "), key("http://a.test/", owner: "d%20"),
            key("http://a.test/", owner: "d\u{e4}"), key("http://a.test/", owner: "da\u{308}"),
            key("http://a.test/?a=1&b=2"), key("http://a.test/?a=1%26b=2"),
            key("http://a.test/?a=1&a=2"), key("http://a.test/?a=2&a=1"),
            key("http://a.test/?a"), key("http://a.test/?a="), key("http://a.test/A"),
            key("http://a.test/", method: "POST", keepsUnsafe: true),
            key("http://a.test/", method: "PUT", keepsUnsafe: true),
            key("http://a.test/", method: "POST", body: "1", keepsUnsafe: true),
        ]
        XCTAssertEqual(Set(keys).count, keys.count)
        XCTAssertEqual(Set(keys.map { Array($0.text.utf8) }).count, keys.count)
        XCTAssertEqual(key("http://a.test/", method: "HEAD"), key("http://a.test/"))
        // What a POST brings may be what a GET would bring.
        XCTAssertEqual(key("http://a.test/", method: "POST", body: "1"), key("http://a.test/"))
        XCTAssertEqual(OwnerText.text(discriminator: "h1", holder: 1), "dh1")
        XCTAssertEqual(OwnerText.text(discriminator: nil, holder: 17), "h11")
        XCTAssertEqual(OwnerText.text(discriminator: nil, holder: nil), "")
        XCTAssertNotEqual(OwnerText.text(discriminator: "", holder: nil), "")
    }

    func testKeysOfUnsafeRequestsHoldTheRouteTheTypesAndTheHeaderFields() {
        func key(_ lines: String..., accepted: [String] = [], route: String? = nil) -> CacheKey {
            let request = CacheRequest(
                method: "POST", url: Sample.url, headers: Sample.headers(lines),
                body: Array("{}".utf8), accepted: accepted,
                rules: Sample.rules { $0.keepsUnsafe = true })
            return CacheKey(request, owner: "", route: route)
        }
        let keys = [
            key(), key(route: "a"), key(route: "b"), key("X-Amz-Target: a"),
            key("X-Amz-Target: b"), key("SOAPAction: a"), key("Content-Type: a/b"),
            key("Accept: a/b"), key(accepted: ["a/b"]), key("A: b", "C: d"), key("A: b, C: d"),
        ]
        XCTAssertEqual(Set(keys).count, keys.count)
        XCTAssertEqual(key("A: b", "C: d"), key("c: d", "a: b"))
        // These differ in each request, or say what the program wants of the cache.
        XCTAssertEqual(
            key(), key("Idempotency-Key: 1", "Cache-Control: no-cache", "traceparent: 2"))
    }

    func testRoutesWithOtherMediaTypesHaveOtherKeys() {
        func key(_ accepted: String...) -> CacheKey {
            CacheKey(CacheRequest(method: "GET", url: Sample.url, accepted: accepted), owner: "")
        }
        XCTAssertEqual(Set([key(), key("a/b"), key("a/c"), key("a/b", "a/c")]).count, 4)
        XCTAssertEqual(key("a/b"), key("a/b"))
    }

    func testRandomQueries() {
        var random = SeededRandom(seed: 11)
        let letters = ["a", "b", "&", "=", "%26", "%3D", "?", " ", "\u{e4}", ""]
        func word() -> String {
            (0..<Int.random(in: 0...2, using: &random))
                .map { _ in letters.randomElement(using: &random)! }.joined()
        }
        var known: [String: [[String]]] = [:]
        for _ in 0..<rounds(20_000) {
            let pairs = (0..<Int.random(in: 0...3, using: &random)).map { _ in (word(), word()) }
            let url = pairs.isEmpty ? "" : "?" + pairs.map { "\($0)=\($1)" }.joined(separator: "&")
            let text = key("http://a.test/" + url).text
            // What a server reads: the parameters, sorted by name only.
            let read = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
                .dropFirst().joined(separator: "?").utf8
                .split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
                .map { String(Substring($0)).replacingOccurrences(of: " ", with: "%20") }
                .map { $0.replacingOccurrences(of: "\u{e4}", with: "%C3%A4") }
            let sorted = read.enumerated().sorted { one, other in
                let names = [one, other].map { Array($0.element.utf8.prefix { $0 != 0x3D }) }
                return names[0] == names[1]
                    ? one.offset < other.offset : names[0].lexicographicallyPrecedes(names[1])
            }
            known[text, default: []].append(sorted.map(\.element) + [url.isEmpty ? "" : "?"])
        }
        for (text, queries) in known {
            XCTAssertEqual(Set(queries).count, 1, "\(text) stands for \(Set(queries))")
        }
        XCTAssertEqual(Set(known.values.map { $0[0] }).count, known.count)
        XCTAssertGreaterThan(known.count, rounds(1_000))
    }

    func testATargetIsItsOwnTarget() {
        var random = SeededRandom(seed: 13)
        let parts = [
            "http", ":", "//", "/", "a.test", "A", ":80", "?", "&", "=", "b", "a", "#", "%", "%41",
            "%c3", " ", "\u{e4}",
        ]
        let origins = [
            "http://a.test", "https://a.test", "HTTP://a.test:80", "https://a.test:443",
            "http://[::1]:8080", "http://a.test:443",
        ]
        var normalCount = 0
        for _ in 0..<rounds(20_000) {
            var url = origins.randomElement(using: &random)!
            url += ["/", "?", "#"].randomElement(using: &random)!
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                url += parts.randomElement(using: &random)!
            }
            let target = CacheKey.target(url)
            XCTAssertEqual(target, CacheKey.target(target), url)
            if url == target { normalCount += 1 }
        }
        XCTAssertGreaterThan(normalCount, rounds(1_000))
    }

    func testRandomOrders() {
        var random = SeededRandom(seed: 12)
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...6, using: &random)
            let pairs = (0..<count).map { "n\($0)=\(Int.random(in: 0...9, using: &random))" }
            let keys = [pairs, pairs.shuffled(using: &random)].map {
                key("http://a.test/?" + $0.joined(separator: "&"))
            }
            XCTAssertEqual(keys[0], keys[1])
        }
    }
}
