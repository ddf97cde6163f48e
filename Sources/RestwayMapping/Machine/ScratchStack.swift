import Glibc

/// A stack of plain values that keeps its memory when it shrinks.
///
/// One machine owns and destroys it. An array would count references on every access.
struct ScratchStack<Element: BitwiseCopyable> {
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity = 0

    /// Creates a stack without memory until an element is pushed: most machines use only some
    /// stacks.
    init() {
        base = UnsafeMutablePointer(bitPattern: MemoryLayout<Element>.alignment)!
    }

    func destroy() {
        if capacity > 0 { free(base) }
    }

    subscript(index: Int) -> Element {
        @inline(__always) get { base[index] }
        @inline(__always) nonmutating _modify { yield &base[index] }
    }

    /// The element that was pushed last. The stack must not be empty.
    var last: Element {
        @inline(__always) get { base[count - 1] }
        @inline(__always) nonmutating _modify { yield &base[count - 1] }
    }

    @inline(__always)
    mutating func push(_ element: Element) {
        if count == capacity { grow(to: count + 1) }
        (base + count).initialize(to: element)
        count += 1
    }

    /// Replaces all elements with `element`. An element must have been pushed before.
    @inline(__always)
    mutating func hold(_ element: Element) {
        base.initialize(to: element)
        count = 1
    }

    mutating func push(repeating element: Element, _ times: Int) {
        if count + times > capacity { grow(to: count + times) }
        (base + count).initialize(repeating: element, count: times)
        count += times
    }

    @inline(__always)
    mutating func pop(to count: Int) {
        self.count = count
    }

    /// Reserves room for `more` elements after the last element.
    mutating func reserve(_ more: Int) {
        if count + more > capacity { grow(to: count + more) }
    }

    /// Counts `more` elements that were written after the last element.
    mutating func grew(by more: Int) {
        count += more
    }

    private mutating func grow(to least: Int) {
        // The C library keeps free blocks up to this size for each thread.
        let first = max(1, 1_024 / MemoryLayout<Element>.stride)
        let newCapacity = max(least, capacity * 2, first)
        let newBase = Self.allocate(newCapacity)
        newBase.update(from: base, count: count)
        destroy()
        base = newBase
        capacity = newCapacity
    }

    /// `malloc` keeps small blocks ready for each thread. The allocator of Swift's pointers does
    /// not, and gives the same alignment.
    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Element> {
        guard let memory = malloc(capacity * MemoryLayout<Element>.stride) else {
            preconditionFailure("out of memory")
        }
        return memory.bindMemory(to: Element.self, capacity: capacity)
    }
}

extension ScratchStack<UInt8> {
    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        reserve(bytes.count)
        memcpy(base + count, start, bytes.count)
        grew(by: bytes.count)
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ text: String) {
        text.withBytes { append($0) }
    }
}
