import CLinux

/// Has freed memory go back to the system when it ends.
///
/// glibc keeps what was freed in the middle of its heaps, which after a large response is most of
/// it. Whoever owns much holds one of these as its last property: properties end in their order.
package final class HeapReturn: Sendable {
    /// Less is not worth the walk through the heaps.
    package static let bytesMin = 1 << 20

    package init() {}

    deinit {
        malloc_trim(0)
    }
}
