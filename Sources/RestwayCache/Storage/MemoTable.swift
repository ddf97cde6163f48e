import RestwayOutcome
import RestwayThreads

/// Remembers the memos of answers that were read from the file, so that an answer that does not
/// stay in memory need not be decoded again either.
///
/// Only the memos of small bodies are here, because a memo grows with its body.
final class MemoTable: Sendable {
    private struct Place {
        let id: Int64
        let key: Int64
        let memo: AnswerMemo
    }

    private static let count = 1_024

    private let places = Lock([Place?](repeating: nil, count: count))

    /// Returns the memo of an answer. An id always names the same body; the key is compared because
    /// other processes make ids, too.
    func memo(
        of id: Int64, _ label: EntryLabel, orMake make: () -> AnswerMemo
    ) -> AnswerMemo {
        let index = Int(truncatingIfNeeded: id) & (Self.count - 1)
        return places.withLock { places in
            if let place = places[index], place.id == id, place.key == label.hash {
                return place.memo
            }
            let memo = make()
            places[index] = Place(id: id, key: label.hash, memo: memo)
            return memo
        }
    }
}
