import RestwayThreads
import XCTest

@testable import RestwayClient

/// Runs the cases of the public test suite for HTTP caches that apply to a private cache.
final class SuiteTests: XCTestCase {
    private func run(
        _ makeDriver: (SuiteServer, ManualClock) throws -> any SuiteDriver
    ) throws -> [(test: SuiteCase, problem: SuiteRunner.Problem?)] {
        try SuiteCase.forPrivateCaches().enumerated().map { number, test in
            let clock = ManualClock()
            let server = SuiteServer(test, number: number + 1, clock: clock)
            let driver = try makeDriver(server, clock)
            return (test, SuiteRunner(server: server, clock: clock, driver: driver).run())
        }
    }

    private func passed(
        _ results: [(test: SuiteCase, problem: SuiteRunner.Problem?)], _ kind: SuiteCase.Kind
    ) -> Int {
        results.filter { $0.test.kind == kind && $0.problem == nil }.count
    }

    func testTheRunnerJudgesAClientWithoutACacheLikeThePublicSuite() throws {
        let results = try run { SuiteModel($0, $1, keeps: false) }
        XCTAssertEqual(passed(results, .required), 76)
    }

    func testTheDecisionsPass() throws {
        let results = try run { SuiteModel($0, $1) }
        for (test, problem) in results {
            guard let problem else { continue }
            print("\(test.kind) \(test.id): \(problem.isSetup ? "setup: " : "")\(problem.text)")
        }
        for kind in [SuiteCase.Kind.required, .optimal, .check] {
            print("\(kind): \(passed(results, kind)) of \(results.filter { $0.test.kind == kind }.count)")
        }
    }
}
