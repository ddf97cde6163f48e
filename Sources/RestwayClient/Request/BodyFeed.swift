import RestwayHTTP
import RestwayThreads

/// The body of one exchange, which the program's reader gives piece by piece. It makes sure that
/// the reader keeps to its length.
final class BodyFeed: BodySource {
    private static let pieceBytesMax = 64 << 10

    private let reader: BodyReader
    private let turn: UInt64
    /// Completes the call.
    private let fail: @Sendable (Failure) -> Void
    private let given = Lock(Int64(0))

    init(_ reader: BodyReader, turn: UInt64, fail: @escaping @Sendable (Failure) -> Void) {
        self.reader = reader
        self.turn = turn
        self.fail = fail
    }

    var length: Int64? { reader.length }

    func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void) {
        reader.ask(turn, isReading: true) { deliver(self.piece()) }
    }

    /// Returns the next piece. If the length is known, the last piece is returned only after the
    /// reader has reported its end; otherwise a server would take a cut-off body for the whole.
    private func piece() -> BodyPiece {
        do throws(Failure) {
            let piece = try ask()
            let total = given.withLock { given in
                given += Int64(piece.count)
                return given
            }
            guard let length else { return piece.isEmpty ? .end : .bytes(piece) }
            guard total <= length else { throw Self.wrongLength("more than its \(length)") }
            guard !piece.isEmpty else {
                guard total == length else {
                    throw Self.wrongLength("\(total) of its \(length)")
                }
                return .end
            }
            if total == length, try !ask().isEmpty {
                throw Self.wrongLength("more than its \(length)")
            }
            return .bytes(piece)
        } catch {
            fail(error)
            return .failed(TransportError(.cancelled, "the body's reader failed"))
        }
    }

    private func ask() throws(Failure) -> [UInt8] {
        var count: Result<Int, Failure> = .success(0)
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.pieceBytesMax) { buffer, written in
            let room = UnsafeMutableRawBufferPointer(buffer)
            count = CallbackScope.run { reader.read(room) }
            written = (try? count.get()) ?? 0
        }
        _ = try count.get()
        return bytes
    }

    private static func wrongLength(_ what: String) -> Failure {
        Failure(.invalidArgument, "the body's reader gave \(what) bytes", field: "length")
    }
}
