import RestwayDocument
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// A call as it is at one moment, for the program.
package struct CallInfo: Sendable {
    package struct Traits: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The library makes the call by itself: to bring a newer answer for its cache, or to send
        /// a stored request.
        package static let isInBackground = Traits(rawValue: 1)
        /// The request goes out inside the call of a batch.
        package static let isInBatch = Traits(rawValue: 2)
        /// The outbox sends the request.
        package static let isFromOutbox = Traits(rawValue: 4)
    }

    package let id: UInt64
    /// The name of the route; `nil` for a request that was not made by a named route.
    package let route: String?
    package let method: String
    /// The URL of the first request, without secrets.
    package let url: String
    package let traits: Traits
    /// The name of the stage that holds the call.
    package var stage = ""
    /// The number of the attempt, from 1.
    package var attempt = 1
    package var ageMicroseconds: Int64 = 0

    init(_ call: Call, _ request: PreparedRequest) {
        id = call.id
        route = request.destination.route?.name
        method = call.log.method.rawValue
        url = call.log.redaction.url(call.url)
        var traits: Traits = []
        if call.isInBackground { traits.insert(.isInBackground) }
        if call.isInBatch { traits.insert(.isInBatch) }
        if request.isFromOutbox { traits.insert(.isFromOutbox) }
        self.traits = traits
    }

    /// Takes over what changes while the call goes on.
    mutating func update(_ call: Call, _ state: Call.State) {
        stage = state.journey.stage.name
        attempt = state.attempts.number
        ageMicroseconds = call.context.clock.now().microseconds(since: call.started)
    }
}

extension CallContext {
    /// The calls in flight, oldest first, each with what is known about it now.
    package var activeCalls: [(call: Call, info: CallInfo)] {
        callsInFlight.compactMap { call in
            call.state.withLock { state -> (call: Call, info: CallInfo)? in
                // A call that has completed has no request any more.
                guard let request = state.journey.request else { return nil }
                var info = CallInfo(call, request)
                info.update(call, state)
                return (call, info)
            }
        }
    }
}

extension Journey.Stage {
    /// The name of the stage, as docs/ARCHITECTURE.md has it.
    var name: String {
        switch self {
        case .start: "start"
        case .modify: "modify"
        case .prepare: "prepare"
        case .lane: "lane"
        case .cache: "cache"
        case .upload: "upload"
        case .credential: "credential"
        case .rewind: "rewind"
        case .rate: "rate"
        case .exchange: "exchange"
        case .recover: "recover"
        case .compare: "compare"
        case .validate: "validate"
        case .intercept: "intercept"
        case .parse: "parse"
        case .commit: "commit"
        case .wait: "wait"
        case .store: "store"
        case .follow: "follow"
        case .drop: "drop"
        case .takeBack: "takeBack"
        case .deliver: "deliver"
        }
    }
}
