import RestwayObjects
import RestwayThreads

/// The answer of a question's function, besides its status.
///
/// `@unchecked Sendable`: only one thread uses it, while the question is asked.
final class AnswerHandle: HandleObject, @unchecked Sendable {
    let takesValue: Bool
    var value: Value?
    var message: String?
    let generation = ProcessGeneration.current

    init(takesValue: Bool) {
        self.takesValue = takesValue
    }
}
