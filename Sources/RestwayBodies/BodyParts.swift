package import RestwayHTTP
package import RestwayOutcome

/// Reads parts of a body one after the other: bytes, and resources that are not in memory.
///
/// `@unchecked Sendable`: the `BodyReader` that owns it runs one of its functions at a time.
package final class BodyParts: @unchecked Sendable {
    private let readers: [ResourceReader]
    private var current = 0

    /// - Parameters:
    ///   - parts: The parts; the files among them must exist.
    ///   - isExact: Whether a file must not have changed at all when it is read.
    package init(_ parts: [BodyPart], isExact: Bool = false) throws(Failure) {
        do throws(ResourceError) {
            readers = try parts.map { part throws(ResourceError) in
                let resource =
                    switch part {
                    case .bytes(let bytes): Resource(.bytes(bytes), name: nil, mediaType: nil)
                    case .resource(let resource): resource
                    }
                return ResourceReader(resource, try resource.extent(), isExact: isExact)
            }
        } catch {
            throw Failure(error)
        }
    }

    /// Reads one resource, or a piece of it.
    package init(_ reader: ResourceReader) {
        readers = [reader]
    }

    /// Returns the reader that gives the parts to an exchange.
    package func reader() -> BodyReader {
        var length: Int64? = 0
        for reader in readers {
            length = length.flatMap { sum in reader.length.map { sum + $0 } }
        }
        let isRewindable = readers.allSatisfy(\.isRewindable)
        let read: BodyReader.Read = { buffer in
            self.answer { (parts) throws(ResourceError) -> Int in try parts.read(buffer) }
        }
        let rewind: BodyReader.Rewind = {
            self.answer { (parts) throws(ResourceError) in try parts.rewind() }
        }
        return BodyReader(length: length, read: read, rewind: isRewindable ? rewind : nil)
    }

    private func answer<Answer>(
        _ ask: (BodyParts) throws(ResourceError) -> Answer
    ) -> Result<Answer, Failure> {
        do {
            return .success(try ask(self))
        } catch {
            return .failure(Failure(error))
        }
    }

    private func read(_ buffer: UnsafeMutableRawBufferPointer) throws(ResourceError) -> Int {
        while current < readers.count {
            let count = try readers[current].read(into: buffer)
            if count > 0 { return count }
            current += 1
        }
        return 0
    }

    private func rewind() throws(ResourceError) {
        for reader in readers { try reader.rewind() }
        current = 0
    }
}

extension Failure {
    package init(_ error: ResourceError) {
        self.init(error.isMisuse ? .invalidArgument : .io, error.message, field: "resource")
    }
}
