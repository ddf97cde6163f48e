package import RestwayHTTP
import RestwayRouting
import RestwayText

/// One exchange of a call, as authorize functions see and change it.
package struct OutgoingExchange: Sendable {
    package var exchange: Exchange
    /// The number of the attempt, from 1.
    package let attempt: Int

    package var headers: Headers {
        get { Headers(exchange.headers) }
        set { exchange.headers = newValue.fields }
    }

    package mutating func addParameter(_ name: String, _ value: String) {
        exchange.url = URLText.appendingQuery([Pair(name: name, value: value)], to: exchange.url)
    }

    /// The bytes of the body; `nil` if there is no body or it is not in memory.
    package var bodyBytes: [UInt8]? {
        if case .bytes(let bytes) = exchange.body { bytes } else { nil }
    }
}
