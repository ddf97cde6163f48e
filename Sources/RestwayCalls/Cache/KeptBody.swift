import RestwayBodies
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// Brings the body of a kept answer to where the request wants it: into memory, or through the same
/// `BodyTarget` that takes the body of a server's answer.
enum KeptBody {
    indirect enum Placed: Sendable {
        /// The answer with its body in its place.
        case answer(Answer)
        case failed(Failure)
        /// The file of the body cannot be read, so the server has to be asked.
        case lost
    }

    typealias Then = @Sendable (StageEntry, Placed) -> Void

    /// Whether the body of an answer has to be read, or brought to the place that the request
    /// names.
    static func needsPlace(_ answer: Answer, for request: PreparedRequest) -> Bool {
        switch answer.bodyPlace {
        case .saved: false
        case .kept: true
        case .memory, .dropped: !request.bodyDestination.isMemory && answer.isSuccess
        }
    }

    /// Calls `then` once, on this thread or on another one, unless the call leaves the stage.
    static func place(_ answer: Answer, for entry: StageEntry, _ then: @escaping Then) {
        let request = entry.request
        guard request.bodyDestination.isMemory || !answer.isSuccess else {
            WorkerPool.forBodies.submit { copy(answer, entry.on(.worker), then) }
            return
        }
        guard case .kept = answer.bodyPlace, request.method != .head else {
            return then(entry, .answer(answer))
        }
        guard entry.place == .waiter else {
            return entry.onWorker { then($0, read(answer, $0)) }
        }
        then(entry, read(answer, entry))
    }

    // MARK: Into memory

    private static func read(_ answer: Answer, _ entry: StageEntry) -> Placed {
        guard let source = KeptBodySource(answer) else { return .lost }
        let bytesMax = entry.context.options.bodyBytesMax
        guard source.length <= Int64(bytesMax) else {
            return .failed(entry.call.located(Failure(BodyError.tooLarge(bytesMax: bytesMax))))
        }
        guard let bytes = source.readAll() else { return .lost }
        return .answer(answer.with(.memory(Body(bytes))))
    }

    // MARK: To a target

    /// Copies the body on workers for bodies.
    private static func copy(
        _ answer: Answer, _ entry: StageEntry, _ then: @escaping Then
    ) {
        let call = entry.call
        // The workers for bodies leave the rest of the call to others.
        let end = { @Sendable (placed: Placed) in
            entry.on(.transport).offTransport { then($0, placed) }
        }
        guard let source = KeptBodySource(answer) else { return end(.lost) }
        var exchange = entry.request.exchange
        let target: any BodyTarget
        do throws(Failure) {
            guard let prepared = try entry.preparedTarget(&exchange) else { return }
            target = prepared
        } catch {
            return end(.failed(call.located(error)))
        }
        let progressed = call.progressFunction(for: entry.request)
        let player = KeptBodyPlayer(source) { progressed?(0, $0, $1) }
        let pump = BodyPump(target, isDecoded: true) { result, outcome in
            let placed: Placed
            switch (outcome, result) {
            case (.taken(let saved), _):
                placed = .answer(answer.with(saved.map(BodyPlace.saved) ?? .dropped))
            case _ where player.isBroken && target.mayBeginAgain: placed = .lost
            case (.restart, _): placed = .lost
            case (.failed(let failure), _): placed = .failed(call.located(failure))
            case (nil, .failure(let error)): placed = .failed(call.located(Failure(error)))
            case (nil, .success):
                placed = .failed(Failure(.internal, "\(call.description): the body has no place"))
            }
            end(placed)
        }
        let isHeld = call.state.withLock { state in
            guard state.journey.isCurrent(entry.number) else { return false }
            state.stageResources.pump = pump
            return true
        }
        guard isHeld else { return target.abandon() }
        entry.watchDeadline()
        player.play(into: pump, answer.head(ofLength: source.length))
    }
}

extension Answer {
    fileprivate func with(_ place: BodyPlace) -> Answer {
        var answer = self
        answer.bodyPlace = place
        return answer
    }

    /// Returns the head that a target gets. A length that counts coded bytes says nothing about the
    /// kept body, which has no content coding any more.
    fileprivate func head(ofLength length: Int64) -> ResponseHead {
        var headers = headers
        if headers.joined("Content-Encoding") == nil {
            headers.set("Content-Length", String(length))
        }
        return ResponseHead(
            status: status, headers: headers, url: url, httpVersion: httpVersion ?? .http11)
    }
}
