/// A callback that tells the program something.
///
/// The cases hold classes, so that a queue moves one word and valgrind sees no uninitialized bits.
package enum Notice: Sendable {
    /// A call has completed.
    case completion(CompletionNotice)
    /// The store has changed.
    case changes(ChangeNotice)
    /// A call has made progress.
    case progress(ProgressNotice)
    /// An attempt of a call has ended, and another one follows.
    case attempt(AttemptNotice)
    /// A batch session has completed.
    case batch(BatchNotice)
    /// Something has happened in the outbox.
    case outbox(OutboxNotice)

    /// Calls the function of the program. Returns false if the notice is no longer wanted.
    func run() -> Bool {
        switch self {
        case .completion(let notice): notice.run()
        case .changes(let notice): return notice.run()
        case .progress(let notice): return notice.run()
        case .attempt(let notice): notice.run()
        case .batch(let notice): notice.run()
        case .outbox(let notice): notice.run()
        }
        return true
    }

    /// Drops the notice without calling the function, because the program has released the client.
    func drop() {
        switch self {
        case .completion(let notice): notice.end()
        case .changes(let notice): notice.drop()
        case .progress(let notice): _ = notice.take()
        case .attempt: break
        case .batch(let notice): notice.end()
        case .outbox(let notice): notice.end()
        }
    }

    func isFor(_ observer: Observer) -> Bool {
        if case .changes(let notice) = self { notice.observer === observer } else { false }
    }
}
