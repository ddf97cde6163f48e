package import RestwayHTTP

/// How long each phase of a call took, in microseconds; `nil` if it is not known.
package struct CallTimings: Sendable {
    package var queued: Int64?
    package var nameLookup: Int64?
    package var connect: Int64?
    package var tls: Int64?
    package var firstByte: Int64?
    package var exchange: Int64?
    package var decode: Int64?
    package var map: Int64?
    package var total: Int64?
    /// The time of the store, which is a part of `map`.
    package var store: Int64?
    /// How often the transport sent the request again by itself.
    package private(set) var repetitions = 0

    package init() {}

    /// The transport counts each phase from the start of the exchange; here each phase has its own
    /// duration.
    package init(_ summary: ExchangeSummary) {
        let exchange = summary.timings
        let isNew = !summary.connectionWasReused
        queued = exchange.queuedMicroseconds
        nameLookup = isNew ? exchange.nameLookupMicroseconds : 0
        connect =
            isNew ? max(0, exchange.connectMicroseconds - exchange.nameLookupMicroseconds) : 0
        tls = isNew ? max(0, exchange.tlsMicroseconds - exchange.connectMicroseconds) : 0
        firstByte = exchange.firstByteMicroseconds
        self.exchange = exchange.totalMicroseconds
        repetitions = summary.repetitions
    }
}

/// One finished attempt of a call, including its redirects.
package struct CallAttempt: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        case first
        /// The previous attempt had a temporary failure.
        case retry
        /// The previous attempt went out with a credential that was no longer valid.
        case replay
    }

    package var reason: Reason
    /// `nil` if the attempt succeeded.
    package var failure: Failure.Reason?
    /// 0 if there was no answer.
    package var httpStatus: Int
    package var apiCode: String?
    /// Whether the server may have acted on the request although the attempt failed.
    package var mayHaveArrived = false
    /// The time before the attempt, in which it waited for a retry, a refresh or both.
    package var waitedMicroseconds: Int64
    package var tookMicroseconds: Int64

    package init(
        reason: Reason, failure: Failure.Reason? = nil, httpStatus: Int = 0,
        apiCode: String? = nil, waitedMicroseconds: Int64 = 0, tookMicroseconds: Int64
    ) {
        self.reason = reason
        self.failure = failure
        self.httpStatus = httpStatus
        self.apiCode = apiCode
        self.waitedMicroseconds = waitedMicroseconds
        self.tookMicroseconds = tookMicroseconds
    }
}
