import RestwayObjects

/// What a question's function answers beside its status.
///
/// `@unchecked Sendable`: one thread has it, for as long as the question is asked.
final class AnswerHandle: @unchecked Sendable {
    let takesValue: Bool
    var value: Value?
    var message: String?

    init(takesValue: Bool) {
        self.takesValue = takesValue
    }
}
