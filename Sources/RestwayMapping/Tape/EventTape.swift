/// A part of the events that a mapper pushes, in order, which waits for the machine.
///
/// `@unchecked Sendable`: one thread at a time has the tape, and hands it over under a lock.
package final class EventTape: @unchecked Sendable {
    /// Text of this many bytes also ends a tape.
    static let textBytesMax = 1 << 18

    let records: UnsafeMutablePointer<EventRecord>
    let recordsMax: Int
    private(set) var count = 0
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

    /// Appends records.
    func append(_ more: UnsafePointer<EventRecord>, _ moreCount: Int) {
        (records + count).update(from: more, count: moreCount)
        count += moreCount
    }

    /// Removes all events. The memory of an unusually long text is freed.
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
