package import RestwayJSON
package import RestwayMapping
import RestwayObjects
import RestwayText

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
        if let machine = sink.machine {
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
        let builder = WireBuilder()
        try reader.read(into: builder)
        guard let value = builder.value, let tree = JSONValue.tree(of: value) else {
            throw MapperError("a number is infinite or not-a-number: JSON cannot write it")
        }
        return tree.text()
    }
}

extension JSONValue {
    /// Reads a body with `mapper` and returns its value as JSON; nil if the body does not have the
    /// mapper's media type, the mapper breaks its contract, or JSON cannot express a number.
    package static func read(
        _ bytes: UnsafeRawBufferPointer, by mapper: any Mapper, _ limits: MappingLimits
    ) -> JSONValue? {
        let builder = WireBuilder()
        do throws(MapperError) {
            try mapper.decode(bytes, into: builder, limits: limits)
        } catch {
            return nil
        }
        return builder.value.flatMap { tree(of: $0) }
    }

    /// The tree of a value that was built from events; nil if it has infinities or not-a-number,
    /// which JSON cannot express. Dates and bytes become text.
    fileprivate static func tree(of value: WireValue) -> JSONValue? {
        switch value {
        case .list(let list):
            let elements = list.compactMap { tree(of: $0) }
            return elements.count == list.count ? .array(elements) : nil
        case .object(let object):
            let members = object.keys.compactMap { key in
                object[key].flatMap { tree(of: $0) }.map { (key: key, value: $0) }
            }
            return members.count == object.keys.count ? .object(members) : nil
        case .leaf(let value):
            return leaf(value)
        }
    }

    private static func leaf(_ value: Value) -> JSONValue? {
        switch value {
        case .bool(let value): .bool(value)
        case .int64(let value): .integer(value)
        case .double(let value): .real(value)
        case .string(let text): .string(text)
        case .bytes(let bytes): .string(Base64.encode(bytes))
        case .date(let date): .string(DateFormat.iso8601.format(date))
        // The text of a number that neither an int64 nor a double can hold.
        case .json(let digits): .outOfRange(digits)
        case .null, .absent, .link, .links: .null
        }
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
