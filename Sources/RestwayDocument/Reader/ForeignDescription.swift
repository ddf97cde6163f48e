import RestwayJSON

/// Recognises a description in OpenAPI or Swagger that is given in place of an API document.
enum ForeignDescription {
    static let message =
        "this is a description in OpenAPI, not an API document: "
        + "\"restway-openapi FILE\" makes an API document of it"

    private static let keys = ["openapi", "swagger"]

    static func isOpenAPI(_ root: JSONTree) -> Bool {
        root["restway"] == nil && keys.contains { root[$0] != nil }
    }

    /// Whether a text that is no JSON has the key of a description on a line of its own.
    static func isOpenAPI(yaml text: UnsafeRawBufferPointer) -> Bool {
        text.prefix(bytesMax).split(separator: UInt8(ascii: "\n")).contains { line in
            keys.contains { line.starts(with: "\($0):".utf8) }
        }
    }

    /// The key stands near the beginning of a description.
    private static let bytesMax = 64 << 10
}
