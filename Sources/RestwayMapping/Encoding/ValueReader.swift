import RestwayObjects

/// What a mapper writes, for it to read: the mirror of `Mapper.decode`.
///
/// `read` pushes exactly one value into the mapper's sink, on the thread that called it, as the
/// contract of `EventSink` says; the sink may answer `skip` and `stop`. JSON text within the value
/// is read by `json`, so that a mapper of another media type meets values only.
package struct ValueReader {
    private let value: WireValue
    private let json: any Mapper
    private let limits: MappingLimits

    /// - Parameter limits: How deep the value, and the JSON text in it, may nest.
    package init(_ value: WireValue, json: any Mapper, limits: MappingLimits) {
        self.value = value
        self.json = json
        self.limits = limits
    }

    package func read(into sink: any EventSink) throws(MapperError) {
        _ = try push(value, sink, depth: 1)
    }

    private func push(
        _ value: WireValue, _ sink: any EventSink, depth: Int
    ) throws(MapperError) -> EventAnswer {
        switch value {
        case .leaf(let value): return try push(value, sink)
        case .list(let elements):
            try check(depth)
            let answer = sink.beginArray(count: elements.count)
            guard answer == .want else { return answer }
            for element in elements {
                if try push(element, sink, depth: depth + 1) == .stop { return .stop }
            }
            return sink.endArray()
        case .object(let object):
            try check(depth)
            let answer = sink.beginObject()
            guard answer == .want else { return answer }
            for key in object.keys {
                guard let member = object[key] else { continue }
                switch key.withBytes(sink.key) {
                case .want: if try push(member, sink, depth: depth + 1) == .stop { return .stop }
                case .skip: continue
                case .stop: return .stop
                }
            }
            return sink.endObject()
        }
    }

    private func push(_ value: Value, _ sink: any EventSink) throws(MapperError) -> EventAnswer {
        switch value {
        case .bool(let value): return sink.bool(value)
        case .int64(let value): return sink.int64(value)
        case .double(let value): return sink.double(value)
        case .string(let text): return text.withBytes(sink.string)
        case .json(let text):
            var text = text
            let result: Result<Void, MapperError> = text.withUTF8 { text in
                Result { () throws(MapperError) in
                    try json.decode(UnsafeRawBufferPointer(text), into: sink, limits: limits)
                }
            }
            try result.get()
            return .want
        case .absent, .null, .date, .bytes, .link, .links: return sink.null()
        }
    }

    private func check(_ depth: Int) throws(MapperError) {
        guard depth <= limits.nestingDepthMax else {
            throw MapperError("nested deeper than \(limits.nestingDepthMax) levels")
        }
    }
}

extension String {
    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = self
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
