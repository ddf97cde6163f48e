import RestwayJSON
package import RestwayMapping

/// The built-in mapper. It parses JSON (RFC 8259) with Jansson.
package struct JanssonMapper: Mapper {
    package let title = "the built-in mapper"
    package let mediaTypes = ["application/json", "*+json", "text/json"]
    package let writtenType: String? = "application/json"
    package let writesInfinities = false

    private let sizes: LargeText

    package init(_ sizes: LargeText = LargeText()) {
        self.sizes = sizes
    }

    package func decode(
        _ bytes: UnsafeRawBufferPointer, into sink: any EventSink, limits: MappingLimits
    ) throws(MapperError) {
        // The sink is nearly always the machine. A direct call avoids the cost of the protocol for
        // each event.
        if let machine = sink as? MappingMachine {
            try read(bytes, machine, limits)
        } else {
            try read(bytes, sink, limits)
        }
    }

    private func read(
        _ bytes: UnsafeRawBufferPointer, _ sink: some EventSink, _ limits: MappingLimits
    ) throws(MapperError) {
        let walker = TextWalker(sink: sink, limits, sizes)
        let outcome: WalkOutcome
        do throws(JSONError) {
            outcome =
                bytes.count > sizes.bytesMin
                ? try walker.large(bytes) : try walker.small(bytes)
        } catch {
            throw MapperError(error)
        }
        if outcome == .tooDeep {
            throw MapperError(JSONError.tooDeep(max: limits.nestingDepthMax))
        }
    }

    package func encode(_ reader: ValueReader) throws(MapperError) -> [UInt8] {
        let builder = TreeBuilder()
        try reader.read(into: builder)
        guard let value = builder.value, !builder.hasNoWord else {
            throw MapperError("a number is infinite, or none: JSON cannot write it")
        }
        return value.text()
    }
}

extension MapperError {
    init(_ error: JSONError) {
        switch error {
        case .malformed(let line, let column, let byteOffset, _):
            self.init(error.message, line: line, column: column, byteOffset: byteOffset)
        case .tooDeep, .empty, .outOfMemory:
            self.init(error.message)
        }
    }
}
