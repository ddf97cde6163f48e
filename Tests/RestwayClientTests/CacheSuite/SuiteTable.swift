import Glibc
import RestwayThreads
import XCTest

@testable import RestwayClient
@testable import RestwayDocument

/// What has become of all cases.
struct SuiteResults {
    let cases: [(test: SuiteCase, problem: SuiteRunner.Problem?)]

    /// Why a case does not pass.
    static let exceptions: [String: String] = [
        "partial-store-partial-reuse-partial-absent":
            "The server states a range of six bytes and sends five. The request asks for bytes "
            + "to the end, and the last one never came (RFC 9111, section 3.3).",
        "partial-store-partial-reuse-partial-suffix":
            "The server states a range of six bytes and sends five. The request asks for the "
            + "last byte, which never came; the cache does not take another byte for it.",
        "partial-store-partial-complete":
            "The part has no strong validator, so it must not be joined with another part (RFC "
            + "9111, section 3.4). The whole body is asked for.",
    ]

    /// Why a case that the decisions pass does not pass for any client.
    static let exceptionsOfClients: [String: String] = [
        "headers-store-Transfer-Encoding":
            "The answer has a transfer coding that Restway did not ask for and cannot undo (RFC "
            + "9112, section 6.1), and the call fails.",
    ]

    /// Why a case that the decisions pass does not pass for a client with a cache.
    static let exceptionsOfCaches: [String: String] = [
        "vary-normalise-combine":
            "A request of a client has one field of a name, so it cannot be sent as the case "
            + "wants.",
        "other-cookie":
            "A cookie that the program gives in a header field says who the user is, so the "
            + "answers are kept apart like those to requests with a credential.",
    ]

    func count(_ suite: String?, _ kind: SuiteCase.Kind) -> (passed: Int, all: Int) {
        let all = cases.filter { $0.test.kind == kind && (suite == nil || $0.test.suite == suite) }
        return (all.filter { $0.problem == nil }.count, all.count)
    }
}

/// The table of results in `docs/CACHE.md`. `RESTWAY_WRITE_TABLE=1` writes it; otherwise it is
/// compared.
struct SuiteTable {
    static let begin = "<!-- The test SuiteTests writes this table. -->\n"
    static let end = "<!-- The end of the table. -->\n"

    let memory: SuiteResults
    let file: SuiteResults
    /// Why cases do not pass.
    let reasons: [String: String]

    var text: String {
        var text = "| suite | required | optimal |\n| --- | --- | --- |\n"
        var suites: [String] = []
        for (test, _) in memory.cases where test.kind != .check && !suites.contains(test.suite) {
            suites.append(test.suite)
        }
        for suite in suites { text += row("`\(suite)`", suite) }
        text += row("**all**", nil)
        text += "\n| case that does not pass | kind | reason |\n| --- | --- | --- |\n"
        for (test, problem) in memory.cases where test.kind != .check && problem != nil {
            let reason = reasons[test.id] ?? "?"
            text += "| `\(test.id)` | \(test.kind) | \(reason) |\n"
        }
        return text
    }

    private func row(_ name: String, _ suite: String?) -> String {
        "| \(name) | \(cell(suite, .required)) | \(cell(suite, .optimal)) |\n"
    }

    /// The number from the file stands behind the one from memory if they differ.
    private func cell(_ suite: String?, _ kind: SuiteCase.Kind) -> String {
        let (memory, file) = (memory.count(suite, kind), file.count(suite, kind))
        if memory.all == 0 { return "" }
        let passed =
            memory.passed == file.passed
            ? "\(memory.passed)" : "\(memory.passed) from memory, \(file.passed) from SQLite,"
        return "\(passed) of \(memory.all)"
    }

    func checkDocs() throws {
        let path = SuiteCase.repository + "/docs/CACHE.md"
        guard let bytes = try? FileText.read(path) else { return }
        let document = String(decoding: bytes, as: UTF8.self)
        let parts = document.components(separatedBy: Self.begin)
        let ends = parts.last?.components(separatedBy: Self.end) ?? []
        guard parts.count == 2, ends.count == 2 else {
            return XCTFail("\(path) has no place for the table")
        }
        if getenv("RESTWAY_WRITE_TABLE") != nil {
            let new = parts[0] + Self.begin + text + Self.end + ends[1]
            try new.write(toFile: path, atomically: true, encoding: .utf8)
        } else {
            XCTAssertEqual(
                ends[0], text, "the table is stale; RESTWAY_WRITE_TABLE=1 writes it again")
        }
    }
}
