import CLinux
import Glibc
import RestwayHTTP
import RestwayOutcome
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
        let player = KeptBodyPlayer(
            source, progressed: call.progressFunction(for: entry.request))
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

/// The bytes of a kept body, in memory or in a file that stays open.
final class KeptBodySource: Sendable {
    private enum Content {
        case memory(Body)
        /// The descriptor, and the object that keeps the file.
        case file(Int32, any AnyObject & Sendable)
    }

    private let content: Content
    let length: Int64

    /// Fails if the file cannot be opened or has another length.
    init?(_ answer: Answer) {
        guard case .kept(let file) = answer.bodyPlace else {
            content = .memory(answer.body)
            length = Int64(answer.body.count)
            return
        }
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int64(status.st_size) == file.length else {
            close(descriptor)
            return nil
        }
        content = .file(descriptor, file.keeper)
        length = file.length
    }

    deinit {
        if case .file(let descriptor, _) = content { close(descriptor) }
    }

    /// Reads up to as many bytes as the buffer has room for. Returns their number; `nil` if the
    /// file cannot be read.
    func read(at position: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = min(buffer.count, Int(length - position))
        switch content {
        case .memory(let body):
            body.withBytes { bytes in
                let start = Int(position)
                buffer.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
            }
            return count
        case .file(let descriptor, _):
            guard count > 0 else { return 0 }
            let got = SystemCall.pread(descriptor, buffer.baseAddress, count, at: position)
            return got > 0 ? got : nil
        }
    }

    func readAll() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Int(length))
        var position: Int64 = 0
        while position < length {
            let got = bytes.withUnsafeMutableBytes { bytes in
                read(
                    at: position,
                    into: UnsafeMutableRawBufferPointer(rebasing: bytes[Int(position)...]))
            }
            guard let got else { return nil }
            position += Int64(got)
        }
        return bytes
    }
}

/// Gives the bytes of a kept body to a pump, as a transport gives it the bytes of an exchange: it
/// pauses when the pump is full, and stops when the call does not want the body any more.
final class KeptBodyPlayer: Sendable {
    private static let pieceBytes = 128 << 10

    private struct State {
        /// `nil` before the start and after the end.
        var pump: BodyPump?
        var position: Int64 = 0
        /// Whether the player waits for `resume`.
        var isPaused = false
        /// Whether `resume` was called before the player knew that it has to pause.
        var isResumed = false
        var isStopped = false
        var isBroken = false
    }

    private let source: KeptBodySource
    private let progressed: ExchangeRecorder.Progressed?
    private let state = Lock(State())

    init(_ source: KeptBodySource, progressed: ExchangeRecorder.Progressed?) {
        self.source = source
        self.progressed = progressed
    }

    /// Whether the source could not be read.
    var isBroken: Bool { state.withLock { $0.isBroken } }

    /// Gives the pump the head and the first bytes, on this worker.
    func play(into pump: BodyPump, _ head: ResponseHead) {
        state.withLock { $0.pump = pump }
        pump.control(by: .init(resume: { self.resume() }, cancel: { self.stop() }))
        if pump.accepts(head) {
            goOn()
        } else {
            end(.failure(TransportError(.internal, "the target does not take a kept body")))
        }
    }

    private func resume() {
        let goesOn = state.withLock { state in
            guard state.isPaused else {
                state.isResumed = true
                return false
            }
            state.isPaused = false
            return true
        }
        if goesOn { WorkerPool.forBodies.submit { self.goOn() } }
    }

    private func stop() {
        let goesOn = state.withLock { state in
            state.isStopped = true
            defer { state.isPaused = false }
            return state.isPaused
        }
        if goesOn { WorkerPool.forBodies.submit { self.goOn() } }
    }

    private func goOn() {
        let count = Int(min(source.length, Int64(Self.pieceBytes)))
        var buffer = [UInt8](repeating: 0, count: count)
        while true {
            let (pump, position, isStopped) = state.withLock { state in
                (state.pump, state.position, state.isStopped)
            }
            guard let pump else { return }
            guard !isStopped else {
                return end(.failure(TransportError(.cancelled, "the body is not wanted any more")))
            }
            guard position < source.length else {
                return end(.success(ExchangeSummary(downloadedBytes: position)))
            }
            let reply = buffer.withUnsafeMutableBytes { buffer -> BodyReply? in
                guard let got = source.read(at: position, into: buffer) else { return nil }
                state.withLock { $0.position += Int64(got) }
                return pump.receive(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
            }
            guard let reply else {
                state.withLock { $0.isBroken = true }
                return end(.failure(TransportError(.connectionLost, "a kept body has no end")))
            }
            progressed?(0, state.withLock { $0.position }, source.length)
            switch reply {
            case .proceed: break
            case .pause: if pauses() { return }
            case .stop(let error): return end(.failure(error))
            }
        }
    }

    /// Pauses unless the pump has room again by now.
    private func pauses() -> Bool {
        state.withLock { state in
            if state.isResumed || state.isStopped {
                state.isResumed = false
                return false
            }
            state.isPaused = true
            return true
        }
    }

    private func end(_ result: Result<ExchangeSummary, TransportError>) {
        state.withLock { $0.pump.take() }?.end(result)
    }
}
