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
        guard count == headers.fields.count, let lines else { return false }
        return texts.withUnsafeBufferPointer { texts in
            guard var known = texts.baseAddress else { return false }
            for index in 0..<count {
                guard let name = lines[index].name, Self.skip(&known, name),
                    let value = lines[index].value, Self.skip(&known, value)
                else { return false }
            }
            return true
        }
    }

    /// Goes behind the text if it is this one.
    private static func skip(
        _ known: inout UnsafePointer<CChar>, _ text: UnsafePointer<CChar>
    ) -> Bool {
        guard strcmp(known, text) == 0 else { return false }
        known += strlen(known) + 1
        return true
    }
}
