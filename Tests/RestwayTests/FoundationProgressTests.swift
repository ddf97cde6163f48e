import Foundation
import LoopbackServer
import Restway
import XCTest

/// A reporter as a `Progress` of Foundation.
final class FoundationProgressTests: DemoTestCase {
    /// Waits until a number of a `Progress` is as expected: a task sets it a moment later.
    private func expect(
        _ isExpected: () -> Bool, file: StaticString = #filePath, line: UInt = #line
    ) async {
        let deadline = ContinuousClock.now + .seconds(10)
        while !isExpected(), ContinuousClock.now < deadline { await Task.yield() }
        XCTAssertTrue(isExpected(), file: file, line: line)
    }

    func testAProgressFollowsItsReporter() async throws {
        let parent = Progress.discreteProgress(totalUnitCount: 2)
        let reporter = ProgressReporter()
        let progress = reporter.foundationProgress()
        parent.addChild(progress, withPendingUnitCount: 1)
        try await client().send(Request(.get, "status"), progress: reporter)
        await expect { progress.isFinished }
        XCTAssertEqual(progress.completedUnitCount, progress.totalUnitCount)
        // Foundation changes the parent after the child, so it may still have the part before.
        await expect { abs(parent.fractionCompleted - 0.5) < 0.001 }
    }

    func testACancelledProgressCancelsTheWork() async throws {
        let server = try TestServer.silent()
        let client = try client { $0.baseURL = server.url("/v2") }
        let reporter = ProgressReporter()
        reporter.foundationProgress().cancel()
        let error = try await failure { () throws(RestwayError) in
            try await client.send(Request(.get, "anything"), progress: reporter)
        }
        XCTAssertEqual(error.kind, .cancelled)
    }

    func testAProgressDoesNotKeepItsReporter() {
        weak var ended: ProgressReporter?
        let progress: Progress
        do {
            let reporter = ProgressReporter()
            ended = reporter
            progress = reporter.foundationProgress()
        }
        XCTAssertNil(ended)
        XCTAssertEqual(progress.completedUnitCount, 0)
    }
}
