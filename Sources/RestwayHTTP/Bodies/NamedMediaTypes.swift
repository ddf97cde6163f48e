import Glibc
import RestwayText
import RestwayThreads

/// Finds the media type of a file by the ending of its name.
///
/// The system's list is read once, at its first use: `/etc/mime.types`, or the globs of
/// shared-mime-info. A system that has neither gets a short list.
package struct NamedMediaTypes: Sendable {
    package static let unknown = "application/octet-stream"

    private static let system = ForkBarrier.guarded(Lock<NamedMediaTypes?>(nil))

    private let typesByEnding: [String: String]

    /// The media type of a file called `name`, as this system knows it.
    package static func type(of name: String?) -> String {
        guard let name else { return unknown }
        let known = system.withLock { $0 }
        let types = known ?? .ofSystem()
        if known == nil { system.withLock { $0 = types } }
        return types.type(of: name)
    }

    private static func ofSystem() -> NamedMediaTypes {
        if let text = text(of: "/etc/mime.types") { return NamedMediaTypes(mimeTypes: text) }
        if let text = text(of: "/usr/share/mime/globs2") { return NamedMediaTypes(globs: text) }
        return .short
    }

    /// The list for a system that has no list.
    static let short = NamedMediaTypes([
        "avif": "image/avif", "css": "text/css", "csv": "text/csv", "gif": "image/gif",
        "gz": "application/gzip", "htm": "text/html", "html": "text/html", "jpeg": "image/jpeg",
        "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
        "md": "text/markdown", "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg",
        "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml",
        "tar": "application/x-tar", "txt": "text/plain", "wav": "audio/x-wav",
        "webm": "video/webm", "webp": "image/webp", "xml": "application/xml",
        "zip": "application/zip",
    ])

    private init(_ typesByEnding: [String: String]) {
        self.typesByEnding = typesByEnding
    }

    /// Reads lines like `image/jpeg jpeg jpg`.
    init(mimeTypes text: String) {
        var types: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let type = words.first else { continue }
            for word in words.dropFirst() {
                let ending = word.lowercased()
                if types[ending] == nil { types[ending] = String(type) }
            }
        }
        self.init(types)
    }

    /// Reads lines like `50:image/jpeg:*.jpg`. Lines with a higher weight come first.
    init(globs text: String) {
        var types: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: ":")
            guard parts.count >= 3, parts[2].hasPrefix("*.") else { continue }
            let ending = parts[2].dropFirst(2).lowercased()
            if types[ending] == nil { types[ending] = String(parts[1]) }
        }
        self.init(types)
    }

    /// Tries the longest ending first: `a.tar.gz` ends in `tar.gz` and in `gz`.
    func type(of name: String) -> String {
        var rest = name.lowercased()[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let type = typesByEnding[String(rest)] { return type }
        }
        return Self.unknown
    }

    /// Returns the text of a file; nil if it cannot be read.
    private static func text(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
