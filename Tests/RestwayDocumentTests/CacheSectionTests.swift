import XCTest

@testable import RestwayDocument
@testable import RestwayOutcome

final class CacheSectionTests: XCTestCase {
    func testADocumentWithoutTheSectionHasNoCache() throws {
        XCTAssertNil(try TestAPI.load(#"{"restway": 1}"#).definition.storage.cache)
    }

    func testTheSectionIsRead() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "cache": {"path": "cache.db", "maxBytes": 1000000, "memoryBytes": 4000,
                                     "heuristics": true}}
            """)
        var cache = try XCTUnwrap(api.definition.storage.cache)
        XCTAssertEqual(cache.path, "cache.db")
        XCTAssertEqual(cache.bytesMax, 1_000_000)
        XCTAssertEqual(cache.memoryBytesMax, 4_000)
        XCTAssertTrue(cache.usesHeuristics)
        cache.resolve(in: "/var/api/")
        XCTAssertEqual(cache.path, "/var/api/cache.db")
    }

    func testASmallFileMakesASmallMemory() throws {
        let cache = try TestAPI.load(#"{"restway": 1, "cache": {"maxBytes": 70000}}"#)
            .definition.storage.cache
        XCTAssertEqual(cache?.memoryBytesMax, 70_000)
    }

    func testTheRulesOfARouteAreRead() throws {
        let rules = try rules(
            """
            "cacheTTL": 60, "cacheIgnoreQueryParameters": ["_"], "offline": true,
            "invalidatesCachedRouteNames": ["a"],
            "cache": {"staleWhileRevalidate": 30, "staleIfError": 0}
            """)
        XCTAssertEqual(rules.lifetimeSeconds, 60)
        XCTAssertEqual(rules.ignoredParameters, .named(["_"]))
        XCTAssertEqual(rules.invalidatedRoutes, ["a"])
        XCTAssertEqual(rules.staleWhileRevalidateSeconds, 30)
        XCTAssertEqual(rules.staleIfErrorSeconds, 0)
        XCTAssertTrue(rules.isReadOffline)
        XCTAssertFalse(rules.keepsUnsafe)
        XCTAssertFalse(rules.isBypassed)
    }

    func testARouteWithoutKeysHasNoRules() throws {
        XCTAssertEqual(try rules(#""timeoutMilliseconds": 5"#), CacheRules())
        XCTAssertEqual(
            try rules(#""cacheTTL": 0, "cacheIgnoreQueryParameters": false"#), CacheRules())
    }

    func testUnsafeMethodsAreKeptIfTheRouteSaysSo() throws {
        let rules = try rules(#""method": "POST", "cacheTTL": 5, "cache": {"unsafe": true}"#)
        XCTAssertTrue(rules.keepsUnsafe)
        XCTAssertEqual(rules.lifetimeSeconds, 5)
    }

    func testOfflineMeansTheCacheForReadsAndTheOutboxForWrites() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "routes": {
              "read": {"path": "a", "offline": true},
              "write": {"method": "PUT", "path": "b", "offline": true},
              "both": {"method": ["GET", "PUT"], "path": "c", "offline": true}}}
            """)
        func settings(_ name: String) throws -> RouteSettings {
            api.definition.settings(of: try api.definition.routes.route(named: name))
        }
        XCTAssertNil(try settings("read").storing)
        XCTAssertTrue(try settings("read").cache.isReadOffline)
        XCTAssertEqual(try settings("write").storing, .failed)
        XCTAssertFalse(try settings("write").cache.isReadOffline)
        XCTAssertEqual(try settings("both").storing, .failed)
        XCTAssertTrue(try settings("both").cache.isReadOffline)
    }

    func testOfflineSaysWhenRequestsAreStored() throws {
        let api = try TestAPI.load(
            """
            {"restway": 1, "routes": {
              "first": {"method": "PUT", "path": "a", "offline": {"store": "first"}},
              "failed": {"method": "PUT", "path": "b", "offline": {"store": "failed"}},
              "both": {"method": ["GET", "PUT"], "path": "c", "offline": {"store": "first"}}}}
            """)
        func settings(_ name: String) throws -> RouteSettings {
            api.definition.settings(of: try api.definition.routes.route(named: name))
        }
        XCTAssertEqual(try settings("first").storing, .first)
        XCTAssertEqual(try settings("failed").storing, .failed)
        XCTAssertEqual(try settings("both").storing, .first)
        XCTAssertTrue(try settings("both").cache.isReadOffline)

        func problems(_ keys: String) -> [String] {
            TestAPI.problems(#"{"restway": 1, "routes": {"a": {"path": "a", \#(keys)}}}"#)
        }
        for methods in [#""GET""#, #""HEAD""#, #"["GET", "HEAD"]"#] {
            let found = problems(#""method": \#(methods), "offline": {"store": "failed"}"#)
            XCTAssertEqual(found.count, 1, "\(found)")
            XCTAssertTrue(
                found.first?.contains("never stored: only `true` is allowed here") == true,
                "\(found)")
        }
        for wrong in [#"{}"#, #"{"store": "later"}"#, #"{"store": true}"#, #""first""#] {
            XCTAssertEqual(problems(#""method": "PUT", "offline": \#(wrong)"#).count, 1, wrong)
        }
    }

    func testContradictionsSayWhatAndWhere() {
        assertProblem(
            #""method": "POST", "cacheTTL": 1"#,
            "cacheTTL: contradicts the methods: only answers to GET and HEAD are kept, unless "
                + "\"cache\" has \"unsafe\"")
        assertProblem(
            #""cacheTTL": 1, "cache": {"bypass": true}"#,
            "cacheTTL: contradicts \"bypass\": a route that is bypassed keeps no answers")
        assertProblem(
            #""offline": true, "cache": {"bypass": true}"#,
            "offline: contradicts \"bypass\": a route that is bypassed keeps no answers")
        assertProblem(
            #""method": "POST", "cache": {"unsafe": true}"#,
            "cache.unsafe: contradicts the lifetime: without a \"cacheTTL\" no such answer is kept")
        assertProblem(
            #""cacheTTL": 1, "cache": {"unsafe": true}"#,
            "cache.unsafe: contradicts the methods: all of them are safe")
        assertProblem(
            #""cacheTTL": 1, "stream": "events""#,
            "cacheTTL: contradicts \"stream\": an event stream is never kept")
        XCTAssertEqual(
            TestAPI.problems(
                """
                {"restway": 1,
                 "cache": {"path": "c", "maxBytes": 70000, "memoryBytes": 70001}}
                """),
            [
                "$.cache.memoryBytes: contradicts \"maxBytes\": everything that is in memory is in "
                    + "the file, too"
            ])
    }

    func testAnUnknownRouteIsNamedWithASuggestion() {
        assertProblem(
            #""invalidatesCachedRouteNames": ["aa"]"#,
            "invalidatesCachedRouteNames[0]: unknown route \"aa\"; did you mean \"a\"?")
    }

    func testARouteThatIsAddedLaterMayNameTheRoutesThatAreThere() throws {
        let api = try TestAPI.load(#"{"restway": 1, "routes": {"a": {"path": "a"}}}"#)
        let good = #"{"path": "b", "invalidatesCachedRouteNames": ["a", "b"]}"#
        let bad = #"{"path": "c", "invalidatesCachedRouteNames": ["z"]}"#
        try add("b", good, to: api)
        XCTAssertThrowsError(try add("c", bad, to: api)) { error in
            XCTAssertEqual((error as? Failure)?.reason, .config)
        }
    }

    private func add(_ name: String, _ text: String, to api: API) throws {
        try text.utf8CString.dropLast().withUnsafeBytes { text in
            try api.addRoute(name, text)
        }
    }

    private func rules(_ keys: String) throws -> CacheRules {
        let api = try TestAPI.load(#"{"restway": 1, "routes": {"a": {"path": "a", \#(keys)}}}"#)
        return api.definition.settings(of: try api.definition.routes.route(named: "a")).cache
    }

    private func assertProblem(
        _ keys: String, _ problem: String, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertEqual(
            TestAPI.problems(#"{"restway": 1, "routes": {"a": {"path": "a", \#(keys)}}}"#),
            ["$.routes.a.\(problem)"], file: file, line: line)
    }
}
