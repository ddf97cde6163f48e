package import RestwayHTTP
import RestwayRouting

/// One send of a call, as authorize functions see and change it.
package struct OutgoingExchange: Sendable {
    package var exchange: Exchange
    /// 1 for the first send of the call.
    package let attempt: Int

    package var headers: Headers {
        get { Headers(exchange.headers) }
        set { exchange.headers = newValue.fields }
    }

    package mutating func addParameter(_ name: String, _ value: String) {
        exchange.url = URLText.appendingQuery([Pair(name: name, value: value)], to: exchange.url)
    }

    /// `nil` when there is none, or it is not in memory.
    package var bodyBytes: [UInt8]? {
        if case .bytes(let bytes) = exchange.body { bytes } else { nil }
    }
}
