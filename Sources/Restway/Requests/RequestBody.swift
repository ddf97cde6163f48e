public import FoundationEssentials
import RestwayCalls
import RestwayJSON
import RestwayOutcome

/// The body of a request.
///
///     try await client.post("people", body: .json(person))
///     try await client.put("notes/7", body: .text("Buy milk"))
public struct RequestBody: Sendable {
    let bytes: [UInt8]
    let mediaType: String

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

    var core: RequestSpec.Body { .init(bytes: bytes, mediaType: mediaType) }
}

/// The values of variables or parameters, by their names.
///
/// A literal has the values, or an `Encodable` value has them as its properties:
///
///     client.get("companies", parameters: ["city": "Pisa", "page": 2])
///     client.get("companies", parameters: Values(filter))
public struct Values: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The names and values, in their order.
    public let members: [Member]

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
}
