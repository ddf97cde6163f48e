import RestwayDocument
import RestwayHTTP
package import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// A value of the header `traceparent` (W3C Trace Context, section 3.2).
package struct TraceParent: Equatable, Sendable {
    package static let headerName = "traceparent"
    private static let length = 55

    package let text: String

    /// Accepts version 00, in which the trace and the parent are not all zeros.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count == Self.length, text.hasPrefix("00-"), bytes[35] == dash,
            bytes[52] == dash, Self.isIdentifier(bytes[3..<35]), Self.isIdentifier(bytes[36..<52]),
            bytes[53...].allSatisfy(Self.isDigit)
        else { return nil }
        self.text = text
    }

    /// Begins a new trace, which is to be recorded.
    package static func random() -> TraceParent {
        var hex = ""
        // A number is never 0, so the identifiers are not all zeros.
        for _ in 0..<3 {
            let digits = String(UInt64.random(in: 1 ... .max), radix: 16)
            hex += String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
        return TraceParent(trace: hex.prefix(32), parent: hex.suffix(16))
    }

    private init(trace: Substring, parent: Substring) {
        text = "00-\(trace)-\(parent)-01"
    }

    private static func isIdentifier(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.allSatisfy(isDigit) && digits.contains { $0 != UInt8(ascii: "0") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}

/// One attribute of a span, under its name in OpenTelemetry's semantic conventions.
package struct SpanAttribute: Sendable {
    package enum Value: Sendable {
        case text(String)
        case number(Int)
    }

    package let name: StaticString
    package let value: Value

    package init(name: StaticString, value: Value) {
        self.name = name
        self.value = value
    }
}

/// Why a call failed, as its span tells it.
package struct SpanFailure: Sendable {
    package let reason: Failure.Reason
    /// The status of the answer if it is the reason, that is from 400 on.
    package let httpStatus: Int?

    init(_ failure: Failure) {
        reason = failure.reason
        let status = failure.httpStatus > 0 ? failure.httpStatus : failure.response?.status ?? 0
        httpStatus = status >= 400 ? status : nil
    }
}

/// The span of a call as an observer sees it, at its start or at its end.
package struct SpanRecord: Sendable {
    package let name: String
    package let attributes: [SpanAttribute]
    package let call: UInt64
    /// Microseconds since 1970.
    package let start: Int64
    /// `nil` at the start.
    package var end: Int64?
    /// `nil` for a success and at the start.
    package var failure: SpanFailure?
}

/// How the calls of a client are traced.
package struct Tracing: Sendable {
    /// Receives a span. At its start it returns the `traceparent` of the call, for which it gets a
    /// proposal.
    package typealias Observer = @Sendable (SpanRecord, String?) -> String?

    /// Whether requests to trusted origins carry the header.
    package let sendsHeader: Bool
    /// Whether requests to all other origins carry the header.
    package let trustsAll: Bool
    package let observer: Observer?

    package init(sendsHeader: Bool, trustsAll: Bool, observer: Observer?) {
        self.sendsHeader = sendsHeader
        self.trustsAll = trustsAll
        self.observer = observer
    }
}

/// The span of one call. It is a class because most calls have none, and should not reserve memory
/// for it.
final class CallSpan: Sendable {
    private let tracing: Tracing
    private let id: UInt64
    private let name: String
    private let attributes: [SpanAttribute]
    private let start: Int64
    private let parent: TraceParent?

    init(_ tracing: Tracing, of call: Call, _ request: PreparedRequest) {
        self.tracing = tracing
        id = call.id
        let method = request.method.rawValue
        let template = request.destination.route.map { route in
            route.template.text.hasPrefix("/") ? route.template.text : "/" + route.template.text
        }
        // The conventions have one name for all methods that they do not list.
        let isListed = Method.standard.contains(request.method) || request.method == .query
        name = [isListed ? method : "HTTP", template].compactMap(\.self).joined(separator: " ")
        let url = request.exchange.url
        var attributes = [
            SpanAttribute(name: "http.request.method", value: .text(isListed ? method : "_OTHER")),
            SpanAttribute(name: "url.full", value: .text(call.log.redaction.url(url))),
        ]
        if !isListed {
            attributes.append(
                SpanAttribute(name: "http.request.method_original", value: .text(method)))
        }
        if let origin = try? Origin(url: url) {
            attributes.append(
                SpanAttribute(name: "server.address", value: .text(Self.address(of: origin))))
            attributes.append(SpanAttribute(name: "server.port", value: .number(origin.port)))
        }
        if let template {
            attributes.append(SpanAttribute(name: "url.template", value: .text(template)))
        }
        self.attributes = attributes
        start = call.context.clock.wallMicroseconds()
        let given = request.exchange.headers.first { $0.isNamed(TraceParent.headerName) }
        let proposal = given.flatMap { TraceParent($0.value) } ?? .random()
        if let observer = tracing.observer {
            let record = SpanRecord(name: name, attributes: attributes, call: id, start: start)
            parent = CallbackScope.run { observer(record, proposal.text) }.flatMap(TraceParent.init)
        } else {
            parent = proposal
        }
    }

    /// The host of an origin. An IPv6 address has no brackets in the semantic conventions.
    private static func address(of origin: Origin) -> String {
        guard origin.host.hasPrefix("[") else { return origin.host }
        return String(origin.host.dropFirst().dropLast())
    }

    /// Adds `traceparent` to a request that goes out and has none of its own.
    func add(to exchange: inout Exchange, isTrusted: Bool) {
        guard let parent, tracing.sendsHeader, isTrusted || tracing.trustsAll,
            !exchange.headers.contains(where: { $0.isNamed(TraceParent.headerName) })
        else { return }
        exchange.headers.append(HeaderField(name: TraceParent.headerName, value: parent.text))
    }

    /// Tells the observer of the end of the call.
    func end(_ call: Call, _ outcome: Call.Outcome) {
        guard let observer = tracing.observer else { return }
        var record = SpanRecord(
            name: name, attributes: attributes + Self.attributes(of: outcome), call: id,
            start: start)
        record.end = max(start, call.context.clock.wallMicroseconds())
        if case .failure(let failure) = outcome { record.failure = SpanFailure(failure) }
        call.context.pool.submit { [record] in
            CallbackScope.run { _ = observer(record, nil) }
        }
    }

    private static func attributes(of outcome: Call.Outcome) -> [SpanAttribute] {
        let response: Response?
        let attempts: Int
        var status: Int
        switch outcome {
        case .success(let answer):
            (response, attempts, status) = (answer, answer.severalAttempts.count, answer.status)
        case .failure(let failure):
            response = failure.response
            (attempts, status) = (failure.attempts.count, failure.httpStatus)
        }
        if status == 0 { status = response?.status ?? 0 }
        var attributes: [SpanAttribute] = []
        if status > 0 {
            attributes.append(
                SpanAttribute(name: "http.response.status_code", value: .number(status)))
        }
        if let version = response?.httpVersion {
            attributes.append(
                SpanAttribute(name: "network.protocol.version", value: .text(version.text)))
        }
        if attempts > 1 {
            attributes.append(
                SpanAttribute(name: "http.request.resend_count", value: .number(attempts - 1)))
        }
        return attributes
    }
}

extension HTTPVersion {
    fileprivate var text: String {
        switch self {
        case .http10: "1.0"
        case .http11: "1.1"
        case .http2: "2"
        case .http3: "3"
        }
    }
}
