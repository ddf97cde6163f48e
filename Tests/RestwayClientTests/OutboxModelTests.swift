import Glibc
import XCTest

/// Random schedules: online and offline, temporary and permanent failures, 401s, lost and slow
/// answers, batches, restarts, the host's decisions. What comes of it is what a list would do.
final class OutboxModelTests: OutboxTestCase {
    /// `RESTWAY_SCHEDULE=7` runs that seed alone.
    func testRandomSchedulesEndAsTheModelSays() throws {
        let first = UInt64.random(in: 1...1_000_000)
        let only = getenv("RESTWAY_SCHEDULE").flatMap { UInt64(String(cString: $0)) }
        let seeds = only.map { [$0] } ?? Array(1...12) + Array(first..<first + 4)
        print("seeds \(seeds)")
        for seed in seeds {
            let schedule = try OutboxSchedule(self, seed: seed)
            for _ in 0..<60 { try schedule.step() }
            try schedule.finish()
            schedule.end()
            removeFiles()
            if (testRun?.failureCount ?? 0) > 0 { break }
        }
    }
}
