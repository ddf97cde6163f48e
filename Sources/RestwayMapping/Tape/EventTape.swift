import Glibc

/// Events that wait for their machine: a part of what a mapper pushes, in order.
///
/// `@unchecked Sendable`: one thread at a time has it, and hands it on under a lock.
package final class EventTape: @unchecked Sendable {
    /// Text of this many bytes ends a tape, too.
    static let textBytesMax = 1 << 18

    let records: UnsafeMutablePointer<EventRecord>
    let recordsMax: Int
    var count = 0
    /// Text that does not lie in the body.
    var text = ScratchStack<UInt8>()

    package init(recordsMax: Int) {
        self.recordsMax = recordsMax
        records = .allocate(capacity: recordsMax)
    }

    deinit {
        records.deallocate()
        text.destroy()
    }

    /// Forgets its events. One long text does not keep its memory.
    func clear() {
        count = 0
        guard text.count > Self.textBytesMax else { return text.pop(to: 0) }
        text.destroy()
        text = ScratchStack<UInt8>()
    }

    func text(of record: EventRecord) -> UnsafeRawBufferPointer {
        let start =
            record.isOnTape
            ? UnsafeRawPointer(text.base + Int(record.bits))
            : UnsafeRawPointer(bitPattern: UInt(record.bits))
        return UnsafeRawBufferPointer(start: start, count: record.count)
    }
}
