package import RestwayCalls
import RestwayDocument
import RestwayHTTP
package import RestwayOutcome
import RestwayRouting
import RestwayText
import RestwayThreads

/// The batch calls of a session, in which its requests go out, and their answers.
extension BatchSession {
    /// Sends a batch call. It runs on a worker, because it may call functions of the program.
    func sendBatchCall(_ number: Int) {
        let items = state.withLock { state in
            state.machine.begin(number).compactMap { state.requests[$0].item }
        }
        guard !items.isEmpty else { return fail(number, Self.emptyFailure) }
        do throws(Failure) {
            let body = try encode(items)
            var spec = RequestSpec(target: .path(.post, definition.path))
            spec.body = RequestSpec.Body(
                bytes: body.bytes, mediaType: body.mediaType ?? "application/octet-stream")
            let call = try context.makeCall(spec, isAskedAbout: false)
            call.follow { [weak call] outcome in self.ended(number, outcome, call?.credential) }
            try context.register(call)
            let isWanted = state.withLock { state in
                state.batchCall = (number, call)
                return state.machine.isWanted(number)
            }
            if isWanted { call.start() } else { call.abort(Self.emptyFailure) }
        } catch {
            fail(number, error)
        }
    }

    private func encode(_ items: [BatchItem]) throws(Failure) -> BatchBody {
        do {
            return try batches.format.encode(items)
        } catch {
            throw Failure(.batch, "the batch cannot be written: \(error.message)")
        }
    }

    package func abandon(_ number: Int) {
        // Another call may be running by now.
        let call = state.withLock { $0.batchCall?.number == number ? $0.batchCall?.call : nil }
        call?.cancel()
    }

    /// Handles the end of a batch call.
    private func ended(_ number: Int, _ outcome: Call.Outcome, _ credential: UInt64?) {
        switch outcome {
        case .failure(let failure):
            fail(number, failure)
        case .success(let response):
            // A worker splits the answer: this may be any thread, and the format may belong to the
            // program.
            context.pool.submit { self.split(number, response, credential) }
        }
    }

    private func split(_ number: Int, _ response: Response, _ credential: UInt64?) {
        let count = state.withLock { state in
            state.batchCall = nil
            return state.machine.items(of: number).count
        }
        let body = BatchBody(
            Array(response.bodyWithNUL.dropLast()),
            mediaType: response.headers[first: "Content-Type"])
        let answers: [BatchAnswer]
        do {
            answers = try batches.format.answers(body, count: count)
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
            var told: [(index: Int, request: Request, answer: BatchAnswer)] = []
            for (position, index) in waiting.enumerated() {
                guard let index, state.requests[index].item != nil else { continue }
                told.append((index, state.requests[index], answers[position]))
                state.requests[index].item = nil
                state.requests[index].recorder = nil
            }
            return (told, actions)
        }
        for (index, request, answer) in told {
            if let call = request.call, let recorder = request.recorder {
                deliver(
                    answer, to: call, recorder, credential,
                    uploadedBytes: Int64(request.item?.body?.count ?? 0))
            } else {
                deliver(answer, to: index, credential)
            }
        }
        perform(actions)
    }

    package func fail(_ number: Int, _ failure: Failure) {
        var failure = failure
        failure.isOfBatchCall = true
        act { state in
            let actions = state.machine.failed(number)
            state.batchCall = nil
            if state.failure == nil, actions.contains(where: \.isFailure) {
                state.failure = failure
            }
            return actions
        }
    }
}

// Requests of a `BatchSender`, which have no calls as long as they need none.
extension BatchSession {
    /// Adds a request without a call.
    ///
    /// - Returns: The position of the request.
    package func add(_ item: BatchItem) -> Int {
        state.withLock { state in
            state.requests.append(Request(item: item))
            return state.machine.add()
        }
    }

    /// Gives an answer to a request without a call. The request gets a call if its sender does not
    /// take the answer.
    private func deliver(_ answer: BatchAnswer, to index: Int, _ credential: UInt64?) {
        guard let sender else { return }
        if !sender.take(index, answer) {
            do throws(Failure) {
                let call = try sender.makeCall(index)
                call.join(Place(session: self, index: index))
                try context.register(call)
                state.withLock { $0.requests[index].call = call }
                if let recorder = call.startSent() {
                    deliver(answer, to: call, recorder, credential)
                }
                return
            } catch {
                sender.fail(index, error)
            }
        }
        act { $0.machine.leave(index) }
    }

    /// Gives an answer to a call, as a transport does. When this returns, the call has processed
    /// the answer or waits for something.
    ///
    /// - Parameter credential: The number of the credential with which the batch was sent.
    private func deliver(
        _ answer: BatchAnswer, to call: Call, _ recorder: ExchangeRecorder, _ credential: UInt64?,
        uploadedBytes: Int64 = 0
    ) {
        call.credential = credential
        recorder.receivedHead(
            ResponseHead(status: answer.code, headers: Headers(answer.headers), url: call.url))
        if !answer.body.isEmpty {
            let reply = unsafe answer.body.withUnsafeBytes { unsafe recorder.receivedBody($0) }
            if case .stop(let error) = reply { return recorder.completed(.failure(error)) }
        }
        recorder.completed(
            .success(
                ExchangeSummary(
                    connectionWasReused: true, uploadedBytes: uploadedBytes,
                    downloadedBytes: Int64(answer.body.count))))
    }

    /// Ends a request, unless it has ended.
    package func abort(_ index: Int, _ call: Call?, _ failure: Failure) {
        if let call { return call.abort(failure) }
        guard state.withLock({ $0.requests[index].item.take() != nil }) else { return }
        sender?.fail(index, failure)
        act { $0.machine.leave(index) }
    }
}
