public import FoundationEssentials
import RestwayCalls
import RestwayClient
import RestwayOutbox
import RestwayOutcome

/// The counts of a client's calls, requests and bytes since the client was made.
public struct ClientMetrics: Sendable {
    /// The stored requests of the outbox.
    public struct Outbox: Sendable, Hashable {
        /// The requests that wait for their turn, or for their next attempt.
        public let waiting: Int
        /// The requests that are being sent.
        public let sending: Int
        /// The requests that wait behind a refused one, or for an object.
        public let blocked: Int
        /// The requests that the server has refused.
        public let dead: Int
    }

    private let core: RestwayClient.ClientMetrics

    init(_ core: RestwayClient.ClientMetrics) {
        self.core = core
    }

    /// The calls that were started.
    public var startedCalls: Int { core.calls.counts.startedCalls }
    /// The calls that have succeeded.
    public var succeededCalls: Int { core.calls.counts.succeededCalls }
    /// The calls that have failed, by the kind of their error.
    public var failedCalls: [RestwayError.Kind: Int] {
        Dictionary(
            uniqueKeysWithValues: core.calls.counts.failedCalls.map {
                (RestwayError.Kind($0.key), $0.value)
            })
    }
    /// The calls that have begun and not ended.
    public var callsInFlight: Int { core.calls.inFlight }
    /// The calls in flight that wait for their turn, a credential or their next attempt.
    public var waitingCalls: Int { core.calls.waiting }

    /// The attempts that followed a temporary failure; they are counted when their call has ended.
    public var retries: Int { core.calls.counts.retries }
    /// The requests that were sent again with another credential.
    public var replays: Int { core.calls.counts.replays }

    /// The answers, by the first digit of their status.
    public var answers: [Int: Int] {
        Dictionary(
            uniqueKeysWithValues: core.calls.counts.answers.enumerated().map {
                ($0.offset + 1, $0.element)
            })
    }
    /// The exchanges that brought no complete answer.
    public var failedExchanges: Int { core.calls.counts.failedExchanges }
    /// The bytes of the request bodies in exchanges that brought an answer.
    public var sentBytes: Int64 { core.calls.counts.sentBytes }
    /// The bytes of the answers' bodies, before decoding.
    public var receivedBytes: Int64 { core.calls.counts.receivedBytes }
    /// The exchanges with an answer that opened a new connection.
    public var openedConnections: Int { core.calls.counts.openedConnections }
    /// The exchanges with an answer that used a connection that was already open.
    public var reusedConnections: Int { core.calls.counts.reusedConnections }

    /// `nil` if the client has no outbox, or is closed.
    public var outbox: Outbox? {
        core.outbox.map {
            Outbox(waiting: $0.waiting, sending: $0.sending, blocked: $0.blocked, dead: $0.dead)
        }
    }
}

/// A call as a span of OpenTelemetry, at its start or at its end.
public struct CallSpan: Sendable {
    /// The value of an attribute.
    public enum Value: Sendable, Hashable {
        case text(String)
        case number(Int)
    }

    /// The method, and the path of the route if the request has one.
    public let name: String
    /// The attributes by their names in OpenTelemetry's semantic conventions.
    public let attributes: [String: Value]
    /// The number of the call.
    public let call: UInt64
    /// When the call began.
    public let start: Date
    /// `nil` at the start.
    public let end: Date?
    /// Why the call has failed; `nil` for a success, and at the start.
    public let failure: RestwayError.Kind?

    init(_ core: SpanRecord) {
        name = core.name
        var attributes = Dictionary(
            core.attributes.map { ($0.name.description, Value($0.value)) }
        ) { _, last in last }
        if let failure = core.failure {
            attributes["error.type"] = .text(
                failure.httpStatus.map { "\($0)" } ?? RestwayError.Kind(failure.reason).rawValue)
        }
        self.attributes = attributes
        call = core.call
        start = Date(timeIntervalSince1970: Double(core.start) / 1_000_000)
        end = core.end.map { Date(timeIntervalSince1970: Double($0) / 1_000_000) }
        failure = core.failure.map { RestwayError.Kind($0.reason) }
    }
}

extension CallSpan.Value {
    fileprivate init(_ core: SpanAttribute.Value) {
        switch core {
        case .text(let text): self = .text(text)
        case .number(let number): self = .number(number)
        }
    }
}

/// How the calls of a client are traced.
public struct CallTracing: Sendable {
    /// Receives a span. At its start it gets the proposed `traceparent` (W3C Trace Context) of the
    /// call, and returns the one that is used; at its end it gets `nil`, and its result is ignored.
    /// It is called on any thread, and must not wait.
    public typealias Told = @Sendable (CallSpan, _ proposal: String?) -> String?

    /// Whether requests to the environment and to trusted origins carry a `traceparent` header.
    public var sendsHeader: Bool
    /// Whether requests to all other origins carry it, too.
    public var trustsAllOrigins: Bool
    /// The function that receives the spans; `nil` if the program receives no spans.
    public var told: Told?

    /// Makes the settings of the tracing.
    public init(sendsHeader: Bool = true, trustsAllOrigins: Bool = false, told: Told? = nil) {
        self.sendsHeader = sendsHeader
        self.trustsAllOrigins = trustsAllOrigins
        self.told = told
    }
}

extension Client {
    /// Returns what the client has done since it was made.
    ///
    /// - Throws: A `RestwayError` if the file of the outbox cannot be read.
    public func metrics() throws(RestwayError) -> ClientMetrics {
        try RestwayError.explaining { () throws(Failure) in ClientMetrics(try core.metrics()) }
    }
}

extension Calls {
    /// Sets how calls are traced; `nil` ends the tracing.
    public func setTracing(_ tracing: CallTracing?) throws(RestwayError) {
        let core = tracing.map(RestwayCalls.Tracing.init)
        try setFunctions { $0.tracing = core }
    }
}

extension RestwayCalls.Tracing {
    fileprivate init(_ tracing: CallTracing) {
        var observer: Observer?
        if let told = tracing.told {
            observer = { span, proposal in told(CallSpan(span), proposal) }
        }
        self.init(
            sendsHeader: tracing.sendsHeader, trustsAll: tracing.trustsAllOrigins,
            observer: observer)
    }
}
