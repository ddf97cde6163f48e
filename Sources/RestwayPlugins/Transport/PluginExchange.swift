import CRestwayPlugin
import RestwayHTTP
import RestwaySupport
import Synchronization

/// An exchange that a plugin's transport performs.
///
/// `@unchecked Sendable`: each part says who may touch it.
final class PluginExchange: @unchecked Sendable {
    typealias Outcome = Result<ExchangeSummary, TransportError>

    let id: UInt64
    /// What is to be performed.
    let exchange: Exchange
    let wantsProgress: Bool
    /// What the plugin reads of the request; `nil` when there is no body.
    let body: OutgoingBody?
    let startedAt: Deadline
    /// A head that came before, for one that is alike.
    let known: KnownHead

    /// Whose turn it is to tell the observer something, and who ends the exchange: nobody needs a
    /// lock for that.
    let order = Atomic<ExchangeOrder>(ExchangeOrder())

    // MARK: Of whoever tells the observer something, or ends the exchange, by `order`

    /// `nil` when it has been told of the end.
    var observer: (any ExchangeObserver)?
    var downloaded: Int64 = 0
    var redirectURL: String?

    // MARK: Under the lock of the host

    /// When the watchdog looks at it.
    var deadline: Deadline
    /// How it ended, while the observer hears something else.
    var ending: TransportError?
    /// The plugin was told to end it.
    var isCancelled = false
    /// What the transport that it was left to calls it.
    var forwardedID: ExchangeID?
    /// How it ended there, while the plugin keeps that back.
    var held: Outcome?

    /// The watchdog gives the plugin some time beyond the time-out.
    init(
        id: UInt64, _ exchange: borrowing Exchange, _ observer: any ExchangeObserver,
        wantsProgress: Bool, _ known: KnownHead, at now: Deadline, patienceMilliseconds: Int64
    ) {
        self.id = id
        body = OutgoingBody.of(exchange)
        self.exchange = copy exchange
        self.observer = observer
        self.wantsProgress = wantsProgress
        startedAt = now
        self.known = known
        let total = exchange.timeouts.totalMilliseconds
        deadline = total > 0 ? now.advanced(milliseconds: total + patienceMilliseconds) : .never
    }

    /// The plugin is to end it before `deadline`.
    ///
    /// - Returns: Whether it is to be told, and what the transport knows that it was left to.
    func cancel(until deadline: Deadline) -> (asksPlugin: Bool, forwardedID: ExchangeID?) {
        let order = order.now
        let isFirst = !isCancelled
        isCancelled = true
        let isElsewhere = order.isForwarded && held == nil
        // There it ends for certain.
        if !isElsewhere { self.deadline = min(self.deadline, deadline) }
        let isPlugins = !order.isForwarded && !order.isCompleted
        return (isFirst && isPlugins, isElsewhere ? forwardedID : nil)
    }

    /// Fills in what a plugin leaves out.
    ///
    /// - Parameter now: Read when it is needed.
    func summary(
        _ end: UnsafePointer<restway_plugin_end>, now: @autoclosure () -> Deadline
    ) -> ExchangeSummary {
        let end = end.pointee
        var timings = ExchangeTimings()
        timings.nameLookupMicroseconds = max(0, end.name_lookup_microseconds)
        timings.connectMicroseconds = max(0, end.connect_microseconds)
        timings.tlsMicroseconds = max(0, end.tls_microseconds)
        timings.firstByteMicroseconds = max(0, end.first_byte_microseconds)
        timings.totalMicroseconds =
            end.total_microseconds > 0
            ? end.total_microseconds : now().microseconds(since: startedAt)
        return ExchangeSummary(
            redirectURL: redirectURL, timings: timings,
            connectionWasReused: end.reused_connection != 0,
            uploadedBytes: end.uploaded > 0 ? end.uploaded : body?.given ?? 0,
            downloadedBytes: end.downloaded > 0 ? end.downloaded : downloaded)
    }
}
