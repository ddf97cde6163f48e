import RestwayHTTP
import RestwaySupport

/// The body of a call that the host gives piece by piece.
extension Call {
    /// Sees to it that the reader stands at its start; goes on, then or at once, with a body for
    /// one exchange.
    ///
    /// - Parameter isOnWorker: What `goOn` is told, unless the reader has to be rewound first.
    func open(
        _ reader: BodyReader, isOnWorker: Bool,
        _ goOn: @escaping @Sendable (_ feed: BodyFeed, _ isOnWorker: Bool) -> Void
    ) {
        switch reader.begin(for: id) {
        case .ready(let turn):
            guard holds(reader) else { return }
            goOn(feed(reader, turn), isOnWorker)
        case .needsRewind(let turn):
            guard holds(reader), let wait = park() else { return }
            rewind(reader, turn, goOn)
            watch(wait)
        case .taken:
            finish(.failure(Self.misused("another call is reading it")), isOnWorker: isOnWorker)
        case .spent:
            finish(
                .failure(Self.misused("it was read before, and cannot be rewound")),
                isOnWorker: isOnWorker)
        }
    }

    /// What is added to the error of a call whose body cannot be sent again.
    func cannotBeSentAgain() {
        state.withLock { state in
            state.note = "; it was not sent again, as the body's reader cannot be rewound"
        }
    }

    /// `failure` with what is to be added to it.
    func explained(_ failure: Failure) -> Failure {
        var failure = failure
        if let note = state.withLock({ $0.note }) { failure.message += note }
        return failure
    }

    /// The reader is this call's until it ends; false when it has ended.
    private func holds(_ reader: BodyReader) -> Bool {
        let hasEnded = state.withLock { state in
            if !state.phase.isComplete { state.reader = reader }
            return state.phase.isComplete
        }
        if hasEnded { _ = reader.leave(id) }
        return !hasEnded
    }

    private func rewind(
        _ reader: BodyReader, _ turn: UInt64,
        _ goOn: @escaping @Sendable (_ feed: BodyFeed, _ isOnWorker: Bool) -> Void
    ) {
        reader.rewind(turn) { result in
            // Away from the workers for bodies, which others wait for.
            self.client.pool.submit {
                switch result {
                case .success:
                    guard self.unpark() else { return }
                    goOn(self.feed(reader, turn), true)
                case .failure(let failure):
                    self.finish(.failure(self.located(failure)), isOnWorker: true)
                }
            }
        }
    }

    private func feed(_ reader: BodyReader, _ turn: UInt64) -> BodyFeed {
        BodyFeed(reader, turn: turn) { self.finish(.failure(self.located($0))) }
    }

    private func located(_ failure: Failure) -> Failure {
        var failure = failure
        failure.message = "\(description): \(failure.message)"
        return failure
    }

    private static func misused(_ why: String) -> Failure {
        Failure(.invalidArgument, "the body's reader cannot be read: \(why)", field: "reader")
    }
}
