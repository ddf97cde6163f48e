import CRestwayPlugin
import RestwayHTTP
import RestwaySupport

/// An exchange that a plugin's transport performs.
///
/// `@unchecked Sendable`: what varies is touched under the lock of its `ExchangeHost` alone. It has
/// none of its own, since whoever wants something of it asks the host for it first.
final class PluginExchange: @unchecked Sendable {
    typealias Outcome = Result<ExchangeSummary, TransportError>

    let id: UInt64
    let exchange: Exchange
    let wantsProgress: Bool
    /// What the plugin reads of the request; `nil` when there is no body.
    let body: OutgoingBody?

    // MARK: Under the lock of the host

    var order = ExchangeOrder()
    /// `nil` when it has been told of the end.
    var observer: (any ExchangeObserver)?
    var startedAt = Deadline.past
    /// When the watchdog looks at it.
    var deadline = Deadline.never
    var downloaded: Int64 = 0
    var redirectURL: String?
    /// The plugin was told to end it.
    var isCancelled = false
    /// What the transport that it was left to calls it.
    var forwardedID: ExchangeID?
    /// How it ended there, while the plugin keeps that back.
    var held: Outcome?

    init(
        id: UInt64, _ exchange: borrowing Exchange, _ observer: any ExchangeObserver
    ) {
        self.id = id
        body = OutgoingBody.of(exchange)
        self.exchange = copy exchange
        self.observer = observer
        wantsProgress = observer.wantsProgress
    }

    /// It has begun; the watchdog gives the plugin some time beyond the time-out.
    func begin(_ now: Deadline, patienceMilliseconds: Int64) {
        startedAt = now
        let total = exchange.timeouts.totalMilliseconds
        guard total > 0 else { return }
        deadline = now.advanced(milliseconds: total).advanced(milliseconds: patienceMilliseconds)
    }

    /// The plugin is to end it before `deadline`.
    ///
    /// - Returns: Whether it is to be told, and what the transport knows that it was left to.
    func cancel(until deadline: Deadline) -> (asksPlugin: Bool, forwardedID: ExchangeID?) {
        let isFirst = !isCancelled
        isCancelled = true
        let isElsewhere = order.isForwarded && held == nil
        // There it ends for certain.
        if !isElsewhere { self.deadline = min(self.deadline, deadline) }
        let isPlugins = !order.isForwarded && !order.isCompleted
        return (isFirst && isPlugins, isElsewhere ? forwardedID : nil)
    }

    /// Fills in what a plugin leaves out.
    func summary(_ end: restway_plugin_end, now: Deadline) -> ExchangeSummary {
        var timings = ExchangeTimings()
        timings.nameLookupMicroseconds = max(0, end.name_lookup_microseconds)
        timings.connectMicroseconds = max(0, end.connect_microseconds)
        timings.tlsMicroseconds = max(0, end.tls_microseconds)
        timings.firstByteMicroseconds = max(0, end.first_byte_microseconds)
        timings.totalMicroseconds =
            end.total_microseconds > 0
            ? end.total_microseconds : now.microseconds(since: startedAt)
        return ExchangeSummary(
            redirectURL: redirectURL, timings: timings,
            connectionWasReused: end.reused_connection != 0,
            uploadedBytes: end.uploaded > 0 ? end.uploaded : body?.given ?? 0,
            downloadedBytes: end.downloaded > 0 ? end.downloaded : downloaded)
    }
}
