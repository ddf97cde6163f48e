import RestwayMapping
import RestwayObjects

@testable import RestwayOutbox

/// A mapper of a format in which every value begins with its kind and the number of its bytes, so
/// that a longer value changes the numbers of everything around it: `{9:s2:idi1:7` is {"id": 7}.
struct SizedMapper: Mapper {
    static let mediaType = "application/x-sized"

    let title = "mapper \"sized\""
    let mediaTypes = [mediaType]
    let writtenType: String? = mediaType
    let writesInfinities = false

    /// Returns the body of an object.
    static func body(_ members: KeyValuePairs<String, WireValue>) throws -> [UInt8] {
        var object = WireObject()
        for (key, value) in members { object[key] = value }
        return try SizedMapper().encode(
            ValueReader(.object(object), json: SizedMapper(), limits: MappingLimits()))
    }

    // MARK: Writing

    func encode(_ reader: ValueReader) throws(MapperError) -> [UInt8] {
        var reader = reader
        return try written(reader.next(), &reader)
    }

    private func written(
        _ step: ValueReader.Step, _ reader: inout ValueReader
    ) throws(MapperError) -> [UInt8] {
        switch step {
        case .beginObject, .beginArray:
            var content: [UInt8] = []
            var next = try reader.next()
            while next != .endObject, next != .endArray {
                content += try written(next, &reader)
                next = try reader.next()
            }
            if case .beginObject = step { return sized("{", content) }
            return sized("[", content)
        case .key(let text), .string(let text): return sized("s", Array(text.utf8))
        case .int64(let integer): return sized("i", Array(String(integer).utf8))
        case .null: return sized("n", [])
        default: throw MapperError("no form")
        }
    }

    private func sized(_ kind: Character, _ content: [UInt8]) -> [UInt8] {
        Array("\(kind)\(content.count):".utf8) + content
    }

    // MARK: Reading

    func decode(
        _ bytes: UnsafeRawBufferPointer, into sink: any EventSink, limits: MappingLimits
    ) throws(MapperError) {
        var rest = Array(bytes)[...]
        try read(&rest, sink, isKey: false)
    }

    private func read(
        _ rest: inout ArraySlice<UInt8>, _ sink: any EventSink, isKey: Bool
    ) throws(MapperError) {
        let head = rest.prefix { $0 != UInt8(ascii: ":") }
        guard let kind = head.first, head.endIndex < rest.endIndex,
            let count = Int(String(decoding: head.dropFirst(), as: UTF8.self)),
            count <= rest.endIndex - head.endIndex - 1
        else { throw MapperError("no sized value") }
        var content = rest[(head.endIndex + 1)...].prefix(count)
        rest = rest[content.endIndex...]
        let text = String(decoding: content, as: UTF8.self)
        switch Character(Unicode.Scalar(kind)) {
        case "s": _ = content.withUnsafeBytes(isKey ? sink.key : sink.string)
        case "i": _ = sink.int64(Int64(text) ?? 0)
        case "n": _ = sink.null()
        case "{":
            _ = sink.beginObject()
            while !content.isEmpty {
                try read(&content, sink, isKey: true)
                try read(&content, sink, isKey: false)
            }
            _ = sink.endObject()
        case "[":
            _ = sink.beginArray(count: nil)
            while !content.isEmpty { try read(&content, sink, isKey: false) }
            _ = sink.endArray()
        default: throw MapperError("no such kind")
        }
    }
}

extension BodyMappers {
    /// A client whose only mapper is `SizedMapper`.
    static let sized = BodyMappers { _, type in
        type == SizedMapper.mediaType ? SizedMapper() : nil
    }
}
