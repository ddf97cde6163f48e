import Glibc

/// A block of memory that holds the first elements of several stacks of a machine.
///
/// The machine owns it and destroys it after the stacks.
struct ScratchBlock {
    /// The C library keeps free blocks up to this size for each thread.
    private static let byteCount = 1_024

    private let memory: UnsafeMutableRawPointer
    private var lentBytes = 0

    init() {
        guard let memory = malloc(Self.byteCount) else { preconditionFailure("out of memory") }
        self.memory = memory
    }

    /// A stack with room for `capacity` elements.
    mutating func lend<Element>(_ capacity: Int) -> ScratchStack<Element> {
        let alignment = MemoryLayout<Element>.alignment
        let start = (lentBytes + alignment - 1) & ~(alignment - 1)
        lentBytes = start + capacity * MemoryLayout<Element>.stride
        precondition(lentBytes <= Self.byteCount)
        let base = (memory + start).bindMemory(to: Element.self, capacity: capacity)
        return ScratchStack(lent: base, capacity: capacity)
    }

    /// A stack of bytes in the rest of the block.
    mutating func lendRest() -> ScratchStack<UInt8> {
        lend(Self.byteCount - lentBytes)
    }

    func destroy() {
        free(memory)
    }
}
