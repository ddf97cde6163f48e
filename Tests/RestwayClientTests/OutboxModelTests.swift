import Glibc
import XCTest

@testable import RestwayOutbox

/// Random schedules: online and offline, temporary and permanent failures, 401s, lost and slow
/// answers, batches, restarts, decisions of the program. The result must equal the result of a
/// simple list.
final class OutboxModelTests: OutboxTestCase {
    /// `RESTWAY_SCHEDULE=7` runs only that seed; `RESTWAY_SCHEDULES=400` adds that many random
    /// seeds.
    func testRandomSchedulesEndAsTheModelSays() throws {
        let first = UInt64.random(in: 1...1_000_000)
        let only = number("RESTWAY_SCHEDULE")
        let last = first + (number("RESTWAY_SCHEDULES") ?? 4)
        let seeds = only.map { [$0] } ?? Array(1...12) + Array(first..<last)
        print("seeds \(seeds.prefix(13)) to \(seeds.last ?? 0)")
        for seed in seeds {
            let schedule = try OutboxSchedule(self, seed: seed)
            for _ in 0..<60 { try schedule.step() }
            try schedule.finish()
            schedule.end()
            removeFiles()
            if (testRun?.failureCount ?? 0) > 0 { break }
        }
    }

    private func number(_ variable: String) -> UInt64? {
        getenv(variable).flatMap { UInt64(String(cString: $0)) }
    }
}
