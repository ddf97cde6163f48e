package import RestwayHTTP
import RestwayJSON
package import RestwayMapping
package import RestwayObjects
import RestwayThreads
import Synchronization

/// The answer of the server and the objects that it was mapped to. It is immutable.
package final class Response: Sendable {
    /// Whether the body is JSON.
    private enum JSONState: UInt8, AtomicRepresentable {
        case unknown, valid, invalid
    }

    private let received: ReceivedResponse
    private let mapped: MappedObjects

    private let json: Atomic<JSONState>
    /// The last property, so that it ends after the body and the objects.
    private let heapReturn: HeapReturn?

    init(_ received: ReceivedResponse, _ mapped: MappedObjects = .none) {
        self.received = received
        self.mapped = mapped
        json = Atomic(mapped.bodyIsJSON ? .valid : .unknown)
        heapReturn = received.body.count >= HeapReturn.bytesMin ? HeapReturn() : nil
    }

    package var status: Int { received.status }
    package var headers: Headers { received.headers }
    /// The header fields after the body.
    package var trailers: Headers { received.trailers }
    /// The URL that answered, after redirects.
    package var url: String { received.url }
    /// The body without its content coding, followed by a NUL for C.
    package var bodyWithNUL: [UInt8] { body.bytesAndNUL }
    private var body: Body { received.body }
    /// True when at least one descriptor applied.
    package var isMapped: Bool { mapped.isMapped }
    /// The objects of all descriptors, in the order of the descriptors.
    package var objects: [Snapshot] { mapped.objects }
    /// The range of `objects` that each descriptor has made.
    package var results: [Range<Int>] { mapped.results }
    /// The first issues; `issueCount` counts all.
    package var issues: [MappingIssue] { mapped.issues }
    package var issueCount: Int { mapped.issueCount }
    /// The times, including the mapping if there was one.
    package var timings: CallTimings {
        var timings = received.timings
        guard let total = mapped.callMicroseconds else { return timings }
        timings.map = mapped.mapMicroseconds
        timings.store = mapped.storeMicroseconds
        timings.total = total
        return timings
    }
    /// How the answer matches what was sent; see `MappedObjects`.
    var matching: AnswerMatching? { mapped.matching }

    /// All attempts of the call. Most calls have one attempt, which is not recorded.
    package var attempts: [CallAttempt] {
        guard received.attempts.isEmpty else { return received.attempts }
        return [
            CallAttempt(
                reason: .first, httpStatus: status, tookMicroseconds: timings.total ?? 0)
        ]
    }

    package var bodyCount: Int { body.count }

    /// Whether the body is valid JSON. It is checked once; several threads may check it at the same
    /// time.
    package var bodyIsJSON: Bool {
        switch json.load(ordering: .relaxed) {
        case .valid: return true
        case .invalid: return false
        case .unknown: break
        }
        let isValid = body.withBytes { (try? JSONValue.parse($0, .anyJSON)) != nil }
        json.store(isValid ? .valid : .invalid, ordering: .relaxed)
        return isValid
    }
}
