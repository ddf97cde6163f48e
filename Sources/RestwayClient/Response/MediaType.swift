import RestwayJSON
import RestwayMapping
import RestwayText

extension MediaType {
    /// Whether `mapper` reads bodies of the type `essence`.
    static func reads(_ mapper: any Mapper, _ essence: String) -> Bool {
        mapper.mediaTypes.contains { type in
            type == essence || type.hasPrefix("*") && essence.hasSuffix(type.dropFirst())
        }
    }

    /// Whether a body is only white space, as JSON defines it, after an optional byte order mark.
    static func isBlank(_ body: Body) -> Bool {
        body.withBytes { bytes in
            JSONValue.withoutByteOrderMark(bytes)
                .allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        }
    }

    /// Whether the body may be JSON anyway: some servers send JSON as `text/plain`.
    static func looksLikeJSON(_ body: Body) -> Bool {
        let first = body.bytesAndNUL.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
