import RestwayBatch
import RestwaySupport

/// Requests of a batch that have no calls, as long as they need none: those of a `BatchSender`.
extension BatchSession {
    /// Without any.
    package convenience init(_ client: Client) throws(Failure) {
        try self.init(client, sender: nil)
    }

    /// Another one.
    ///
    /// - Returns: Its position.
    func add(_ item: BatchItem) -> Int {
        state.withLock { state in
            state.calls.append(nil)
            state.passengers.append(nil)
            state.parcels.append(item)
            return state.machine.add()
        }
    }

    /// Gives its answer to a request, which gets a call when there is more to it.
    func deliver(_ answer: BatchAnswer, to index: Int, _ credential: UInt64?) {
        guard let sender else { return }
        if !sender.take(index, answer) {
            do throws(Failure) {
                let call = try sender.makeCall(index)
                call.join(.item(self, index))
                try client.register(call)
                state.withLock { $0.calls[index] = call }
                call.receive(answer, credential: credential)
                return
            } catch {
                sender.fail(index, error)
            }
        }
        act { $0.machine.leave(index) }
    }

    /// Ends a request, unless it has ended.
    func abort(_ index: Int, _ call: Call?, _ failure: Failure) {
        if let call { return call.abort(failure) }
        guard state.withLock({ $0.parcels[index].take() != nil }) else { return }
        sender?.fail(index, failure)
        act { $0.machine.leave(index) }
    }
}
