import Glibc
package import RestwayHTTP
import RestwayJSON
package import RestwayMapping
package import RestwayObjects
import RestwayRouting
import RestwayText
import RestwayThreads
import Synchronization

/// The answer of the server and the objects that it was mapped to. It is immutable.
package final class Response: Sendable {
    /// Whether the body is JSON.
    private enum JSONState: UInt8, AtomicRepresentable {
        case unknown, valid, invalid
    }

    private let mapped: MappedAnswer
    /// The request that went out; `nil` for a response that was made without a call.
    package let request: OutgoingRequest?

    private let json: Atomic<JSONState>
    /// The last property, so that it ends after the body and the objects.
    private let heapReturn: HeapReturn?

    package init(_ mapped: consuming MappedAnswer, request: OutgoingRequest? = nil) {
        mapped.answer.endJourney()
        heapReturn = mapped.answer.body.count >= HeapReturn.bytesMin ? HeapReturn() : nil
        json = Atomic(mapped.bodyIsJSON || mapped.parsed.isJSON ? .valid : .unknown)
        self.mapped = mapped
        self.request = request
    }

    /// Makes the response to a call whose answer is not mapped.
    package convenience init(_ answer: Answer, request: OutgoingRequest? = nil) {
        self.init(MappedAnswer(answer), request: request)
    }

    package var status: Int { mapped.answer.status }
    /// The version of HTTP; `nil` if no server has sent the answer.
    package var httpVersion: HTTPVersion? { mapped.answer.httpVersion }
    package var headers: Headers { mapped.answer.headers }
    /// The header fields after the body.
    package var trailers: Headers { mapped.answer.trailers }
    /// The URL that answered, after redirects.
    package var url: String { mapped.answer.url }
    /// The body without its content coding, followed by a NUL for C.
    package var bodyWithNUL: [UInt8] { body.bytesAndNUL }
    private var body: Body { mapped.answer.body }
    /// The body of an answer that was not kept in memory.
    package var saved: SavedBody? { mapped.answer.saved }
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
    package var timings: CallTimings { mapped.answer.timings }
    /// How the response cache took part in the answer.
    package var cache: CacheNote { mapped.answer.cache ?? .none }
    /// How the answer matches the sent objects; see `MappedAnswer`.
    package var matching: AnswerMatching? { mapped.matching }

    /// All attempts of a call that had several; empty for other calls.
    package var severalAttempts: [CallAttempt] { mapped.answer.attempts }

    /// All attempts of the call. Most calls have one attempt, which is not recorded.
    package var attempts: [CallAttempt] {
        guard mapped.answer.attempts.isEmpty else { return mapped.answer.attempts }
        return [
            CallAttempt(
                reason: .first, httpStatus: status, tookMicroseconds: timings.total ?? 0)
        ]
    }

    package var bodyCount: Int { body.count }
    /// The value that the parser has made of the body.
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
