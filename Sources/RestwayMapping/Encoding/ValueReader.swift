import RestwayObjects
import RestwayText

/// Gives a mapper the value to write, one step after the other. It is the counterpart of
/// `EventSink`.
///
/// A value is a scalar, an object or a list. An object is `beginObject`, `key` and a value for each
/// member, then `endObject`. A list is `beginArray`, its values, then `endArray`. After the value,
/// every step is `end`. JSON text in the value is parsed on the way, so a mapper of another media
/// type receives only values.
package struct ValueReader {
    package enum Step: Equatable, Sendable {
        /// The value is complete.
        case end
        case beginObject(count: Int)
        case key(String)
        case endObject
        case beginArray(count: Int)
        case endArray
        case null
        case bool(Bool)
        case int64(Int64)
        case double(Double)
        case string(String)
        case bytes([UInt8])
        /// Microseconds since 1970-01-01T00:00:00Z.
        case date(Int64)
        /// A JSON number that is written with these digits: neither an int64 nor a double can hold
        /// it, or a double would not keep its digits.
        case numberText(String)
    }

    /// An open object or list.
    private struct Frame {
        enum Content {
            case list([WireValue])
            case object(WireObject)
        }

        let content: Content
        /// The index of the next member or element.
        var index = 0
        /// Whether it is part of JSON text, whose depth was checked when the text was parsed.
        let isJSON: Bool
    }

    private let json: any Mapper
    private let limits: MappingLimits
    private var frames: [Frame] = []
    /// The next value, and whether it is part of JSON text.
    private var pending: (value: WireValue, isJSON: Bool)?

    /// - Parameters:
    ///   - json: The mapper that reads JSON text.
    ///   - limits: The limit on the nesting of the value and of the JSON text in it.
    package init(_ value: WireValue, json: any Mapper, limits: MappingLimits) {
        pending = (value, false)
        self.json = json
        self.limits = limits
    }

    package mutating func next() throws(MapperError) -> Step {
        if let (value, isJSON) = pending {
            pending = nil
            return try step(value, isJSON)
        }
        guard let last = frames.indices.last else { return .end }
        let (index, isJSON) = (frames[last].index, frames[last].isJSON)
        frames[last].index += 1
        switch frames[last].content {
        case .list(let elements):
            if index < elements.count { return try step(elements[index], isJSON) }
            frames.removeLast()
            return .endArray
        case .object(let object):
            if index < object.keys.count, let value = object[object.keys[index]] {
                pending = (value, isJSON)
                return .key(object.keys[index])
            }
            frames.removeLast()
            return .endObject
        }
    }

    private mutating func step(
        _ value: WireValue, _ isJSON: Bool
    ) throws(MapperError) -> Step {
        switch value {
        case .leaf(let value): return try step(value, isJSON)
        case .list(let elements):
            try open(.list(elements), isJSON)
            return .beginArray(count: elements.count)
        case .object(let object):
            try open(.object(object), isJSON)
            return .beginObject(count: object.keys.count)
        }
    }

    private mutating func step(_ value: Value, _ isJSON: Bool) throws(MapperError) -> Step {
        switch value {
        case .bool(let value): return .bool(value)
        case .int64(let value): return .int64(value)
        case .double(let value): return .double(value)
        case .string(let text): return .string(text)
        case .bytes(let bytes): return .bytes(bytes)
        case .date(let date): return .date(date)
        case .json(let text):
            // A number keeps the digits with which it is given.
            if text.withBytes({ NumberForm.fits($0[...]) }) {
                return Int64(text).map(Step.int64) ?? .numberText(text)
            }
            let value = try WireBuilder.value(json: text, json, limits)
            return try step(value, true)
        case .absent, .null, .link, .links: return .null
        }
    }

    private mutating func open(
        _ content: Frame.Content, _ isJSON: Bool
    ) throws(MapperError) {
        guard isJSON || frames.count < limits.nestingDepthMax else {
            throw MapperError("nested deeper than \(limits.nestingDepthMax) levels")
        }
        frames.append(Frame(content: content, isJSON: isJSON))
    }

    // MARK: Pushing into a sink

    /// Pushes the rest of the value into `sink` and obeys its answers.
    package func read(into sink: any EventSink) throws(MapperError) {
        var reader = self
        while true {
            let step = try reader.next()
            guard step != .end else { return }
            switch Self.push(step, sink) {
            case .want: break
            case .skip:
                if case .key = step { reader.pending = nil } else { reader.frames.removeLast() }
            case .stop: return
            }
        }
    }

    private static func push(_ step: Step, _ sink: any EventSink) -> EventAnswer {
        switch step {
        case .end: .stop
        case .beginObject: sink.beginObject()
        case .key(let text): text.withBytes(sink.key)
        case .endObject: sink.endObject()
        case .beginArray(let count): sink.beginArray(count: count)
        case .endArray: sink.endArray()
        case .null: sink.null()
        case .bool(let value): sink.bool(value)
        case .int64(let value): sink.int64(value)
        case .double(let value): sink.double(value)
        case .string(let text): text.withBytes(sink.string)
        case .bytes(let bytes): bytes.withUnsafeBytes(sink.bytes)
        case .date(let date): sink.date(date)
        case .numberText(let text): text.withBytes(sink.numberText)
        }
    }
}

extension String {
    /// Lends the text as UTF-8.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = self
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
