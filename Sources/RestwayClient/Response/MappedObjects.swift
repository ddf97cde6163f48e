import RestwayMapping
import RestwayObjects
import RestwayThreads

/// The result of mapping a body.
struct MappedObjects: Sendable {
    var isMapped = false
    /// Whether a JSON mapper has read the whole body, which is therefore valid JSON.
    var bodyIsJSON = false
    var objects: [Snapshot] = []
    var results: [Range<Int>] = []
    var issues: [MappingIssue] = []
    var issueCount = 0
    /// The time since the answer was decoded, in microseconds.
    @CallTimings.Microseconds var mapMicroseconds: Int64?
    /// The time of the whole call.
    @CallTimings.Microseconds var callMicroseconds: Int64?
    /// When the store had finished; `nil` if it was not used.
    var stored: Deadline?
    /// The time that the store took.
    var storeMicroseconds: Int64 = 0

    /// For a stored request: how the answer matches what was sent.
    var matching: AnswerMatching?

    static let none = MappedObjects()
}
