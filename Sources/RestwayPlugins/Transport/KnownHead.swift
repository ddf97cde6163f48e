import CRestwayPlugin
import Glibc
import RestwayHTTP

/// The header lines of a head, and what they were made of: answers are alike, and what the last
/// one had already needs no new strings.
final class KnownHead: Sendable {
    let headers: Headers
    /// Name, NUL, value, NUL, and so on.
    private let texts: [CChar]

    static let none = KnownHead(Headers(), [])

    /// More than these are not kept.
    private static let bytesMax = 2_048

    private init(_ headers: Headers, _ texts: [CChar]) {
        self.headers = headers
        self.texts = texts
    }

    /// Header lines as a plugin gives them; `nil` when that are none, or too many to be kept.
    static func of(
        _ headers: Headers, _ lines: UnsafePointer<restway_plugin_header>?, _ count: Int
    ) -> KnownHead? {
        guard count > 0, let lines else { return nil }
        var texts: [CChar] = []
        for line in UnsafeBufferPointer(start: lines, count: count) {
            for text in [line.name!, line.value!] {
                let bytes = UnsafeBufferPointer(start: text, count: strlen(text) + 1)
                guard texts.count + bytes.count <= bytesMax else { return nil }
                texts += bytes
            }
        }
        return KnownHead(headers, texts)
    }

    /// Whether the lines say just what these do.
    func reads(_ lines: UnsafePointer<restway_plugin_header>?, _ count: Int) -> Bool {
        guard count > 0, count == headers.fields.count, let lines else { return false }
        return texts.withUnsafeBufferPointer { texts in
            guard var known = texts.baseAddress else { return false }
            for index in 0..<count * 2 {
                let line = lines + index / 2
                let text = index % 2 == 0 ? line.pointee.name : line.pointee.value
                guard var text else { return false }
                // Not by `strcmp`, which is found and fetched for a dozen bytes.
                while known.pointee == text.pointee, known.pointee != 0 {
                    known += 1
                    text += 1
                }
                guard known.pointee == text.pointee else { return false }
                known += 1
            }
            return true
        }
    }
}
