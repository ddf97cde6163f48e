import Glibc

/// One block of memory in which several stacks of a machine begin.
///
/// Owned by the machine, which destroys it after the stacks.
struct ScratchBlock {
    /// The C library has blocks up to this size at hand, for each thread.
    private static let byteCount = 1_024

    private let memory: UnsafeMutableRawPointer
    private var lentBytes = 0

    init() {
        guard let memory = malloc(Self.byteCount) else { preconditionFailure("out of memory") }
        self.memory = memory
    }

    /// A stack that has room for so many elements.
    mutating func lend<Element>(_ capacity: Int) -> ScratchStack<Element> {
        let alignment = MemoryLayout<Element>.alignment
        let start = (lentBytes + alignment - 1) & ~(alignment - 1)
        lentBytes = start + capacity * MemoryLayout<Element>.stride
        precondition(lentBytes <= Self.byteCount)
        let base = (memory + start).bindMemory(to: Element.self, capacity: capacity)
        return ScratchStack(lent: base, capacity: capacity)
    }

    /// A stack of bytes in all that is left.
    mutating func lendRest() -> ScratchStack<UInt8> {
        lend(Self.byteCount - lentBytes)
    }

    func destroy() {
        free(memory)
    }
}
