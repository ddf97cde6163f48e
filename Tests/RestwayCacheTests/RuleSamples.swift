import RestwayCalls
import RestwayDocument
import RestwayHTTP
import XCTest

@testable import RestwayCache
@testable import RestwayRequests

/// Requests, answers and entries for the tests of the decisions. Time is in seconds after a moment
/// of 2026.
enum Sample {
    static let url = "http://127.0.0.1/things"
    /// Wed, 07 Jan 2026 00:00:00 GMT.
    static let start: Int64 = 1_767_744_000

    static func time(_ seconds: Int64) -> Int64 { (start + seconds) * 1_000_000 }

    /// Reads lines like "Cache-Control: max-age=1".
    static func headers(_ lines: [String]) -> Headers {
        Headers(
            lines.map { line in
                let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
                return HeaderField(
                    name: parts[0],
                    value: String(Headers.trimmed(Substring(parts.count > 1 ? parts[1] : ""))))
            })
    }

    static func get(
        _ lines: String..., method: String = "GET", rules: CacheRules = CacheRules(),
        mode: CacheMode = .standard
    ) -> CacheRequest {
        CacheRequest(
            method: method, url: url, headers: headers(lines), rules: rules, mode: mode)
    }

    /// An answer that arrives at `arrival`.
    static func answer(
        _ lines: String..., status: Int = 200, to request: CacheRequest = get(),
        arrival: Int64 = 0, delay: Int64 = 0, bodyLength: Int64 = 10
    ) -> StoredHead {
        StoredHead(
            answering: request, status: status, httpVersion: 11, headers: headers(lines),
            url: request.url, requestTime: time(arrival - delay), responseTime: time(arrival),
            bodyLength: bodyLength)
    }

    /// The entry after an answer that was not kept has shown that it no longer holds.
    static func invalid(_ entry: StoredHead) -> StoredHead {
        entry.freshened(by: entry, isInvalid: true)
    }

    static func rules(_ change: (inout CacheRules) -> Void) -> CacheRules {
        var rules = CacheRules()
        change(&rules)
        return rules
    }
}

extension CacheRequest {
    var staysOffline: Bool { mode == .only || directives.flags.contains(.onlyIfCached) }
}

extension Reuse {
    /// The decision in short: "hit", "hit+refresh", "part 1-2", "304", "validate", "rest", "send",
    /// "nothing".
    var word: String {
        switch self {
        case .serve(_, _, _, let part?): "part \(part.first)-\(part.last)"
        case .serve(_, _, let refreshes, nil): refreshes ? "hit+refresh" : "hit"
        case .notModified: "304"
        case .validate: "validate"
        case .complete: "rest"
        case .send: "send"
        case .nothing: "nothing"
        }
    }
}

extension Keeping {
    var word: String {
        switch self {
        case .keep: "keep"
        case .freshen: "freshen"
        case .combine: "combine"
        case .invalidate: "invalidate"
        case .pass: "pass"
        }
    }
}
