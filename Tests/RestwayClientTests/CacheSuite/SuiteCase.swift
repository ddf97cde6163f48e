import RestwayHTTP
import RestwayJSON
import XCTest

@testable import RestwayDocument

/// A case of the public test suite for HTTP caches: requests in a row, what the server answers, and
/// what is expected.
///
/// The cases are not part of this repository. The form of their file is `cache-tests.schema.json`
/// beside it.
struct SuiteCase {
    enum Kind: String {
        case required, optimal, check
    }

    let id: String
    /// The name of the suite that the case is in.
    let suite: String
    let kind: Kind
    /// Whether the case is one for browsers: it uses the cache modes of Fetch.
    let isForBrowsers: Bool
    let steps: [SuiteStep]
}

/// One request of a case.
struct SuiteStep {
    /// A header field as the file has it.
    struct Field {
        let name: String
        /// A text, or a number of seconds from now for a date.
        let value: JSONValue
        /// Whether the answer of the call must have the value that the server sent.
        let isCompared: Bool
    }

    let values: JSONValue

    subscript(key: String) -> JSONValue? { values[key] }

    func isSet(_ key: String) -> Bool { values[key]?.bool == true }

    func text(_ key: String) -> String? { values[key]?.string }

    func fields(_ key: String) -> [Field] {
        (values[key]?.elements ?? []).map { element in
            let parts = element.elements ?? []
            return Field(
                name: parts[0].string ?? "", value: parts[1],
                isCompared: parts.count < 3 || parts[2].bool == true)
        }
    }

    /// Whether what is expected under this key only prepares the case.
    func isSetup(_ key: String) -> Bool {
        isSet("setup")
            || (values["setup_tests"]?.elements ?? []).contains { $0.string == key }
    }
}

extension SuiteCase {
    /// Reads the cases that apply to a private cache.
    static func forPrivateCaches() throws -> [SuiteCase] {
        let folder =
            getenv("RESTWAY_CONFORMANCE").map { String(cString: $0) } ?? Self.sibling
        let path = folder + "/cache-tests.json"
        guard let bytes = try? FileText.read(path) else {
            throw XCTSkip("there is no \(path); RESTWAY_CONFORMANCE can name its folder")
        }
        let suites = try JSONValue.parse(String(decoding: bytes, as: UTF8.self))
        var cases: [SuiteCase] = []
        for suite in suites.elements ?? [] {
            for test in suite["tests"]?.elements ?? [] {
                let isForOthers =
                    test["cdn_only"]?.bool == true || test["browser_skip"]?.bool == true
                if !isForOthers { cases.append(SuiteCase(test, suite["id"]?.string ?? "")) }
            }
        }
        return cases
    }

    private init(_ test: JSONValue, _ suite: String) {
        self.suite = suite
        id = test["id"]?.string ?? ""
        kind = test["kind"]?.string.flatMap { Kind(rawValue: $0) } ?? .required
        isForBrowsers = test["browser_only"]?.bool == true
        steps = (test["requests"]?.elements ?? []).map { SuiteStep(values: $0) }
    }

    /// The folder of this repository.
    static var repository: String {
        "/" + "\(#filePath)".split(separator: "/").dropLast(4).joined(separator: "/")
    }

    /// The folder `shared/conformance` beside the repository.
    private static var sibling: String {
        repository + "/../shared/conformance"
    }
}

/// A request as a driver sends it.
struct SuiteRequest: Sendable {
    var method: String
    /// The path and the query.
    var path: String
    var headers: Headers
    var body: String?
    /// The cache mode of Fetch.
    var mode: String?
}

/// An answer of the server, and of a call.
struct SuiteAnswer: Sendable {
    var status: Int
    var reason = ""
    var headers: Headers
    var body: String
}
