import RestwayOutcome
import RestwayThreads

/// A clock for tests. It stands still, and a test moves it: a client with this clock waits for
/// retries, refreshes and the expiry of cached answers until the test has moved the clock to them.
///
///     let clock = TestClock()
///     var options = Client.Options()
///     options.testing.clock = clock
///     let client = try Client(api, options: options)
///     try clock.advance(by: .seconds(30))
///
/// The time limits of libcurl and of the operating system still use the machine's clock.
public final class TestClock: Sendable {
    let core = ManualClock()

    /// Makes a clock that shows the machine's present time.
    public init() {}

    /// Moves the clock. Jobs that become due start on other threads, in their order.
    ///
    /// - Throws: A `RestwayError` of the kind `invalidArgument` for a negative duration, or for a
    ///   time that the clock cannot show.
    public func advance(by duration: Duration) throws(RestwayError) {
        guard duration >= .zero, core.advance(milliseconds: duration.milliseconds) else {
            throw RestwayError(
                Failure(
                    .invalidArgument, "the clock cannot show a time that is \(duration) ahead",
                    field: "duration"))
        }
    }

    /// The time until the next job is due; `nil` if no job waits for the clock.
    public var next: Duration? { core.nextMilliseconds.map(Duration.milliseconds) }
}
