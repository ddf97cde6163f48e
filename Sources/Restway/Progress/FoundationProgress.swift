public import Foundation

extension ProgressReporter {
    /// Makes a `Progress` of Foundation that follows this reporter. It can be a child of another
    /// one, and its `cancel` cancels the work.
    ///
    ///     let reporter = ProgressReporter()
    ///     parent.addChild(reporter.foundationProgress(), withPendingUnitCount: 1)
    ///     try await client.download("films/7", to: "film.mp4", progress: reporter)
    ///
    /// The numbers change on any thread. A `Progress` of work that has failed is never finished.
    public func foundationProgress() -> Progress {
        let progress = Progress.discreteProgress(totalUnitCount: Self.units)
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        // The task holds the states and not the reporter, so that it ends with the reporter.
        let follower = Follower(progress: progress, states: makeAsyncIterator())
        Task { await follower.follow() }
        return progress
    }

    private static var units: Int64 { 1_000 }

    /// Sets the numbers of a `Progress`.
    ///
    /// `@unchecked Sendable`: one task uses it, and a `Progress` may be changed on any thread.
    private final class Follower: @unchecked Sendable {
        private let progress: Progress
        private var states: AsyncStream<State>.Iterator

        init(progress: Progress, states: AsyncStream<State>.Iterator) {
            self.progress = progress
            self.states = states
        }

        func follow() async {
            while let state = await states.next() {
                let done = state.fraction * Double(ProgressReporter.units)
                progress.completedUnitCount = Int64(done)
            }
        }
    }
}
