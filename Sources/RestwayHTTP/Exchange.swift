package import RestwayRouting
import RestwayText
package import RestwayThreads

/// One HTTP exchange that a transport performs.
///
/// The exchange is complete: a transport follows no redirect and adds no credential. It adds only
/// the headers for framing (`Host`, `Content-Length`) and, if `usesCookies`, its kept cookies.
package struct Exchange: Sendable {
    package var method: String
    /// An absolute http or https URL.
    package var url: String
    package var headers: [HeaderField]
    package var body: ExchangeBody
    package var timeouts: ExchangeTimeouts
    /// Whether kept cookies are sent and the cookies of the response are kept.
    package var usesCookies: Bool
    /// Exchanges of higher priority go first; 0 is the default.
    package var priority: Int32 = 0
    /// Whether the body of the answer goes to a file or a receiver, so that it may be large. A
    /// transport may then use larger buffers.
    package var mayReceiveLargeBody = false
    /// The number of the attempt of its call, from 1. Functions that authorize a request read it.
    package var attempt = 1
    /// Whether the exchange was given a credential.
    package var isAuthorized = false
    /// Answers a Digest challenge. The transport then sends the exchange twice and reports only the
    /// last answer.
    package var digest: DigestCredential?

    package init(
        method: String, url: String, headers: [HeaderField] = [], body: ExchangeBody = .none,
        timeouts: ExchangeTimeouts = ExchangeTimeouts(), usesCookies: Bool = true
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeouts = timeouts
        self.usesCookies = usesCookies
    }

    /// Whether the exchange contains a credential. A transport overwrites its copies afterwards.
    package var holdsCredential: Bool {
        isAuthorized || headers.contains { $0.isNamed("Authorization") }
    }

    /// Adds a parameter to the query.
    package mutating func addParameter(_ name: String, _ value: String) {
        url = URLText.appendingQuery([Pair(name: name, value: value)], to: url)
    }

    /// Whether the body is announced with `Expect: 100-continue`.
    package var expectsContinue: Bool {
        headers.contains { $0.isNamed("Expect") && $0.value.lowercased() == "100-continue" }
    }

    /// Whether a transport may send this again by itself if a kept connection died before an
    /// answer. The server may have acted on it, so only requests that are safe to repeat are sent.
    ///
    /// PUT and DELETE are not repeated: a late repetition could undo a change that was made in
    /// between.
    package var isRepeatable: Bool {
        isSafe || headers.contains { $0.isNamed("Idempotency-Key") }
    }

    /// Whether the exchange only reads (RFC 9110, section 9.2.1).
    package var isSafe: Bool {
        Method.isSafe(method)
    }
}

/// The body that an exchange sends.
package enum ExchangeBody: Sendable {
    case none
    case bytes([UInt8])
    /// A source that is read while the body is sent. It serves one exchange.
    case source(any BodySource)

    /// The bytes; `nil` if there is no body or it is not in memory.
    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// The number of bytes; `nil` if it is not known beforehand.
    package var count: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .source(let source): source.length
        }
    }
}

/// The interface through which a transport reads a request body that is not in memory. Each source
/// serves one exchange.
///
/// The transport asks for one piece at a time, and asks again only after the piece was delivered.
/// So unsent bytes keep it from asking for much more. A transport that ends the exchange asks no
/// more, and drops pieces that are delivered later. A body that must be sent again needs a new
/// source.
package protocol BodySource: AnyObject, Sendable {
    /// The exact number of bytes; `nil` if it is not known before the end.
    var length: Int64? { get }

    /// Asks for the next piece; never blocks. `deliver` is called once, on any thread, now or much
    /// later, or never if the exchange has ended. After the end or a failure the transport asks no
    /// more.
    func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void)
}

/// A piece that a source delivers.
package enum BodyPiece: Sendable {
    /// The next bytes, at least one byte.
    case bytes([UInt8])
    /// The end of the body.
    case end
    /// The rest cannot be read; the exchange fails with this error.
    case failed(TransportError)
}

/// The time limits of an exchange. 0 sets no limit.
package struct ExchangeTimeouts: Equatable, Sendable {
    /// The time from `Transport.start` to the end, including the time in a queue.
    package var totalMilliseconds: Int64
    /// The time until a connection is ready: name lookup, TCP and TLS.
    package var connectMilliseconds: Int64
    /// The time from the last byte of the request to the first byte of the answer.
    package var firstByteMilliseconds: Int64
    /// The time without a byte moving. A transport may round it up to whole seconds.
    package var idleMilliseconds: Int64
    /// The age at which the call is reported to its observers as too slow; 0 for never. Transports
    /// do not read it.
    package var tooSlowMilliseconds: Int64 = 0
    /// The whole limit, of which `totalMilliseconds` is the rest, for messages; 0 if
    /// `totalMilliseconds` is the whole limit.
    package var statedTotalMilliseconds: Int64 = 0
    /// The limit of all attempts together, which `totalMilliseconds` respects, for messages; 0 for
    /// no limit.
    package var allAttemptsMilliseconds: Int64 = 0

    package init(
        totalMilliseconds: Int64 = 0, connectMilliseconds: Int64 = 0,
        firstByteMilliseconds: Int64 = 0, idleMilliseconds: Int64 = 0
    ) {
        self.totalMilliseconds = totalMilliseconds
        self.connectMilliseconds = connectMilliseconds
        self.firstByteMilliseconds = firstByteMilliseconds
        self.idleMilliseconds = idleMilliseconds
    }

    /// Replaces the limits that `declared` has.
    package mutating func take(_ declared: Timeouts) {
        totalMilliseconds = declared.totalMilliseconds ?? totalMilliseconds
        connectMilliseconds = declared.connectMilliseconds ?? connectMilliseconds
        firstByteMilliseconds = declared.firstByteMilliseconds ?? firstByteMilliseconds
        idleMilliseconds = declared.idleMilliseconds ?? idleMilliseconds
        tooSlowMilliseconds = declared.tooSlowMilliseconds ?? tooSlowMilliseconds
    }

    /// The text with which a message names the total limit.
    package var totalText: String {
        let total = statedTotalMilliseconds > 0 ? statedTotalMilliseconds : totalMilliseconds
        let text = total > 0 ? "the total time limit of \(total) ms" : ""
        guard allAttemptsMilliseconds > 0 else { return text + " has passed" }
        let all = "the deadline of all attempts, \(allAttemptsMilliseconds) ms"
        return (text.isEmpty ? all : "\(text) or \(all)") + " has passed"
    }
}

/// The credential with which a transport answers a Digest challenge (RFC 7616).
package struct DigestCredential: Sendable, Equatable {
    package var user: String
    package var password: Secret

    package init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }
}
