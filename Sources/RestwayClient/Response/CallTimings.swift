import RestwayHTTP

/// How long each phase of a call took, in microseconds; `nil` is not known.
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
    /// A part of `map`.
    package var store: Int64?

    init() {}

    /// The transport counts each phase from the start of the exchange; here each stands for itself.
    init(_ summary: ExchangeSummary) {
        let exchange = summary.timings
        let isNew = !summary.connectionWasReused
        queued = exchange.queuedMicroseconds
        nameLookup = isNew ? exchange.nameLookupMicroseconds : 0
        connect =
            isNew ? max(0, exchange.connectMicroseconds - exchange.nameLookupMicroseconds) : 0
        tls = isNew ? max(0, exchange.tlsMicroseconds - exchange.connectMicroseconds) : 0
        firstByte = exchange.firstByteMicroseconds
        self.exchange = exchange.totalMicroseconds
    }
}
