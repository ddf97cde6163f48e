public import FoundationEssentials
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayThreads

/// The calls of a client: what happens to them, which are in flight, and the functions and the
/// policies of the program that decide about all of them.
///
///     for await event in try client.calls.events([.tooSlow, .didFail]) {
///         print(event.kind, event.call.method, event.call.url, event.error?.message ?? "")
///     }
public struct Calls: Sendable {
    let core: RestwayClient.Client
    let source: ObjectSource

    /// The events of calls that begin from now on. The sequence ends when the client is closed; a
    /// loop that ends stops it.
    ///
    /// - Parameters:
    ///   - kinds: The wanted events; by default, all of them.
    ///   - routes: The names of the routes; `nil` for all calls.
    ///   - progressInterval: The shortest time between two events about the same progress; not
    ///     negative.
    public func events(
        _ kinds: Set<CallEvent.Kind> = Set(CallEvent.Kind.allCases), routes: [String]? = nil,
        progressInterval: Duration = .milliseconds(100)
    ) throws(RestwayError) -> AsyncStream<CallEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: CallEvent.self)
        let observer = try observe(kinds, routes, progressInterval) {
            continuation.yield($0)
        } end: {
            continuation.finish()
        }
        continuation.onTermination = { _ in observer.remove() }
        return stream
    }

    /// Calls a function with the events of calls that begin from now on. The function is called on
    /// a worker of the library, one event after the other, until the observer is removed or the
    /// client is closed.
    @discardableResult
    public func observe(
        _ kinds: Set<CallEvent.Kind> = Set(CallEvent.Kind.allCases), routes: [String]? = nil,
        progressInterval: Duration = .milliseconds(100),
        _ told: @escaping @Sendable (CallEvent) -> Void
    ) throws(RestwayError) -> CallObserver {
        try observe(kinds, routes, progressInterval, told, end: {})
    }

    private func observe(
        _ kinds: Set<CallEvent.Kind>, _ routes: [String]?, _ progressInterval: Duration,
        _ told: @escaping @Sendable (CallEvent) -> Void, end: @escaping @Sendable () -> Void
    ) throws(RestwayError) -> CallObserver {
        guard progressInterval >= .zero else {
            throw RestwayError(
                Failure(
                    .invalidArgument, "progressInterval is negative: \(progressInterval)",
                    field: "progressInterval"))
        }
        var wishes = LifecycleWishes()
        wishes.kinds = kinds.reduce(0) { $0 | $1.core.bit }
        wishes.routes = routes
        wishes.progressIntervalMilliseconds = progressInterval.intervalMilliseconds
        return try RestwayError.explaining { () throws(Failure) in
            let observer = try core.observeCalls(
                wishes, told: { [source] in told(CallEvent($0, source)) }, end: end)
            return CallObserver(observer: observer, observers: core.calls.lifecycle)
        }
    }

    /// The calls that have begun and not ended, the oldest first.
    public var active: [ActiveCall] {
        core.calls.activeCalls.map { ActiveCall(info: CallInfo($0.info), call: $0.call) }
    }

    /// Sets the function that is told of each attempt that another attempt follows; `nil` removes
    /// it. It is called on a worker of the library, before its call ends.
    public func setAttemptObserver(
        _ told: (@Sendable (ActiveCall.ID, _ number: Int, CallAttempt) -> Void)?
    ) throws(RestwayError) {
        let observer = told.map { told -> CallFunctions.AttemptObserver in
            { call, number, attempt in told(call.id, number, CallAttempt(attempt)) }
        }
        try setFunctions { $0.attemptObserver = observer }
    }

    /// Changes the functions that calls ask from now on.
    func setFunctions(_ change: (inout CallFunctions) -> Void) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in try core.calls.setFunctions(change) }
    }
}

/// A function that is told of events, until it is removed.
public struct CallObserver: Sendable {
    fileprivate let observer: Observer
    fileprivate let observers: LifecycleObservers

    /// Removes the function: it is not called any more, except for a call that runs now.
    public func remove() { observers.remove(observer) }
}

/// A call as it is, or was, at one moment.
public struct CallInfo: Sendable, Identifiable {
    /// The number of the call in this process, as the log has it.
    public let id: UInt64
    /// The name of the route; `nil` for a request that was not made by a named route.
    public let route: String?
    /// The method of the request.
    public let method: Method
    /// The URL of the first request, without secrets.
    public let url: String
    /// The stage that holds the call: `modify`, `cache`, `credential`, `exchange`, and so on.
    public let stage: String
    /// The time since the call began.
    public let age: Duration
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// Whether the library makes the call by itself.
    public let isInBackground: Bool
    /// Whether the request goes out in a batch.
    public let isInBatch: Bool
    /// Whether the outbox sends the request.
    public let isFromOutbox: Bool

    init(_ core: RestwayCalls.CallInfo) {
        id = core.id
        route = core.route
        method = Method(rawValue: core.method)
        url = core.url
        stage = core.stage
        age = .microseconds(core.ageMicroseconds)
        attempt = core.attempt
        isInBackground = core.traits.contains(.isInBackground)
        isInBatch = core.traits.contains(.isInBatch)
        isFromOutbox = core.traits.contains(.isFromOutbox)
    }
}

/// A call in flight.
public struct ActiveCall: Sendable, Identifiable {
    /// The call as it was when the list was made.
    public let info: CallInfo
    fileprivate let call: Call

    /// The number of the call in this process, as the log has it.
    public var id: UInt64 { info.id }

    /// The bytes that have moved, and the objects that were mapped, until now.
    public var progress: ProgressReporter.State { ProgressReporter.State(call.progress) }

    /// Cancels the call: it ends with an error of the kind `cancelled`.
    public func cancel() { call.cancel() }
}

/// An event in the life of a call.
///
/// The events of one call come in this order: `willBegin`; for each exchange, `didBegin` with
/// `uploaded` and `downloaded`; `willMap`; and one of `didSucceed`, `didFail` and `didCancel`.
/// `tooSlow` comes at most once, anywhere between the first and the last.
public struct CallEvent: Sendable {
    /// The kind of an event.
    public enum Kind: String, CaseIterable, Sendable {
        /// The call begins.
        case willBegin
        /// An exchange begins.
        case didBegin
        /// Bytes of the request's body have been sent.
        case uploaded
        /// Bytes of the answer's body have been received.
        case downloaded
        /// The body of the answer is about to become objects.
        case willMap
        /// The call has not ended after the time that the document or the options set.
        case tooSlow
        /// The call has ended with an answer, which is the `response` of the event.
        case didSucceed
        /// The call has ended with an error, which is the `error` of the event.
        case didFail
        /// The call was cancelled; the event has its `error`.
        case didCancel
    }

    /// The kind of the event.
    public let kind: Kind
    /// The call as it was when the event happened.
    public let call: CallInfo
    /// When the event happened.
    public let time: Date
    /// The progress of the call, for `uploaded` and `downloaded`; otherwise `nil`.
    public let progress: ProgressReporter.State?
    private let core: LifecycleEvent
    private let source: ObjectSource

    init(_ core: LifecycleEvent, _ source: ObjectSource) {
        self.core = core
        self.source = source
        kind = Kind(core.kind)
        call = CallInfo(core.info)
        time = Date(timeIntervalSince1970: Double(core.time) / 1_000_000)
        progress =
            switch core.kind {
            case .uploaded, .downloaded: ProgressReporter.State(core.call.progress)
            case .willBegin, .didBegin, .willMap, .tooSlow, .didSucceed, .didFail, .didCancel: nil
            }
    }

    /// The answer, with the last event of a call that has succeeded.
    public var response: Response? {
        guard case .success(let response)? = core.outcome else { return nil }
        return Response(response, source)
    }

    /// The error, with the last event of a call that has failed or was cancelled.
    public var error: RestwayError? {
        guard case .failure(let failure)? = core.outcome else { return nil }
        return RestwayError(failure, of: source)
    }

    /// Cancels the call, unless it has ended.
    public func cancel() { core.call.cancel() }
}

extension CallEvent.Kind {
    fileprivate init(_ core: LifecycleKind) {
        switch core {
        case .willBegin: self = .willBegin
        case .didBegin: self = .didBegin
        case .uploaded: self = .uploaded
        case .downloaded: self = .downloaded
        case .willMap: self = .willMap
        case .tooSlow: self = .tooSlow
        case .didSucceed: self = .didSucceed
        case .didFail: self = .didFail
        case .didCancel: self = .didCancel
        }
    }

    fileprivate var core: LifecycleKind {
        switch self {
        case .willBegin: .willBegin
        case .didBegin: .didBegin
        case .uploaded: .uploaded
        case .downloaded: .downloaded
        case .willMap: .willMap
        case .tooSlow: .tooSlow
        case .didSucceed: .didSucceed
        case .didFail: .didFail
        case .didCancel: .didCancel
        }
    }
}

extension Client {
    /// The calls of the client.
    public var calls: Calls { Calls(core: core, source: source) }
}
