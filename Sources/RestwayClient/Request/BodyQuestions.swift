import RestwayMapping

/// The questions that the program answers while a body is made from an object, and whether it may
/// be asked now.
struct BodyQuestions: Sendable {
    /// The function that may leave relationships out.
    var exclusion: Client.Exclusion?
    /// False where the program must not be asked. A body that needs an answer is then made later.
    var mayAsk = false
    /// Returns true if the call has ended, so that the writing ends too.
    var isAbandoned: @Sendable () -> Bool = { false }

    /// Returns the same questions for a worker, where the program may be asked.
    func asking(unless isAbandoned: @escaping @Sendable () -> Bool = { false }) -> BodyQuestions {
        BodyQuestions(exclusion: exclusion, mayAsk: true, isAbandoned: isAbandoned)
    }

    /// Whether a body for `api` cannot be made here because the program must be asked.
    func areOpen(_ api: LoadedAPI) -> Bool {
        !mayAsk && (exclusion != nil || api.definition.functions.mayRunWhileEncoding)
    }
}
