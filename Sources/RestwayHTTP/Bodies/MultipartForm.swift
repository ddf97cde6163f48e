import RestwayText

/// A part of a body: the parts follow each other without anything between them.
package enum BodyPart: Sendable {
    case bytes([UInt8])
    case resource(Resource)
}

/// A field of a form or of a query. A null has no text.
package struct FormField: Equatable, Sendable {
    package let name: String
    package let text: String?

    package init(name: String, text: String?) {
        self.name = name
        self.text = text
    }
}

/// A file of a multipart body.
package struct FormFile: Sendable {
    package let name: String
    package let resource: Resource

    package init(name: String, resource: Resource) {
        self.name = name
        self.resource = resource
    }
}

/// A `multipart/form-data` body (RFC 7578).
///
/// Names are escaped as browsers do (the HTML standard, section 4.10.21.8). A body with other
/// escapes would be read wrongly by most servers.
package struct MultipartForm {
    package static let mediaType = "multipart/form-data"

    private let boundary: String
    private var parts: [BodyPart] = []
    /// The bytes that follow the last of `parts`.
    private var text: [UInt8] = []

    package init(fields: [FormField], files: [FormFile]) {
        var boundary = "restway-"
        for _ in 0..<4 {
            let digits = String(UInt32.random(in: .min ... .max), radix: 16)
            boundary += String(repeating: "0", count: 8 - digits.count) + digits
        }
        self.init(fields: fields, files: files, boundary: boundary)
    }

    init(fields: [FormField], files: [FormFile], boundary: String) {
        self.boundary = boundary
        for field in fields {
            begin(field.name, file: nil)
            append("\r\n" + (field.text ?? "") + "\r\n")
        }
        for file in files { add(file) }
        append("--\(boundary)--\r\n")
        parts.append(.bytes(text))
    }

    package var contentType: String { "\(Self.mediaType); boundary=\(boundary)" }

    /// The parts of the body, in their order.
    package var bodyParts: [BodyPart] { parts }

    /// The whole body, if all its parts are in memory.
    package var bytes: [UInt8]? {
        var whole: [UInt8] = []
        for part in parts {
            guard case .bytes(let bytes) = part else { return nil }
            whole += bytes
        }
        return whole
    }

    private mutating func add(_ file: FormFile) {
        let resource = file.resource
        begin(file.name, file: resource.name ?? file.name)
        append("Content-Type: \(resource.mediaType)\r\n\r\n")
        if let bytes = resource.bytes {
            text += bytes
        } else {
            parts.append(.bytes(text))
            parts.append(.resource(resource))
            text = []
        }
        append("\r\n")
    }

    private mutating func begin(_ name: String, file: String?) {
        append("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escaped(name))\"")
        if let file { append("; filename=\"\(Self.escaped(file))\"") }
        append("\r\n")
    }

    private mutating func append(_ more: String) {
        text.append(contentsOf: more.utf8)
    }

    /// Escapes the characters that would end the name or its line.
    private static func escaped(_ name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: "%22".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "%0D".utf8)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "%0A".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
