import RestwayJSON
package import RestwayHTTP
package import RestwayMapping
package import RestwayObjects
import RestwaySupport
import Synchronization

/// What the server answered, and the objects that it was mapped to. Immutable.
package final class Response: Sendable {
    /// Whether the body is JSON.
    private enum JSONState: UInt8, AtomicRepresentable {
        case unknown, valid, invalid
    }

    private let received: ReceivedResponse
    private let mapped: MappedObjects

    private let json: Atomic<JSONState>
    /// The last property: it ends after the body and the objects.
    private let heapReturn: HeapReturn?

    init(_ received: ReceivedResponse, _ mapped: MappedObjects = .none) {
        self.received = received
        self.mapped = mapped
        // Mapping has read the whole body.
        json = Atomic(mapped.isMapped && !received.body.isEmpty ? .valid : .unknown)
        heapReturn = received.body.count >= HeapReturn.bytesMin ? HeapReturn() : nil
    }

    package var status: Int { received.status }
    package var headers: Headers { received.headers }
    /// The fields behind the body.
    package var trailers: Headers { received.trailers }
    /// The URL that answered, after redirects.
    package var url: String { received.url }
    /// The body without its content coding, and a NUL behind it for C.
    package var bodyWithNUL: [UInt8] { body.bytesAndNUL }
    private var body: Body { received.body }
    /// True when at least one descriptor applied.
    package var isMapped: Bool { mapped.isMapped }
    /// Over all descriptors in their order.
    package var objects: [Snapshot] { mapped.objects }
    /// Which of the objects came from which descriptor.
    package var results: [Range<Int>] { mapped.results }
    /// The first issues; `issueCount` counts all.
    package var issues: [MappingIssue] { mapped.issues }
    package var issueCount: Int { mapped.issueCount }
    /// With those of the mapping, if there was one.
    package var timings: CallTimings {
        var timings = received.timings
        guard let total = mapped.callMicroseconds else { return timings }
        timings.map = mapped.mapMicroseconds
        timings.store = mapped.storeMicroseconds
        timings.total = total
        return timings
    }
    /// See `MappedObjects`.
    var matching: AnswerMatching? { mapped.matching }

    /// Every time its call was sent. Of most there is one, which is not recorded.
    package var attempts: [CallAttempt] {
        guard received.attempts.isEmpty else { return received.attempts }
        return [
            CallAttempt(
                reason: .first, httpStatus: status, tookMicroseconds: timings.total ?? 0)
        ]
    }

    package var bodyCount: Int { body.count }

    /// Whether the body is valid JSON; found out once, or by several threads side by side.
    package var bodyIsJSON: Bool {
        switch json.load(ordering: .relaxed) {
        case .valid: return true
        case .invalid: return false
        case .unknown: break
        }
        let options = JSONValue.ParseOptions(keepsOutOfRangeNumbers: true)
        let isValid = body.withBytes { (try? JSONValue.parse($0, options)) != nil }
        json.store(isValid ? .valid : .invalid, ordering: .relaxed)
        return isValid
    }
}
