import RestwayHTTP
import Synchronization

/// The body of a request, whose pieces are also passed to an observer function.
final class WatchedSource: BodySource {
    private let source: any BodySource
    private let watch: @Sendable (_ bytes: [UInt8], _ offset: Int64) -> Void
    private let offset = Atomic<Int64>(0)

    init(
        _ source: any BodySource,
        _ watch: @escaping @Sendable (_ bytes: [UInt8], _ offset: Int64) -> Void
    ) {
        self.source = source
        self.watch = watch
    }

    var length: Int64? { source.length }

    func next(_ deliver: @escaping @Sendable (BodyPiece) -> Void) {
        source.next { piece in
            if case .bytes(let bytes) = piece {
                let end = self.offset.add(Int64(bytes.count), ordering: .relaxed).newValue
                self.watch(bytes, end - Int64(bytes.count))
            }
            deliver(piece)
        }
    }
}
