import RestwayHTTP
import RestwayOutcome

/// Which requests an entry answers, and what its owner may remove it by.
final class EntryLabel: Sendable {
    /// The text of the key.
    let name: String
    /// A hash of `name` that is the same in all processes.
    let hash: Int64
    let method: String
    let route: String?
    /// For whom the entry is kept; see `OwnerText`.
    let owner: String

    init(name: String, method: String, route: String?, owner: String) {
        self.name = name
        hash = Self.hash(of: name)
        self.method = method
        self.route = route
        self.owner = owner
    }

    /// The normalised URL, which is the second word of a key.
    var url: String {
        let words = name.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2)
        return words.count > 1 ? String(decoding: words[1], as: UTF8.self) : ""
    }

    /// Equal hashes of different texts cost time and nothing else, because the texts are compared,
    /// too.
    static func hash(of text: String) -> Int64 {
        var hash = StableHash()
        hash.add(text)
        return hash.value
    }
}

/// A kept answer. It never changes.
final class KeptAnswer: Sendable {
    /// The size of an entry without its texts and its body, in memory and in the file.
    private static let overheadBytes: Int64 = 512

    /// Unique in the file. The newer form of an answer that was validated keeps it.
    let id: Int64
    let label: EntryLabel
    let head: StoredHead
    let body: KeptBody
    let mappings: CachedMappings
    /// Whether only the head is newer than what was kept before.
    let isFreshened: Bool
    /// The size without the body.
    let headBytes: Int64

    init(
        id: Int64, label: EntryLabel, head: StoredHead, body: KeptBody, mappings: CachedMappings,
        isFreshened: Bool = false
    ) {
        self.id = id
        self.label = label
        self.head = head
        self.body = body
        self.mappings = mappings
        self.isFreshened = isFreshened
        headBytes =
            Self.overheadBytes + Self.bytes(of: head.headers.fields)
            + Self.bytes(of: head.selecting)
            + Int64(2 * label.name.utf8.count + head.url.utf8.count)
    }

    private static func bytes(of fields: [HeaderField]) -> Int64 {
        fields.reduce(0) { $0 + Int64($1.name.utf8.count + $1.value.utf8.count) }
    }

    /// Returns the same answer with its body at another place.
    func with(_ body: KeptBody) -> KeptAnswer {
        KeptAnswer(
            id: id, label: label, head: head, body: body, mappings: mappings,
            isFreshened: isFreshened)
    }

    /// Returns the same answer with newer header fields.
    func freshened(_ head: StoredHead) -> KeptAnswer {
        KeptAnswer(
            id: id, label: label, head: head, body: body, mappings: mappings, isFreshened: true)
    }

    /// The size with the body, wherever the body is.
    var bytes: Int64 { headBytes + body.length }

    var memoryBytes: Int64 {
        if case .bytes(let body) = body { headBytes + Int64(body.count) } else { headBytes }
    }
}

enum KeptBody: Sendable {
    case bytes(Body)
    /// The body is in a file beside the database.
    case file(BodyName)

    var length: Int64 {
        switch self {
        case .bytes(let body): Int64(body.count)
        case .file(let file): file.length
        }
    }
}

/// The file of a body, and what must be in it.
final class BodyName: Sendable {
    let name: String
    let length: Int64
    /// The SHA-256 digest.
    let digest: [UInt8]

    init(name: String, length: Int64, digest: [UInt8]) {
        self.name = name
        self.length = length
        self.digest = digest
    }
}

/// All answers with one key, the newest first.
final class Variants: Sendable {
    /// More answers of one key than these are not kept.
    static let countMax = 16

    let answers: [KeptAnswer]
    /// The heads of `answers`.
    let heads: [StoredHead]
    /// Whether it depends on the cookies of a request which of them answers it.
    let varyWithCookies: Bool
    let memoryBytes: Int64

    init(_ answers: [KeptAnswer]) {
        self.answers = answers
        heads = answers.map(\.head)
        varyWithCookies = heads.contains { $0.variesWithCookies }
        memoryBytes = answers.reduce(0) { $0 + $1.memoryBytes }
    }

    /// Returns these answers with one more, in place of those with these ids and of one with the
    /// same selecting fields.
    func adding(_ answer: KeptAnswer, replacing ids: [Int64]) -> Variants {
        let others = answers.filter {
            $0.id != answer.id && $0.head.selecting != answer.head.selecting
                && !ids.contains($0.id)
        }
        return Variants([answer] + others.prefix(Self.countMax - 1))
    }
}
