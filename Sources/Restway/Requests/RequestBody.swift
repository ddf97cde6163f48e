public import FoundationEssentials
import RestwayCalls
import RestwayJSON
import RestwayOutcome

/// The body of a request.
///
///     try await client.post("people", body: .json(person))
///     try await client.put("notes/7", body: .text("Buy milk"))
public struct RequestBody: Sendable {
    private let bytes: [UInt8]
    private let mediaType: String

    private init(_ bytes: [UInt8], _ mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }

    /// A value as JSON. Dates are written in ISO 8601, and members sorted by their names.
    public static func json(_ value: some Encodable) throws(RestwayError) -> RequestBody {
        try json(value, encoder: JSONCoding.encoder)
    }

    /// A value as the encoder writes it.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder
    ) throws(RestwayError) -> RequestBody {
        RequestBody(try JSONCoding.encode(value, encoder), "application/json")
    }

    /// A JSON value, which literals can make: `.json(["name": "Rossi"])`.
    public static func json(_ value: JSON) -> RequestBody {
        RequestBody(value.value.text(sortsKeys: true), "application/json")
    }

    /// A text in UTF-8.
    public static func text(
        _ text: String, mediaType: String = "text/plain; charset=utf-8"
    ) -> RequestBody {
        RequestBody(Array(text.utf8), mediaType)
    }

    /// Bytes, sent unchanged.
    public static func data(
        _ data: Data, mediaType: String = "application/octet-stream"
    ) -> RequestBody {
        RequestBody(Array(data), mediaType)
    }

    /// The bytes and their media type, for a body that a function of the program has made.
    var written: (bytes: [UInt8], mediaType: String) {
        get throws(RestwayError) {
            try Headers.Field(name: "Content-Type", value: mediaType).check()
            return (bytes, mediaType)
        }
    }

    func apply(to spec: inout RequestSpec) {
        spec.body = .init(bytes: bytes, mediaType: mediaType)
    }
}

/// The values of variables or parameters, by their names.
///
/// A literal has the values, or an `Encodable` value has them as its properties:
///
///     client.get("companies", parameters: ["city": "Pisa", "page": 2])
///     client.get("companies", parameters: Values(filter))
public struct Values: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The names and values, in their order.
    public private(set) var members: [Member]

    /// A name and its value.
    public struct Member: Sendable, Hashable {
        public let name: String
        public let value: JSON
    }

    public init(dictionaryLiteral members: (String, JSON)...) {
        self.members = members.map(Member.init)
    }

    public init(_ values: [String: JSON]) {
        members = values.sorted { $0.key < $1.key }.map(Member.init)
    }

    /// Takes the properties of a value that encodes as a JSON object.
    public init(_ value: some Encodable) throws(RestwayError) {
        guard case .object(let members) = try JSON(encoding: value) else {
            throw RestwayError(
                Failure(
                    .invalidArgument,
                    "a value of the type \(type(of: value)) does not encode as a JSON object"))
        }
        self.init(members)
    }

    /// The value of a name; `nil` if it has no value. Setting it replaces the value or adds it at
    /// the end; setting `nil` removes it.
    public subscript(name: String) -> JSON? {
        get { members.last { $0.name == name }?.value }
        set {
            let index = members.lastIndex { $0.name == name }
            switch (newValue, index) {
            case (let value?, let index?): members[index] = Member(name: name, value: value)
            case (let value?, nil): members.append(Member(name: name, value: value))
            case (nil, _): members.removeAll { $0.name == name }
            }
        }
    }

    /// Takes over the other values. They replace values of the same names.
    public mutating func merge(_ others: Values) {
        for member in others.members { self[member.name] = member.value }
    }

    /// Returns these values with the other ones, which replace values of the same names.
    public func merging(_ others: Values) -> Values {
        var merged = self
        merged.merge(others)
        return merged
    }
}
