import RestwayBatch
import RestwayThreads

/// Requests of a `BatchSender`, which have no calls as long as they need none.
extension BatchSession {
    /// Makes a session without a sender.
    package convenience init(_ client: Client) throws(Failure) {
        try self.init(client, sender: nil)
    }

    /// Adds a request without a call.
    ///
    /// - Returns: The position of the request.
    func add(_ item: BatchItem) -> Int {
        state.withLock { state in
            state.calls.append(nil)
            state.passengers.append(nil)
            state.parcels.append(item)
            return state.machine.add()
        }
    }

    /// Gives an answer to its request. The request gets a call if its sender does not take the
    /// answer.
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
