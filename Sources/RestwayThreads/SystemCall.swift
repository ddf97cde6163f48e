import CLinux
import Glibc

/// The system calls that read and write bytes. A signal may interrupt each of them (EINTR) if the
/// program has installed its handler without SA_RESTART; the call is then made again.
///
/// A function that fails leaves the reason in `errno`.
package enum SystemCall {
    /// Reads at most `count` bytes, like read(2), and waits while a descriptor that does not block
    /// has no bytes. Returns the number of bytes, 0 at the end, and -1 after a failure.
    package static func read(
        _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int
    ) -> Int {
        untilDone(descriptor, POLLIN) { Glibc.read(descriptor, bytes, count) }
    }

    /// Reads at most `count` bytes of a file at a position, like pread(2).
    package static func pread(
        _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int, at position: Int64
    ) -> Int {
        untilDone(descriptor, POLLIN) { Glibc.pread(descriptor, bytes, count, off_t(position)) }
    }

    /// Writes at most `count` bytes to a file at a position, like pwrite(2).
    package static func pwrite(
        _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, at position: Int64
    ) -> Int {
        untilDone(descriptor, POLLOUT) { Glibc.pwrite(descriptor, bytes, count, off_t(position)) }
    }

    /// Reads a file from its start until the buffer is full or the file ends. Returns the number of
    /// bytes, and -1 after a failure.
    package static func readAll(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var length = 0
        while length < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
            let count = pread(descriptor, rest.baseAddress, rest.count, at: Int64(length))
            guard count > 0 else { return count < 0 ? -1 : length }
            length += count
        }
        return length
    }

    /// Writes all bytes, and waits while the descriptor takes no bytes. Returns false after a
    /// failure.
    ///
    /// - Parameter mayBePipe: Whether the other end may be closed. The thread gets no SIGPIPE then,
    ///   and the error is EPIPE.
    package static func writeAll(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, mayBePipe: Bool = false
    ) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = untilDone(descriptor, POLLOUT) {
                mayBePipe
                    ? rw_write_without_signal(descriptor, rest.baseAddress, rest.count)
                    : write(descriptor, rest.baseAddress, rest.count)
            }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return true
    }

    /// Makes a call until it succeeds or fails for good.
    ///
    /// - Parameter events: What the descriptor must be ready for if the call would block.
    private static func untilDone(
        _ descriptor: Int32, _ events: Int32, _ call: () -> Int
    ) -> Int {
        while true {
            let result = call()
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
                _ = poll(&waiting, 1, -1)
            default: return result
            }
        }
    }
}
