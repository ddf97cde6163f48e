import Glibc
import RestwayThreads
import XCTest

@testable import RestwayClient

/// Runs the cases of the public test suite for HTTP caches that apply to a private cache.
final class SuiteTests: XCTestCase {
    private func run<Driver: SuiteDriver>(
        _ makeDriver: (SuiteServer, ManualClock) throws -> Driver,
        end: (Driver) -> Void = { _ in }
    ) throws -> SuiteResults {
        SuiteResults(
            cases: try SuiteCase.forPrivateCaches().enumerated().map { number, test in
                let clock = ManualClock()
                let server = SuiteServer(test, number: number + 1, clock: clock)
                let driver = try makeDriver(server, clock)
                defer { end(driver) }
                let runner = SuiteRunner(server: server, clock: clock, driver: driver)
                return (test, runner.run())
            })
    }

    private func runClients(_ cache: String) throws -> SuiteResults {
        try run {
            try SuiteClient($0, $1, cache: cache)
        } end: {
            $0.end()
        }
    }

    private func runClientsWithFile() throws -> SuiteResults {
        var template = Array("/tmp/restway-suite-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        let folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try runClients(
            #"""
            "cache": {"heuristics": true, "path": "\#(folder)/cache.db", "memoryBytes": 0},
            """#)
    }

    private func check(
        _ results: SuiteResults, _ reasons: [String: String], file: StaticString = #filePath,
        line: UInt = #line
    ) {
        for (test, problem) in results.cases where test.kind != .check {
            let text = problem.map { ($0.isSetup ? "setup: " : "") + $0.text }
            if let text, reasons[test.id] == nil {
                XCTFail("\(test.id): \(text)", file: file, line: line)
            }
            if text == nil, reasons[test.id] != nil {
                XCTFail("\(test.id) passes and has a reason not to", file: file, line: line)
            }
        }
    }

    /// The public suite counts 76 for a client without a cache, and leaves the cases for browsers
    /// out of it: so the runner judges as that suite does.
    func testAClientWithoutACachePassesWhatThePublicSuiteSays() throws {
        let results = try run { SuiteModel($0, $1, keeps: false) }
        let passed = results.cases.filter {
            $0.test.kind == .required && !$0.test.isForBrowsers && $0.problem == nil
        }
        XCTAssertEqual(passed.count, 76)
    }

    /// A client differs from the decisions only where its journey refuses what a case sends.
    func testAClientWithoutACacheFailsWhereTheModelFails() throws {
        let model = try run { SuiteModel($0, $1, keeps: false) }
        let client = try runClients("")
        let different = zip(model.cases, client.cases).filter { one, other in
            one.test.kind != .check && one.problem?.text != other.problem?.text
        }
        XCTAssertEqual(
            Set(different.map { $0.0.test.id }), Set(SuiteResults.exceptionsOfClients.keys))
    }

    func testTheDecisionsPass() throws {
        check(try run { SuiteModel($0, $1) }, SuiteResults.exceptions)
    }

    func testClientsPassFromMemoryAndFromAFile() throws {
        let reasons = SuiteResults.exceptions
            .merging(SuiteResults.exceptionsOfClients) { $1 }
            .merging(SuiteResults.exceptionsOfCaches) { $1 }
        let memory = try runClients(#""cache": {"heuristics": true},"#)
        check(memory, reasons)
        let file = try runClientsWithFile()
        check(file, reasons)
        try SuiteTable(memory: memory, file: file, reasons: reasons).checkDocs()
    }
}
