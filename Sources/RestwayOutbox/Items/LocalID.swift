import RestwayMapping
import RestwayObjects

/// The name of an object that the server has not named yet. Every request about the object holds
/// this text, in paths, headers and bodies, where the identity will stand.
///
/// The journal knows where these texts stand, does not send a request that holds a local identity,
/// and replaces each text by the server's identity once that is known. The text is random, so that
/// no other text equals it by chance. It consists of unreserved characters, so that it can stand
/// unchanged in any URL or JSON string.
struct LocalID: Hashable, Sendable {
    static let prefix = "restway-local-"
    /// The number of lower-case hexadecimal digits after the prefix.
    static let digitCount = 32
    static let byteCount = prefix.utf8.count + digitCount
    /// The prefix of the names of objects that the program itself has given identities. Requests
    /// hold these identities, and never the name.
    private static let prefixOfNamed = "restway-named-"

    /// The prefix and 32 digits.
    let text: String

    /// The form of an identity that replaces a local identity in a body. It is the form in which
    /// the conversion of the attribute would have written the identity.
    enum Form: String, CaseIterable, Sendable {
        /// The identity is written as the server gave it.
        case plain = ""
        /// A number is written as a string of its digits.
        case text = "-text"
        /// A string of digits is written as a number.
        case number = "-number"
        /// A string is written as its base64.
        case base64 = "-base64"
    }

    /// Returns the text that stands in a body for an identity that is to be written in `form`.
    func text(as form: Form) -> String { text + form.rawValue }

    /// Whether the program has given the object its identity. Then the local identity only says
    /// which requests wait until the server has the object.
    var isOfNamedObject: Bool { text.utf8.starts(with: Self.prefixOfNamed.utf8) }

    /// Returns a new local identity from the system's source of random numbers.
    ///
    /// - Parameter isOfNamed: Whether the program has given the object its identity.
    static func random(ofNamed isOfNamed: Bool = false) -> LocalID {
        let halves = [UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)]
        let digits = halves.map { half in
            let text = String(half, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return LocalID(unchecked: (isOfNamed ? prefixOfNamed : prefix) + digits.joined())
    }

    /// Returns `nil` if the text is not a local identity.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.byteCount,
            bytes.starts(with: Self.prefixBytes) || bytes.starts(with: Self.prefixOfNamed.utf8),
            bytes.suffix(Self.digitCount).allSatisfy(Self.isDigit)
        else { return nil }
        self.text = text
    }

    init(unchecked text: String) {
        self.text = text
    }

    /// Returns whether a local identity stands at the beginning of `bytes`, which must be long
    /// enough.
    static func starts(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: prefixBytes)
            && bytes.dropFirst(prefixBytes.count).prefix(digitCount).allSatisfy(isDigit)
    }

    static let prefixBytes = Array(prefix.utf8)

    private static func isDigit(_ byte: UInt8) -> Bool {
        (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66)
    }
}

/// The server's identity of an object that was made offline.
struct OutboxIdentity: Equatable, Sendable {
    /// A number that grows with each identity of a file. A reader continues after the last one it
    /// has seen.
    let number: Int64
    let local: LocalID
    let identity: Identity
    /// The lane to which the items that waited for the object were moved.
    var lane: Lane?
    /// The entity of the item that created the object.
    let entity: String?
    let storeKey: Int64?
}

/// An object that a request creates beside its own object, because it was written inside that
/// object.
struct OutboxCompanion: Equatable, Sendable {
    let local: LocalID
    let entity: String
    let storeKey: Int64
}

/// A place in a request where a local identity stands.
struct LocalIDPlace: Equatable, Sendable {
    enum Part: Character, Sendable {
        case path = "p"
        case headers = "h"
        case body = "b"
        /// A value of a body that only its mapper can write.
        case value = "v"
    }

    let local: LocalID
    let part: Part
    /// Where the local identity begins in the part, in bytes; for a value, its number
    /// (`MappedBody.texts`).
    var start: Int
    let form: LocalID.Form

    /// The bytes of the part that the identity replaces, unless the part is a value.
    var range: Range<Int> { start..<start + LocalID.byteCount + form.rawValue.utf8.count }

    /// Looks for local identities in a request, from the front of each part to its end.
    ///
    /// - Parameter mapper: The mapper of the body; `nil` for a body that is a text. A body that its
    ///   mapper cannot read has no local identities.
    static func all(
        path: String, headers: String = "", body: [UInt8], mapper: (any Mapper)? = nil
    ) -> [LocalIDPlace] {
        let places = find(.path, in: Array(path.utf8)) + find(.headers, in: Array(headers.utf8))
        guard let mapper else { return places + find(.body, in: body) }
        return places + ((try? MappedBody(reading: body, by: mapper)).map(values) ?? [])
    }

    /// Returns the values of a body that are local identities.
    static func values(of body: MappedBody) -> [LocalIDPlace] {
        body.texts.compactMap { number, text in
            let bytes = Array(text.utf8)
            guard bytes.count >= LocalID.byteCount, LocalID.starts(bytes[...]),
                let form = LocalID.Form(
                    rawValue: String(decoding: bytes[LocalID.byteCount...], as: UTF8.self))
            else { return nil }
            let local = LocalID(
                unchecked: String(decoding: bytes[..<LocalID.byteCount], as: UTF8.self))
            return LocalIDPlace(local: local, part: .value, start: number, form: form)
        }
    }

    private static func find(_ part: Part, in text: [UInt8]) -> [LocalIDPlace] {
        var places: [LocalIDPlace] = []
        // Values of the query have a form as values of a body have; the segments of a path do not.
        let formsStart =
            switch part {
            case .path: text.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
            case .headers, .value: text.endIndex
            case .body: text.startIndex
            }
        var start = 0
        while let first = text[start...].firstIndex(of: LocalID.prefixBytes[0]),
            first + LocalID.byteCount <= text.count
        {
            guard LocalID.starts(text[first...]) else {
                start = first + 1
                continue
            }
            let end = first + LocalID.byteCount
            let form = LocalID.Form.allCases.first { form in
                first >= formsStart && form != .plain
                    && text[end...].starts(with: form.rawValue.utf8)
            }
            let local = LocalID(unchecked: String(decoding: text[first..<end], as: UTF8.self))
            places.append(
                LocalIDPlace(local: local, part: part, start: first, form: form ?? .plain))
            start = end
        }
        return places
    }

    // MARK: As the journal stores them

    /// Returns the places as text, for example `p7 b12-number`.
    static func text(_ places: [LocalIDPlace]) -> String {
        places.map { "\($0.part.rawValue)\($0.start)\($0.form.rawValue)" }.joined(separator: " ")
    }

    /// Reads what `text` returns for the places of one local identity.
    static func read(_ text: String, of local: LocalID) -> [LocalIDPlace] {
        text.utf8.split(separator: UInt8(ascii: " ")).compactMap { word in
            let word = String(decoding: word, as: UTF8.self)
            let digits = word.utf8.dropFirst().prefix { $0 != UInt8(ascii: "-") }
            let form = word.utf8.dropFirst(1 + digits.count)
            guard let part = word.first.flatMap(Part.init(rawValue:)),
                let start = Int(String(decoding: digits, as: UTF8.self)),
                let form = LocalID.Form(rawValue: String(decoding: form, as: UTF8.self))
            else { return nil }
            return LocalIDPlace(local: local, part: part, start: start, form: form)
        }
    }
}
