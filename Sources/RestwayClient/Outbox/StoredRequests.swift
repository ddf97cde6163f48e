import RestwayCalls
import RestwayDocument
import RestwayJSON
import RestwayOutbox
package import RestwayOutcome
import RestwayThreads

/// An immutable list of stored requests, oldest first. In a notice, it may also have a failure.
package final class StoredRequests: HandleObject {
    package let all: [StoredRequest]
    package let failure: Failure?
    let generation = ProcessGeneration.current
    private let redaction: Redaction

    init(_ all: [StoredRequest], failure: Failure? = nil, redaction: Redaction) {
        self.all = all
        self.failure = failure
        self.redaction = redaction
    }

    /// The list as JSON text, without secrets.
    package var json: [UInt8] {
        let export = OutboxExport(isSecret: redaction.isSecret)
        return JSONValue.array(all.map { export.json($0.item) }).text()
    }
}
