import Glibc
package import RestwayHTTP
import RestwayJSON
package import RestwayMapping
package import RestwayObjects
import RestwayRouting
import RestwayText
package import RestwayThreads
import Synchronization

/// The answer of the server and the objects that it was mapped to. It is immutable.
package final class Response: Sendable {
    /// Whether the body is JSON.
    private enum JSONState: UInt8, AtomicRepresentable {
        case unknown, valid, invalid
    }

    private let received: ReceivedResponse
    private let mapped: MappedObjects
    /// The request that went out; `nil` for a response that was made without a call.
    package let request: OutgoingRequest?

    private let json: Atomic<JSONState>
    /// The last property, so that it ends after the body and the objects.
    private let heapReturn: HeapReturn?

    package init(
        _ received: ReceivedResponse, _ mapped: MappedObjects = .none,
        request: OutgoingRequest? = nil
    ) {
        self.received = received
        self.mapped = mapped
        self.request = request
        json = Atomic(mapped.bodyIsJSON || mapped.parsed.isJSON ? .valid : .unknown)
        heapReturn = received.body.count >= HeapReturn.bytesMin ? HeapReturn() : nil
    }

    package var status: Int { received.status }
    /// The version of HTTP; `nil` if no server has sent the answer.
    package var httpVersion: HTTPVersion? { received.httpVersion }
    package var headers: Headers { received.headers }
    /// The header fields after the body.
    package var trailers: Headers { received.trailers }
    /// The URL that answered, after redirects.
    package var url: String { received.url }
    /// The body without its content coding, followed by a NUL for C.
    package var bodyWithNUL: [UInt8] { body.bytesAndNUL }
    private var body: Body { received.body }
    /// The body of an answer that was not kept in memory.
    package var saved: SavedBody? { received.saved }
    /// The header Location as an absolute URL; `nil` if it is missing or no http or https URL.
    package var location: String? {
        headers[first: "Location"].flatMap { try? URLText.resolve($0, against: url) }
    }
    /// The name under which the server suggests to save the body, made safe.
    package var suggestedName: String? { SuggestedName.find(headers, url: url) }
    /// True when at least one descriptor applied.
    package var isMapped: Bool { mapped.isMapped }
    /// The objects of all descriptors, in the order of the descriptors.
    package var objects: [Snapshot] { mapped.objects }
    /// The range of `objects` that each descriptor has made.
    package var results: [Range<Int>] { mapped.results }
    /// The first issues; `issueCount` counts all.
    package var issues: [MappingIssue] { mapped.issues }
    package var issueCount: Int { mapped.issueCount }
    /// The times, including the time of the mapping if the response was mapped.
    package var timings: CallTimings {
        var timings = received.timings
        guard let total = mapped.callMicroseconds else { return timings }
        timings.map = mapped.mapMicroseconds
        timings.store = mapped.storeMicroseconds
        timings.total = total
        return timings
    }
    /// What the response cache did for the answer.
    package var cache: CacheNote { received.cache ?? .none }
    /// How the answer matches the sent objects; see `MappedObjects`.
    package var matching: AnswerMatching? { mapped.matching }

    /// All attempts of a call that had several; empty for other calls.
    package var severalAttempts: [CallAttempt] { received.attempts }

    /// All attempts of the call. Most calls have one attempt, which is not recorded.
    package var attempts: [CallAttempt] {
        guard received.attempts.isEmpty else { return received.attempts }
        return [
            CallAttempt(
                reason: .first, httpStatus: status, tookMicroseconds: timings.total ?? 0)
        ]
    }

    package var bodyCount: Int { body.count }
    /// What the parser has made of the body.
    package var parsed: ParsedValue { mapped.parsed }
    /// Whether the first descriptor that applied describes a value and not objects.
    package var beginsWithValue: Bool { mapped.beginsWithValue }

    /// The body in UTF-8, also if the server has sent it in another charset, which it declares.
    package var bodyForJSON: Body { body.forJSON(contentType: headers[first: "Content-Type"]) }

    /// The body as JSON text in UTF-8, in which U+FFFD replaces what is not Unicode; `nil` if it is
    /// not JSON.
    package var jsonText: Body? {
        guard bodyIsJSON else { return nil }
        let body = bodyForJSON
        return body.withBytes { RepairedText($0) }.map { Body($0.bytes) } ?? body
    }

    /// Whether the body is valid JSON. It is checked once; several threads may check it at the same
    /// time.
    package var bodyIsJSON: Bool {
        switch json.load(ordering: .relaxed) {
        case .valid: return true
        case .invalid: return false
        case .unknown: break
        }
        let isValid = bodyForJSON.withBytes { (try? JSONValue.parse($0, .anyJSON)) != nil }
        json.store(isValid ? .valid : .invalid, ordering: .relaxed)
        return isValid
    }
}

/// A body that was not kept in memory: it was saved in a file, or given to the program.
package struct SavedBody: Sendable {
    /// The path of the file as the program gave it; `nil` if the program got the bytes.
    package let path: String?
    /// The number of bytes, without a content coding.
    package let length: Int64
    /// The SHA-256 digest in hexadecimal digits; `nil` if it was not asked for.
    package let digest: String?
    /// The number of bytes that were there before the last exchange, so that it did not send them.
    package let resumedFrom: Int64
    /// Removes the file when the last response that refers to it has ended; `nil` if it stays.
    private let temporary: TemporaryFile?
    /// The bytes in the file, for the response cache; `nil` if it cannot keep the body.
    package let content: SavedContent?

    package init(
        path: String?, length: Int64, digest: String?, resumedFrom: Int64,
        temporary: TemporaryFile? = nil, content: SavedContent? = nil
    ) {
        self.path = path
        self.length = length
        self.digest = digest
        self.resumedFrom = resumedFrom
        self.temporary = temporary
        self.content = content
    }
}

/// The bytes of a saved body, for who reads them before the call ends.
package final class SavedContent: Sendable {
    private let descriptor: Lock<Int32>

    /// Fails if no descriptor is free.
    package init?(duplicating descriptor: Int32) {
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return nil }
        self.descriptor = Lock(own)
    }

    deinit { end() }

    /// The descriptor. It can be read at any position until `end`; its own position is shared and
    /// must not be moved.
    package var number: Int32? { descriptor.withLock { $0 >= 0 ? $0 : nil } }

    /// Gives the descriptor back, because responses may live long.
    package func end() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}

/// A file that is removed when the last reference to this object has ended, unless the program has
/// moved it.
package final class TemporaryFile: Sendable {
    private let path: String
    private let generation = ProcessGeneration.current

    package init(path: String) {
        self.path = path
    }

    // A forked child has no part in the files of its parent.
    deinit { if generation == ProcessGeneration.current { unlink(path) } }
}

/// A response with its body decoded, before it is mapped.
package final class ReceivedResponse: Sendable {
    package let status: Int
    package let httpVersion: HTTPVersion?
    package let headers: Headers
    package let url: String
    package let body: Body
    /// The body of an answer that was not kept in memory; `nil` if it is in `body`.
    package let saved: SavedBody?
    package let trailers: Headers
    /// The times of everything before the mapping.
    package let timings: CallTimings
    /// All attempts including this one; empty if this attempt is the only attempt.
    package let attempts: [CallAttempt]
    /// What the response cache did for the answer; `nil` if it was not asked.
    package let cache: CacheNote?

    package init(
        status: Int, httpVersion: HTTPVersion? = nil, headers: Headers, url: String, body: Body,
        saved: SavedBody? = nil,
        trailers: Headers = Headers(), timings: CallTimings = CallTimings(),
        attempts: [CallAttempt] = [], cache: CacheNote? = nil
    ) {
        self.status = status
        self.httpVersion = httpVersion
        self.headers = headers
        self.url = url
        self.body = body
        self.saved = saved
        self.trailers = trailers
        self.timings = timings
        self.attempts = attempts
        self.cache = cache
    }

    /// Returns the same response with other attempts.
    package func ending(_ attempts: [CallAttempt]) -> ReceivedResponse {
        ReceivedResponse(
            status: status, httpVersion: httpVersion, headers: headers, url: url, body: body,
            saved: saved,
            trailers: trailers, timings: timings, attempts: attempts, cache: cache)
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    /// Returns the same response without its body.
    package func withoutBody() -> ReceivedResponse {
        ReceivedResponse(
            status: status, httpVersion: httpVersion, headers: headers, url: url, body: Body(),
            saved: saved, trailers: trailers, timings: timings, attempts: attempts, cache: cache)
    }

    /// Whether the server has sent the answer to this call, or has said that it still holds.
    package var cameByExchange: Bool {
        switch cache?.state {
        case nil, .none?, .validated, .stored, .passed: true
        case .hit, .stale, .missing, .shared: false
        }
    }
}

/// What the parser has made of a body.
package enum ParsedValue: Sendable {
    /// Nothing: a mapper has read the body.
    case objects
    /// A mapper has read a value of this form, which belongs to no object. It is absent if it did
    /// not fit.
    case value(Value, ValueShape)
    /// The body is the value. An empty body is null.
    case json(isEmpty: Bool)
    /// The body in UTF-8.
    case text(Body)
    /// The body is the value.
    case bytes
    /// The headers are the value.
    case headers
    /// There is no value.
    case nothing
    /// A parser of the program has made the value.
    case made(by: String, Value)

    /// Returns what a mapper has made of the body.
    package init(_ result: MappingResult) {
        self = result.valueShape.map { .value(result.value, $0) } ?? .objects
    }

    /// Returns what a mapper makes of an answer without a body.
    package init(ofNothing plan: MappingPlan) {
        self = plan.valueShape.map { .value(.absent, $0) } ?? .objects
    }

    /// Whether the response has no body, because its parser drops it.
    package var dropsBody: Bool {
        switch self {
        case .headers, .nothing: true
        case .objects, .value, .json, .text, .bytes, .made: false
        }
    }

    /// Whether the parser has read the whole body as JSON.
    fileprivate var isJSON: Bool {
        if case .json(isEmpty: false) = self { true } else { false }
    }
}

/// The result of mapping a body.
package struct MappedObjects: Sendable {
    package var isMapped = false
    /// Whether a JSON mapper has read the whole body, which is therefore valid JSON.
    package var bodyIsJSON = false
    package var objects: [Snapshot] = []
    package var results: [Range<Int>] = []
    package var issues: [MappingIssue] = []
    package var issueCount = 0
    /// The time since the answer was decoded, in microseconds.
    package var mapMicroseconds: Int64?
    /// The time of the whole call.
    package var callMicroseconds: Int64?
    /// When the store had finished; `nil` if it was not used.
    package var stored: Deadline?
    /// The time that the store took.
    package var storeMicroseconds: Int64 = 0

    /// For a stored request: how the answer matches the sent objects.
    package var matching: AnswerMatching?

    /// What a parser has made of the body.
    package var parsed = ParsedValue.objects
    /// Whether the first descriptor describes a value and not objects.
    package var beginsWithValue = false

    /// A new value is quicker to make than a stored one is to copy.
    package static var none: MappedObjects { MappedObjects() }
}

/// The bytes of a body, followed by a NUL for C.
package struct Body: Sendable {
    /// The bytes and the NUL, so that the array is never empty.
    package let bytesAndNUL: [UInt8]

    /// Takes over `bytes`, without a copy if nothing else holds them.
    package init(_ bytes: consuming [UInt8] = []) {
        var bytes = bytes
        bytes.reserveCapacity(bytes.count + 1 + MappingLimits.paddingCount)
        bytes.append(0)
        bytesAndNUL = bytes
    }

    /// Copies `bytes`.
    package init(copying bytes: UnsafeRawBufferPointer) {
        var copy: [UInt8] = []
        copy.reserveCapacity(bytes.count + 1 + MappingLimits.paddingCount)
        copy.append(contentsOf: bytes)
        self.init(consume copy)
    }

    package var count: Int { bytesAndNUL.count - 1 }
    package var isEmpty: Bool { count == 0 }

    /// Whether the body is only white space, as JSON defines it, after an optional byte order mark.
    package var isBlank: Bool {
        withBytes { bytes in
            JSONValue.withoutByteOrderMark(bytes).allSatisfy(ASCII.isJSONSpace)
        }
    }

    /// Whether the body may be JSON whatever its type is: some servers send JSON as `text/plain`.
    package var looksLikeJSON: Bool {
        let first = bytesAndNUL.first { !ASCII.isJSONSpace($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// The body as a reader of JSON takes it: in UTF-8, also if the server has sent it in another
    /// charset, which `contentType` names.
    package func forJSON(contentType: String?) -> Body {
        withBytes { BodyText.declared($0, contentType: contentType) }.map { Body($0) } ?? self
    }

    /// Calls `body` with the bytes without the NUL.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytesAndNUL.withUnsafeBytes { body(.init(rebasing: $0.dropLast())) }
    }
}
