import RestwayJSON
import RestwayMapping
import RestwayOutcome
import RestwayRequests
import RestwayText

/// Reads a body into a mapping machine.
///
/// A body of JSON that no parser takes, because some of its text is not Unicode, is read a second
/// time: U+FFFD then replaces this text, and each value that uses it has an issue.
struct BodyReading {
    let mapper: any Mapper
    let limits: MappingLimits
    /// The media type of the body.
    let contentType: String?

    /// - Parameter makeMachine: Makes the machine of an attempt. The machine of a failed attempt is
    ///   dropped.
    func read(
        _ body: Body, by makeMachine: () -> MappingMachine
    ) throws(MapperError) -> MappingMachine {
        let readsJSON = MediaType.reads(mapper, MediaType.json)
        let body = readsJSON ? body.forJSON(contentType: contentType) : body
        let machine = makeMachine()
        do throws(MapperError) {
            try decode(body, into: machine)
            return machine
        } catch {
            guard readsJSON, let repaired = Self.repaired(body) else { throw error }
            let second = makeMachine()
            let sink = RepairedTextSink(second, mark: RepairedText.mark)
            do throws(MapperError) {
                try decode(repaired, into: sink)
            } catch _ {
                // The error in the body as it came has the right place.
                throw error
            }
            return second
        }
    }

    private func decode(_ body: Body, into sink: any EventSink) throws(MapperError) {
        let decoded: Result<Void, MapperError> = body.withBytes { bytes in
            Result { () throws(MapperError) in
                try mapper.decode(bytes, into: sink, limits: limits)
            }
        }
        try decoded.get()
    }

    /// Reads the data of an event, which is text in UTF-8 and has only a few bytes.
    func read(
        event text: UnsafeRawBufferPointer, into machine: MappingMachine
    ) throws(MapperError) {
        guard MediaType.reads(mapper, MediaType.json),
            let repaired = Self.repaired(Body(copying: text))
        else {
            return try mapper.decode(text, into: machine, limits: limits)
        }
        try decode(repaired, into: RepairedTextSink(machine, mark: RepairedText.mark))
    }

    private static func repaired(_ body: Body) -> Body? {
        body.withBytes { RepairedText($0, marksStrings: true) }.map { Body($0.bytes) }
    }
}

extension CallContext {
    /// The limits on the size of a response.
    var mappingLimits: MappingLimits {
        MappingLimits(
            nestingDepthMax: options.nestingDepthMax, objectsMax: options.objectsMax)
    }
}
