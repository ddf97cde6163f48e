/// What a sender knows about earlier attempts that the file does not record: nothing is written
/// before most items are sent.
struct SendingPast {
    /// An earlier sender may have sent items up to this one.
    private var lastItem: Int64
    /// The turn of `SenderLock` that this journal knew last.
    private var turn: UInt64
    private var isOthers: Bool
    /// Items that this sender had taken and that came back unsettled.
    private var returned: Set<Int64> = []

    /// - Parameters:
    ///   - lastItem: The last item that was stored when the file was opened.
    ///   - turn: The turn of the lock at that time.
    init(lastItem: Int64, turn: UInt64) {
        self.lastItem = lastItem
        self.turn = turn
        isOthers = turn % 2 == 1
    }

    /// Notes that this journal becomes the sender.
    ///
    /// - Parameter turn: The turn that it found in the lock file.
    mutating func begin(lastItem: Int64, turn: UInt64) {
        if isOthers || turn != self.turn { self.lastItem = lastItem }
        isOthers = false
    }

    /// Notes that this journal is no longer the sender.
    mutating func end(turn: UInt64) {
        self.turn = turn
    }

    mutating func add(_ ids: [Int64]) {
        returned.formUnion(ids)
    }

    mutating func remove(_ id: Int64) {
        returned.remove(id)
    }

    /// Returns whether an item may have been sent before the attempt in progress.
    func mayHold(_ id: Int64) -> Bool { id <= lastItem || returned.contains(id) }
}
