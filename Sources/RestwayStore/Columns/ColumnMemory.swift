import Glibc

/// Memory from `malloc` that grows at its end. Its owner frees it or gives it away.
struct ColumnMemory {
    private(set) var start: UnsafeMutableRawPointer?
    /// The number of bytes in use.
    private(set) var count = 0
    private var capacity = 0

    /// No buffer of a column is smaller, so that none is null.
    private static let capacityMin = 64

    @inline(__always)
    mutating func append<Element: BitwiseCopyable>(_ element: Element) {
        let size = MemoryLayout<Element>.size
        if count + size > capacity { grow(by: size) }
        start.unsafelyUnwrapped.storeBytes(of: element, toByteOffset: count, as: Element.self)
        count += size
    }

    @inline(__always)
    mutating func append(bytes: UnsafeRawBufferPointer) {
        // No bytes need no memory, so there may be none to copy to.
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        if count + bytes.count > capacity { grow(by: bytes.count) }
        memcpy(start.unsafelyUnwrapped + count, source, bytes.count)
        count += bytes.count
    }

    mutating func reserve(_ byteCount: Int) {
        if count + byteCount > capacity { grow(by: byteCount) }
    }

    /// Keeps the first bytes only.
    mutating func shorten(to byteCount: Int) {
        count = min(count, byteCount)
    }

    func element<Element: BitwiseCopyable>(_ index: Int, as type: Element.Type) -> Element {
        start.unsafelyUnwrapped.load(
            fromByteOffset: index * MemoryLayout<Element>.size, as: Element.self)
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Gives the memory away; the caller frees it. It is never null.
    mutating func take() -> UnsafeMutableRawPointer {
        if start == nil { grow(by: 0) }
        let taken = start.unsafelyUnwrapped
        self = ColumnMemory()
        return taken
    }

    mutating func free() {
        Glibc.free(start)
        self = ColumnMemory()
    }

    private mutating func grow(by byteCount: Int) {
        capacity = max(2 * capacity, count + byteCount, Self.capacityMin)
        guard let grown = realloc(start, capacity) else { preconditionFailure("out of memory") }
        start = grown
    }
}

/// Which values of a column are null. It takes no memory as long as none is null.
struct NullMask {
    /// A byte for each value, 0 for null; empty as long as no value is null.
    private var isValid = ColumnMemory()
    private(set) var nullCount = 0

    /// Notes a value that is not null.
    @inline(__always)
    mutating func appendValue() {
        if nullCount > 0 { isValid.append(UInt8(1)) }
    }

    /// - Parameter count: The number of values before this one.
    mutating func appendNull(after count: Int) {
        if nullCount == 0 {
            isValid.reserve(count + 1)
            for _ in 0..<count { isValid.append(UInt8(1)) }
        }
        isValid.append(UInt8(0))
        nullCount += 1
    }

    func isNull(_ index: Int) -> Bool {
        nullCount > 0 && isValid.element(index, as: UInt8.self) == 0
    }

    /// Returns the bitmap of Arrow; `nil` if no value is null. The mask is empty afterwards.
    mutating func take() -> UnsafeMutableRawPointer? {
        guard nullCount > 0 else { return nil }
        let packed = isValid.takePacked()
        nullCount = 0
        return packed
    }

    mutating func free() { isValid.free() }
}

extension ColumnMemory {
    /// Makes one bit of each byte, which is 0 or 1, and gives the bits away.
    mutating func takePacked() -> UnsafeMutableRawPointer {
        var packed = ColumnMemory()
        packed.reserve((count + 7) / 8)
        for start in stride(from: 0, to: count, by: 8) {
            var byte: UInt8 = 0
            for index in start..<min(start + 8, count) {
                byte |= element(index, as: UInt8.self) << UInt8(index - start)
            }
            packed.append(byte)
        }
        free()
        return packed.take()
    }
}

/// The places at which the values of a column end, when values have different lengths.
struct ValueEnds {
    private var ends = ColumnMemory()

    init() { ends.append(Int64(0)) }

    @inline(__always)
    mutating func append(_ end: Int) { ends.append(Int64(end)) }

    mutating func reserve(_ count: Int) { ends.reserve(count * MemoryLayout<Int64>.size) }

    /// Returns where value `index` begins.
    func start(_ index: Int) -> Int { Int(ends.element(index, as: Int64.self)) }

    /// Returns the offsets of Arrow, and whether they have 64 bits, which long columns need.
    mutating func take() -> (offsets: UnsafeMutableRawPointer, areLarge: Bool) {
        let count = ends.count / MemoryLayout<Int64>.size
        let areLarge = start(count - 1) > Int(Int32.max)
        let offsets = ends.take()
        if !areLarge {
            let (wide, narrow) = (
                offsets.assumingMemoryBound(to: Int64.self),
                offsets.assumingMemoryBound(to: Int32.self)
            )
            for index in 0..<count { narrow[index] = Int32(truncatingIfNeeded: wide[index]) }
        }
        return (offsets, areLarge)
    }

    mutating func free() { ends.free() }
}
