import CLinux
import Glibc
package import RestwayHTTP
package import RestwayOutcome
import RestwayThreads

/// The bytes of a kept body, in memory or in a file that stays open.
package final class KeptBodySource: Sendable {
    private enum Content {
        case memory(Body)
        /// The descriptor, and the object that keeps the file.
        case file(Int32, any AnyObject & Sendable)
    }

    private let content: Content
    package let length: Int64

    /// Fails if the file cannot be opened or has another length.
    package init?(_ answer: Answer) {
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

    package func readAll() -> [UInt8]? {
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
package final class KeptBodyPlayer: Sendable {
    /// Receives how many bytes the pump has been given, and how many there are.
    package typealias Progressed = @Sendable (_ done: Int64, _ total: Int64) -> Void

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
    private let progressed: Progressed
    private let state = Lock(State())

    package init(_ source: KeptBodySource, progressed: @escaping Progressed) {
        self.source = source
        self.progressed = progressed
    }

    /// Whether the source could not be read.
    package var isBroken: Bool { state.withLock { $0.isBroken } }

    /// Gives the pump the head and the first bytes, on this worker.
    package func play(into pump: BodyPump, _ head: ResponseHead) {
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
            progressed(state.withLock { $0.position }, source.length)
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
