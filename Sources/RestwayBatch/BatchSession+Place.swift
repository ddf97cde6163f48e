import RestwayCalls
import RestwayOutcome

extension BatchSession {
    /// The place of one call in a session.
    final class Place: BatchPlace {
        let session: BatchSession
        let index: Int

        init(session: BatchSession, index: Int) {
            self.session = session
            self.index = index
        }

        func send(_ request: PreparedRequest, to recorder: ExchangeRecorder) throws(Failure) {
            let item = try session.batches.item(request)
            session.act { state in
                state.requests[index].item = item
                state.requests[index].recorder = recorder
                return state.machine.arrive(index)
            }
        }

        func stepAside() {
            session.act { $0.machine.stepAside(index) }
        }

        func ended(_ outcome: Call.Outcome) {
            session.act { state in
                state.requests[index].item = nil
                state.requests[index].recorder = nil
                // A closed client also ends the session.
                if case .failure(let failure) = outcome, failure.reason == .closed,
                    state.failure == nil
                {
                    state.failure = failure
                }
                return state.machine.leave(index)
            }
        }
    }
}
