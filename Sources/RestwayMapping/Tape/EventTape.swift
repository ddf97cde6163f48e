import CLinux
import Glibc

/// Events that wait for their machine: a part of what a mapper pushes, in order.
///
/// `@unchecked Sendable`: one thread at a time has it, and hands it on under a lock.
package final class EventTape: @unchecked Sendable {
    /// Text of this many bytes ends a tape, too.
    static let textBytesMax = 1 << 18

    let records: UnsafeMutablePointer<EventRecord>
    let recordsMax: Int
    private(set) var count = 0
    /// Text that does not lie in the body.
    var text = ScratchStack<UInt8>()

    package init(recordsMax: Int) {
        self.recordsMax = recordsMax
        // A line of the cache is written by one `append` where their counts are multiples of eight.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: recordsMax * MemoryLayout<EventRecord>.stride, alignment: 64)
        records = memory.bindMemory(to: EventRecord.self, capacity: recordsMax)
    }

    deinit {
        records.deallocate()
        text.destroy()
    }

    /// Adds records, past the caches.
    ///
    /// The thread that had the tape has read what stood there, on another core. To write there as
    /// usual would first take each line back out of that core's cache: where the two share none,
    /// that costs several times what making the records does.
    func append(_ more: UnsafePointer<EventRecord>, _ moreCount: Int) {
        rw_stream(records + count, more, moreCount * MemoryLayout<EventRecord>.stride)
        count += moreCount
    }

    /// Nothing more comes: another thread may have it.
    func end() {
        rw_stream_end()
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
