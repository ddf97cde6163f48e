import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayText

/// The texts of a request that contain local identities, and the places of the identities in the
/// texts. When the server names an object, its identity replaces the object's local identity at
/// these places.
struct LocalIDText {
    private(set) var path: String
    private(set) var headers: String
    private(set) var body: [UInt8]?
    private(set) var places: [LocalIDPlace]
    /// The mapper of the body; `nil` for a body that is a text, and if no mapper is known.
    private let mapper: (any Mapper)?

    /// - Parameter places: Where local identities stand; `nil` if that is not known and they have
    ///   to be looked for.
    init(
        path: String, headers: String, body: [UInt8]?, mapper: (any Mapper)? = nil,
        places: [LocalIDPlace]?
    ) {
        self.path = path
        self.headers = headers
        self.body = body
        self.mapper = mapper
        self.places =
            places
            ?? LocalIDPlace.all(path: path, headers: headers, body: body ?? [], mapper: mapper)
    }

    /// All local identities in the request, each once.
    var locals: Set<LocalID> { Set(places.map(\.local)) }

    /// A part of a text and the bytes that replace it.
    private typealias Patch = (range: Range<Int>, bytes: [UInt8])

    /// Replaces `local` by `identity`: percent-encoded in the path, and in a body as required by
    /// the body's format and by the form of the attribute. If the body cannot be written again,
    /// this throws and replaces nothing.
    mutating func replace(_ local: LocalID, by identity: Identity) throws(MapperError) {
        try replaceValues(local, by: identity)
        let plain = WrittenIdentity(identity, .plain).text
        path = spliced(.path, Array(path.utf8), local) { place, _ in
            (place.range, Self.percentEncoded(WrittenIdentity(identity, place.form).text))
        }.map { String(decoding: $0, as: UTF8.self) } ?? path
        // The headers are parsed only here because most requests hold no local identity.
        let format = BodyForm(Headers(HeaderText.fields(of: headers)))
        // A line end in an identity must not begin another field.
        let isLine = plain.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        headers = spliced(.headers, Array(headers.utf8), local) { place, _ in
            (place.range, isLine ? plain : Self.percentEncoded(plain))
        }.map { String(decoding: $0, as: UTF8.self) } ?? headers
        body = spliced(.body, body ?? [], local) { place, body in
            Self.patch(place.range, in: body, format, WrittenIdentity(identity, place.form))
        } ?? body
    }

    /// Has the mapper write the body again, if `local` is a value in it.
    private mutating func replaceValues(
        _ local: LocalID, by identity: Identity
    ) throws(MapperError) {
        var values: [Int: Value] = [:]
        for place in places where place.part == .value && place.local == local {
            values[place.start] = WrittenIdentity(identity, place.form).value
        }
        guard !values.isEmpty else { return }
        guard let mapper else { throw MapperError("no mapper reads and writes its media type") }
        body = try MappedBody(reading: body ?? [], by: mapper).bytes(replacing: values)
        places.removeAll { $0.part == .value && $0.local == local }
    }

    /// Returns a part in which the places of `local` are replaced; `nil` if the part has no place
    /// of `local`. The places behind the replaced places move.
    private mutating func spliced(
        _ part: LocalIDPlace.Part, _ text: [UInt8], _ local: LocalID,
        _ patch: (LocalIDPlace, [UInt8]) -> Patch
    ) -> [UInt8]? {
        var result: [UInt8] = []
        var copied = 0
        var rest: [LocalIDPlace] = []
        var isChanged = false
        for var place in places {
            guard place.part == part, place.range.upperBound <= text.count else {
                rest.append(place)
                continue
            }
            if place.local == local {
                let patch = patch(place, text)
                result += text[copied..<patch.range.lowerBound]
                result += patch.bytes
                copied = patch.range.upperBound
                isChanged = true
            } else {
                place.start += result.count - copied
                rest.append(place)
            }
        }
        guard isChanged else { return nil }
        places = rest
        return result + text[copied...]
    }

    private static func patch(
        _ place: Range<Int>, in body: [UInt8], _ format: BodyForm, _ identity: WrittenIdentity
    ) -> Patch {
        switch format {
        case .json:
            guard identity.isNumber, isWholeString(place, in: body) else {
                return (place, jsonEscaped(identity.text))
            }
            return (place.lowerBound - 1..<place.upperBound + 1, identity.text)
        case .urlEncoded: return (place, percentEncoded(identity.text))
        case .multipart, .plain: return (place, identity.text)
        }
    }

    /// Returns whether JSON quotes stand around the place.
    private static func isWholeString(_ place: Range<Int>, in text: [UInt8]) -> Bool {
        let (quote, start, end) = (UInt8(ascii: "\""), place.lowerBound, place.upperBound)
        return start > 0 && text[start - 1] == quote && end < text.count && text[end] == quote
            && (start == 1 || text[start - 2] != UInt8(ascii: "\\"))
    }

    private static func percentEncoded(_ text: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        PercentEncoding.append(text[...], keeping: .unreserved, to: &encoded)
        return encoded
    }

    /// Returns the text of a JSON string without its quotes.
    private static func jsonEscaped(_ text: [UInt8]) -> [UInt8] {
        var json = JSONText(capacity: text.count + 2)
        _ = json.append(text: text)
        return Array(json.bytes.dropFirst().dropLast())
    }
}

/// The identity of an object as it stands in a body: a number or a string, in the form of the
/// identity attribute.
struct WrittenIdentity {
    let value: Value
    /// The digits of a number, or a string without its quotes, in UTF-8.
    let text: [UInt8]
    let isNumber: Bool

    init(_ identity: Identity, _ form: LocalID.Form) {
        let (given, integer): (String, Int64?) =
            switch identity {
            case .integer(let integer): (String(integer), integer)
            case .string(let string): (string, Int64(string))
            }
        let isGivenAsNumber = if case .integer = identity { true } else { false }
        let isToBeNumber = form == .number || form == .plain && isGivenAsNumber
        if isToBeNumber, let integer {
            (value, text, isNumber) = (.int64(integer), Array(String(integer).utf8), true)
        } else if isToBeNumber, let double = Double(given), double.isFinite {
            let digits = NumberForm.shortest(double)
            (value, text, isNumber) = (.double(double), Array(digits.utf8), true)
        } else {
            let string = form == .base64 ? Base64.encode(Array(given.utf8)) : given
            (value, text, isNumber) = (.string(string), Array(string.utf8), false)
        }
    }
}
