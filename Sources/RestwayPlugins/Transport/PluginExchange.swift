import CRestwayPlugin
import RestwayHTTP
import RestwayRouting
import RestwaySupport

/// An exchange that a plugin's transport performs.
///
/// Neither the observer nor the plugin is called under its lock.
final class PluginExchange: Sendable {
    typealias Outcome = ExchangeOrder.Outcome

    private struct State {
        var order = ExchangeOrder()
        /// `nil` when it has been told of the end.
        var observer: (any ExchangeObserver)?
        var downloaded: Int64 = 0
        var redirectURL: String?
        /// When the watchdog looks at it.
        var deadline: Deadline
        /// The plugin was told to end it.
        var isCancelled = false
        /// What the transport that it was left to calls it.
        var forwardedID: ExchangeID?
        /// How it ended there, while the plugin keeps that back.
        var held: Outcome?
    }

    let id: UInt64
    let exchange: Exchange
    let startedAt: Deadline
    let wantsProgress: Bool
    /// What the plugin reads of the request.
    let body: OutgoingBody
    private let state: Lock<State>

    init(
        id: UInt64, _ exchange: Exchange, _ observer: any ExchangeObserver, startedAt: Deadline,
        deadline: Deadline
    ) {
        self.id = id
        self.exchange = exchange
        self.startedAt = startedAt
        wantsProgress = observer.wantsProgress
        body = OutgoingBody(exchange.body)
        state = Lock(State(observer: observer, deadline: deadline))
    }

    // MARK: What the plugin tells

    /// Tells the observer, when it is the time for that.
    ///
    /// - Parameter tell: Says what is wrong with what came.
    /// - Returns: What was against the contract; the caller ends the exchange with it.
    func tell(
        _ event: ExchangeOrder.Event, byForwarding: Bool = false,
        _ tell: (any ExchangeObserver) -> String?
    ) -> String? {
        let (answer, observer) = state.withLock { state in
            (state.order.enter(event, byForwarding: byForwarding), state.observer)
        }
        switch answer {
        case .drop: return nil
        case .refuse(let problem): return problem
        case .tell: break
        }
        let problem = observer.flatMap(tell)
        deliver(state.withLock { state in state.order.leave() })
        return problem
    }

    func received(_ head: ResponseHead, byForwarding: Bool = false) -> String? {
        let location = head.headers[first: "Location"]
        if let location, (300..<400).contains(head.status) {
            // What is no URL is left to the one who decides whether to go there.
            let url = (try? URLText.resolve(location, against: exchange.url)) ?? location
            state.withLock { $0.redirectURL = url }
        }
        return tell(.head, byForwarding: byForwarding) { observer in
            observer.receivedHead(head)
            return nil
        }
    }

    /// - Returns: What the observer says to it, or what was against the contract.
    func received(
        _ bytes: UnsafeRawBufferPointer, byForwarding: Bool = false
    ) -> (reply: BodyReply, problem: String?) {
        let over = BodyReply.stop(TransportError(.cancelled, "the exchange is over"))
        let (answer, observer) = state.withLock { state in
            (state.order.enter(.body, byForwarding: byForwarding), state.observer)
        }
        switch answer {
        case .drop: return (over, nil)
        case .refuse(let problem): return (over, problem)
        case .tell: break
        }
        let reply = bytes.isEmpty ? .proceed : observer?.receivedBody(bytes) ?? over
        let outcome = state.withLock { state in
            state.downloaded += Int64(bytes.count)
            // Whoever wants no more need not wait for the plugin.
            if case .stop(let error) = reply { _ = state.order.end(error) }
            return state.order.leave(pausing: reply == .pause)
        }
        deliver(outcome)
        return (reply, nil)
    }

    /// - Returns: What was against the contract; the caller ends the exchange with it.
    func completed(_ result: Outcome) -> String? {
        let (tell, problem) = state.withLock { $0.order.complete(result) }
        deliver(tell)
        return problem
    }

    func giveBack() {
        state.withLock { $0.order.giveBack() }
    }

    /// Ends it for the observer, whatever the plugin does. False when it had ended already.
    @discardableResult
    func end(_ error: TransportError) -> Bool {
        let (outcome, isFirst) = state.withLock { state in
            let isFirst = !state.order.isDecided
            return (state.order.end(error), isFirst)
        }
        deliver(outcome)
        return isFirst
    }

    private func deliver(_ outcome: Outcome?) {
        guard let outcome else { return }
        let observer = state.withLock { $0.observer.take() }
        observer?.completed(outcome)
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
        return state.withLock { state in
            ExchangeSummary(
                redirectURL: state.redirectURL, timings: timings,
                connectionWasReused: end.reused_connection != 0,
                uploadedBytes: end.uploaded > 0 ? end.uploaded : body.given,
                downloadedBytes: end.downloaded > 0 ? end.downloaded : state.downloaded)
        }
    }

    var isDecided: Bool { state.withLock { $0.order.isDecided } }

    // MARK: Cancelling and the watchdog

    func resume() {
        state.withLock { $0.order.resume() }
    }

    /// The plugin is to end it before `deadline`.
    ///
    /// - Returns: Whether it is to be told, and what the transport knows that it was left to.
    func cancel(until deadline: Deadline) -> (asksPlugin: Bool, forwardedID: ExchangeID?) {
        state.withLock { state in
            let isFirst = !state.isCancelled
            state.isCancelled = true
            let isElsewhere = state.order.isForwarded && state.held == nil
            // There it ends for certain.
            if !isElsewhere { state.deadline = min(state.deadline, deadline) }
            let isPlugins = !state.order.isForwarded && !state.order.isCompleted
            return (isFirst && isPlugins, isElsewhere ? state.forwardedID : nil)
        }
    }

    var deadline: Deadline { state.withLock { $0.deadline } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func setDeadline(_ deadline: Deadline) {
        state.withLock { $0.deadline = deadline }
    }

    // MARK: Forwarding

    func forward() -> Bool {
        guard body.rewind() else { return false }
        return state.withLock { state in
            guard state.order.forward() else { return false }
            state.deadline = .never
            return true
        }
    }

    /// - Returns: Whether it was cancelled meanwhile.
    func isForwarded(as id: ExchangeID) -> Bool {
        state.withLock { state in
            state.forwardedID = id
            return state.isCancelled
        }
    }

    func hold(_ result: Outcome, until deadline: Deadline) {
        state.withLock { state in
            state.held = result
            state.deadline = deadline
        }
    }

    var forwardedID: ExchangeID? { state.withLock { $0.forwardedID } }
    var held: Outcome? { state.withLock { $0.held } }
    var isForwarded: Bool { state.withLock { $0.order.isForwarded } }
}
