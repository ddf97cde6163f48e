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

    package let status: Int
    package let headers: Headers
    /// The fields behind the body.
    package let trailers: Headers
    /// The URL that answered, after redirects.
    package let url: String
    /// The body without its content coding, and a NUL behind it for C.
    package var bodyWithNUL: [UInt8] { body.bytesAndNUL }
    private let body: Body
    /// True when at least one descriptor applied.
    package let isMapped: Bool
    /// Over all descriptors in their order.
    package let objects: [Snapshot]
    /// Which of the objects came from which descriptor.
    package let results: [Range<Int>]
    /// The first issues; `issueCount` counts all.
    package let issues: [MappingIssue]
    package let issueCount: Int
    package let timings: CallTimings
    /// See `MappedObjects`.
    let matching: AnswerMatching?
    private let recordedAttempts: [CallAttempt]

    private let json: Atomic<JSONState>
    /// The last property: it ends after the body and the objects.
    private let heapReturn: HeapReturn?

    init(_ received: ReceivedResponse, _ mapped: MappedObjects = .none) {
        status = received.status
        headers = received.headers
        trailers = received.trailers
        url = received.url
        body = received.body
        isMapped = mapped.isMapped
        objects = mapped.objects
        results = mapped.results
        issues = mapped.issues
        issueCount = mapped.issueCount
        timings = received.timings
        matching = mapped.matching
        recordedAttempts = received.attempts
        // Mapping has read the whole body.
        json = Atomic(mapped.isMapped && !received.body.isEmpty ? .valid : .unknown)
        heapReturn = received.body.count >= HeapReturn.bytesMin ? HeapReturn() : nil
    }

    /// Every time its call was sent. Of most there is one, which is not recorded.
    package var attempts: [CallAttempt] {
        guard recordedAttempts.isEmpty else { return recordedAttempts }
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
