import RestwayMapping

/// What the host is asked while a body is made of an object, and whether now is the time.
struct BodyQuestions: Sendable {
    /// Who may leave relationships out.
    var exclusion: Client.Exclusion?
    /// False where the host must not be asked: a body that needs that is owed.
    var mayAsk = false
    /// True ends the writing: the call is over.
    var isAbandoned: @Sendable () -> Bool = { false }

    /// The same, on a worker.
    func asking(unless isAbandoned: @escaping @Sendable () -> Bool = { false }) -> BodyQuestions {
        BodyQuestions(exclusion: exclusion, mayAsk: true, isAbandoned: isAbandoned)
    }

    /// Whether a body of `api` cannot be made here.
    func areOpen(_ api: LoadedAPI) -> Bool {
        !mayAsk && (exclusion != nil || api.definition.asksWhileEncoding)
    }
}
