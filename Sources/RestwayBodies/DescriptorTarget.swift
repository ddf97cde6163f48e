import Glibc
import RestwayHTTP
package import RestwayOutcome
import RestwayThreads

/// A descriptor into which the body of an answer is written. It is a duplicate of the program's
/// descriptor, and is closed when the request is released and its calls have ended.
package final class SaveDescriptor: Sendable {
    /// The number of the program's descriptor, for messages.
    let name: String
    let number: Int32

    package init(duplicating descriptor: Int32) throws(Failure) {
        name = "descriptor \(descriptor)"
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0 else { throw Self.failure(name, String(cString: strerror(errno))) }
        guard flags & O_ACCMODE != O_RDONLY else {
            throw Self.failure(name, "it is not open for writing")
        }
        number = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw Self.failure(name, String(cString: strerror(errno))) }
    }

    deinit {
        close(number)
    }

    /// Makes the target of a call.
    ///
    /// - Parameter bytesMax: The largest number of bytes; 0 for no limit.
    package func target(bytesMax: Int64) -> any BodyTarget {
        DescriptorTarget(self, bytesMax: bytesMax)
    }

    /// Writes all bytes, and waits while the descriptor takes no bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        guard SystemCall.writeAll(number, bytes, mayBePipe: true) else {
            throw Self.failure(name, String(cString: strerror(errno)))
        }
    }

    private static func failure(_ name: String, _ text: String) -> Failure {
        Failure(.io, "\(name): \(text)", domain: .usage, field: "descriptor")
    }
}

/// Writes the body of the successful answer of a call into a descriptor.
///
/// `@unchecked Sendable`: `BodyPump` calls one function at a time.
final class DescriptorTarget: BodyTarget, @unchecked Sendable {
    private let descriptor: SaveDescriptor
    private let bytesMax: Int64
    private var length: Int64 = 0

    /// - Parameter bytesMax: The largest number of bytes; 0 for no limit.
    init(_ descriptor: SaveDescriptor, bytesMax: Int64) {
        self.descriptor = descriptor
        self.bytesMax = bytesMax
    }

    /// Bytes that were written cannot be taken back.
    var mayBeginAgain: Bool { length == 0 }

    func prepare(_ exchange: inout Exchange) {}

    func accepts(_ head: ResponseHead) -> Bool { head.isSuccess }

    func begin(_ head: ResponseHead) -> BodyBeginning { .takes }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> BodyFlow {
        guard bytesMax == 0 || length + Int64(bytes.count) <= bytesMax else {
            throw Failure(
                .tooLarge,
                "\(descriptor.name): the body is larger than \(bytesMax) bytes (save_bytes_max)")
        }
        length += Int64(bytes.count)
        try descriptor.write(bytes)
        return .proceed
    }

    func finish() -> SavedBody? {
        SavedBody(path: nil, length: length, digest: nil, resumedFrom: 0)
    }

    func abandon() {}
}
