import RestwayMapping
import RestwayObjects

/// What mapping made of a body.
struct MappedObjects: Sendable {
    var isMapped = false
    var objects: [Snapshot] = []
    var results: [Range<Int>] = []
    var issues: [MappingIssue] = []
    var issueCount = 0
    /// How long the store took.
    var storeMicroseconds: Int64 = 0

    /// Of what was stored in an outbox: what the answer says of that.
    var matching: AnswerMatching?

    static let none = MappedObjects()
}
