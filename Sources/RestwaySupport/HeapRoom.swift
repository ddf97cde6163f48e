import CLinux

/// Room in the heap of a thread.
package enum HeapRoom {
    /// Of a request or an answer with what it holds, as a rule.
    private static let bytesOfOne = 640
    /// More would be asked of the system each time, and given back at once.
    private static let bytesMax = 96 << 10

    /// Before a thread makes many requests or answers that stay: glibc lets the heap of a thread
    /// grow a page at a time, with a call of the system for each. What was asked for and given back
    /// at once makes it grow by that much in one.
    package static func prepare(for count: Int) {
        rw_heap_touch(min(count * bytesOfOne, bytesMax))
    }
}
