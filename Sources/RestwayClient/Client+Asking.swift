import RestwayThreads

extension Client {
    /// Runs `body`, which calls functions of the program, on a worker and waits for it.
    func asking<Answer: Sendable>(
        _ body: @escaping @Sendable () throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        try Call.refuseToBlockInsideCallbacks()
        let answer = Monitor<Result<Answer, Failure>?>(nil)
        let question = Lock<(@Sendable () throws(Failure) -> Answer)?>(body)
        pool.submit {
            // The references of `body` to the program are released before the caller gets the
            // answer.
            let asked = question.withLock { question in
                defer { question = nil }
                return question
            }
            guard let found = Self.answer(consume asked) else { return }
            answer.update { $0 = found }
        }
        guard let found = answer.wait(for: { $0 }) else {
            throw Failure(.internal, "a wait without a bound has ended")
        }
        return try found.get()
    }

    private static func answer<Answer>(
        _ question: consuming (@Sendable () throws(Failure) -> Answer)?
    ) -> Result<Answer, Failure>? {
        guard let question else { return nil }
        return Result { () throws(Failure) in try question() }
    }
}
