import RestwayBatch
import RestwayHTTP
import RestwayRouting
import RestwayText
import RestwayThreads

/// The calls that carry requests.
extension BatchSession {
    /// Sends a call that carries requests. It runs on a worker, because it may call functions of
    /// the program.
    func sendCarrier(_ number: Int) {
        let items = state.withLock { state in
            state.machine.depart(number).compactMap {
                state.passengers[$0]?.item ?? state.parcels[$0]
            }
        }
        guard !items.isEmpty else { return fail(number, Self.emptyFailure) }
        do throws(Failure) {
            let body = try encode(items)
            var spec = RequestSpec(target: .path(.post, definition.path))
            spec.body = RequestSpec.Body(
                bytes: body.bytes, mediaType: body.mediaType ?? "application/octet-stream")
            let call = try client.makeCall(
                spec, token: 0, receiver: nil, isAskedAbout: false)
            call.join(.carrier(self, number))
            try client.register(call)
            let isWanted = state.withLock { state in
                state.carrier = (number, call)
                return state.machine.isWanted(number)
            }
            if isWanted { call.start() } else { call.abort(Self.emptyFailure) }
        } catch {
            fail(number, error)
        }
    }

    private func encode(_ items: [BatchItem]) throws(Failure) -> BatchBody {
        do {
            return try client.batchFormat.encode(items)
        } catch {
            throw Failure(.batch, "the batch cannot be written: \(error.message)")
        }
    }

    func abandon(_ number: Int) {
        // Another call may be running by now.
        let call = state.withLock { $0.carrier?.number == number ? $0.carrier?.call : nil }
        call?.cancel()
    }

    /// Handles the end of a call that carries requests.
    func ended(_ number: Int, _ outcome: Call.Outcome, _ credential: UInt64?) {
        switch outcome {
        case .failure(let failure):
            fail(number, failure)
        case .success(let response):
            // A worker splits the answer: this may be any thread, and the format may belong to the
            // program.
            client.pool.submit { self.split(number, response, credential) }
        }
    }

    private func split(_ number: Int, _ response: Response, _ credential: UInt64?) {
        let count = state.withLock { state in
            state.carrier = nil
            return state.machine.cargo(of: number).count
        }
        let body = BatchBody(
            Array(response.bodyWithNUL.dropLast()),
            mediaType: response.headers[first: "Content-Type"])
        let answers: [BatchAnswer]
        do {
            answers = try client.batchFormat.answers(body, count: count)
        } catch {
            var failure = Failure(
                .batch, "POST \(URLText.withoutQuery(response.url)): \(error.message)",
                field: error.field)
            failure.httpStatus = response.status
            failure.response = response
            return fail(number, failure)
        }
        let (told, actions) = state.withLock { state in
            let (waiting, actions) = state.machine.answered(number)
            var told: [(index: Int, passenger: BatchPassenger?, answer: BatchAnswer)] = []
            for (position, item) in waiting.enumerated() {
                guard let item else { continue }
                let passenger = state.passengers[item].take()
                if passenger != nil || state.parcels[item].take() != nil {
                    told.append((item, passenger, answers[position]))
                }
            }
            return (told, actions)
        }
        for (index, passenger, answer) in told {
            if let passenger {
                passenger.receive(answer, credential: credential)
            } else {
                deliver(answer, to: index, credential)
            }
        }
        perform(actions)
    }

    func fail(_ number: Int, _ failure: Failure) {
        var failure = failure
        failure.isOfCarrier = true
        act { state in
            let actions = state.machine.failed(number)
            state.carrier = nil
            if state.failure == nil, actions.contains(where: \.isFailure) {
                state.failure = failure
            }
            return actions
        }
    }
}
