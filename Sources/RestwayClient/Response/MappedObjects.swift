import RestwayMapping
import RestwayObjects
import RestwaySupport

/// What mapping made of a body.
struct MappedObjects: Sendable {
    var isMapped = false
    var objects: [Snapshot] = []
    var results: [Range<Int>] = []
    var issues: [MappingIssue] = []
    var issueCount = 0
    /// How long everything took since the answer was decoded, in microseconds.
    @CallTimings.Microseconds var mapMicroseconds: Int64?
    /// How long the whole call took.
    @CallTimings.Microseconds var callMicroseconds: Int64?
    /// When the store was done; `nil`: it was not asked.
    var stored: Deadline?
    /// How long it took.
    var storeMicroseconds: Int64 = 0

    /// Of what was stored in an outbox: what the answer says of that.
    var matching: AnswerMatching?

    static let none = MappedObjects()
}
