import CRestwayPlugin
import RestwayHTTP
import RestwayThreads

/// An exchange that a plugin's transport performs.
///
/// `@unchecked Sendable`: a comment at each group of properties says which thread may use it.
final class PluginExchange: @unchecked Sendable {
    typealias Outcome = Result<ExchangeSummary, TransportError>

    let id: UInt64
    /// The exchange that is performed.
    let exchange: Exchange
    let wantsProgress: Bool
    /// The body that the plugin reads; `nil` if the request has no body.
    let body: OutgoingBody?
    let startedAt: Deadline

    // MARK: Used by the thread that calls the observer or ends the exchange, as the order decides

    /// The observer; `nil` after it has received the end.
    var observer: (any ExchangeObserver)?
    var downloaded: Int64 = 0
    var redirectURL: String?

    /// The state that the lock of the opened transport guards.
    struct Guarded {
        /// Decides which thread may call the observer and which thread ends the exchange.
        var order = ExchangeOrder()
        /// The time at which the watchdog checks the exchange.
        var deadline: Deadline
        /// The error with which the exchange ended during an observer call.
        var ending: TransportError?
        /// The plugin was told to end the exchange.
        var isCancelled = false
        /// The identifier that the transport of a forwarded exchange gave it.
        var forwardedID: ExchangeID?
        /// The outcome of a forwarded exchange that the plugin has not let go of yet.
        var held: Outcome?
    }

    var guarded: Guarded

    /// The watchdog gives the plugin some time beyond the time limit.
    init(id: UInt64, _ exchange: Exchange, _ observer: any ExchangeObserver, at now: Deadline) {
        self.id = id
        body = OutgoingBody(exchange.body)
        self.exchange = exchange
        self.observer = observer
        wantsProgress = observer.wantsProgress
        startedAt = now
        let total = exchange.timeouts.totalMilliseconds
        let limit = total + OpenedTransport.patienceMilliseconds
        guarded = Guarded(deadline: total > 0 ? now.advanced(milliseconds: limit) : .never)
    }

    /// Sets the deadline by which the plugin must end the exchange.
    ///
    /// - Returns: Whether the plugin is to be told, and the identifier at the transport that
    ///   performs a forwarded exchange.
    func cancel(until deadline: Deadline) -> (asksPlugin: Bool, forwardedID: ExchangeID?) {
        let order = guarded.order
        let isFirst = !guarded.isCancelled
        guarded.isCancelled = true
        let isElsewhere = order.isForwarded && guarded.held == nil
        // A forwarded exchange is certain to end, so its deadline stays.
        if !isElsewhere { guarded.deadline = min(guarded.deadline, deadline) }
        let isPlugins = !order.isForwarded && !order.isCompleted
        return (isFirst && isPlugins, isElsewhere ? guarded.forwardedID : nil)
    }

    /// Completes the summary with the fields that a plugin leaves out.
    func summary(
        _ end: UnsafePointer<restway_plugin_end>, now: Deadline
    ) -> ExchangeSummary {
        let end = end.pointee
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
