public import FoundationEssentials
import RestwayBodies
import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayOutcome
import RestwayRequests

/// The body of a request.
///
///     try await client.post("people", body: .json(person))
///     try await client.put("films/7", body: .file("film.mp4"))
///     try await client.post("photos", body: .multipart(files: ["photo": .file("photo.jpg")]))
public struct RequestBody: Sendable {
    fileprivate enum Content: Sendable {
        /// The parameters and the draft of the request are the body.
        case parameters(Serialization?)
        case bytes([UInt8], String)
        case resource(RestwayHTTP.Resource)
        case pieces(PieceSource, BodyReader, String)
        case form(Values, [FormFile])
    }

    private let content: Content
    private var isCompressed: Bool?
    private var isAnnounced: Bool?
    private var upload: UploadPlan?
    private var digests: DigestHeaders = []

    private init(_ content: Content) {
        self.content = content
    }

    private init(_ bytes: [UInt8], _ mediaType: String) {
        content = .bytes(bytes, mediaType)
    }

    // MARK: Values

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

    /// How parameters are written into a body.
    public enum Form: Sendable {
        /// `application/json`
        case json
        /// `application/x-www-form-urlencoded`
        case url
        /// `multipart/form-data`
        case multipart

        fileprivate var core: Serialization {
            switch self {
            case .json: .json
            case .url: .url
            case .multipart: .form
            }
        }
    }

    /// The parameters of the request, and the draft of its target: what a request without a body of
    /// its own sends. `nil` writes them as the route says.
    public static func parameters(as form: Form? = nil) -> RequestBody {
        RequestBody(Content.parameters(form.map(\.core)))
    }

    // MARK: Files and sequences

    /// A file, which is read while it is sent. The media type is that of its name, unless it is
    /// given.
    public static func file(_ path: String, mediaType: String? = nil) -> RequestBody {
        resource(Resource.file(path, mediaType: mediaType))
    }

    /// A resource: bytes, a file or a descriptor.
    public static func resource(_ resource: Resource) -> RequestBody {
        RequestBody(.resource(resource.core))
    }

    /// The pieces of an asynchronous sequence, read while they are sent.
    ///
    /// - Parameters:
    ///   - pieces: Collections of bytes, for example `Data` or `[UInt8]`.
    ///   - length: The number of bytes of all pieces, if it is known. A call whose body has more or
    ///     fewer bytes fails.
    ///   - isRepeatable: Whether the sequence can be read again from its start. A request with
    ///     another body is sent once: no retry sends it again.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, length: Int64? = nil, isRepeatable: Bool = false,
        mediaType: String = "application/octet-stream"
    ) -> RequestBody where Pieces.Element: Collection<UInt8> {
        let source = PieceSource(pieces)
        let rewind: BodyReader.Rewind = {
            source.rewind()
            return .success(())
        }
        let reader = BodyReader(
            length: length, read: { source.read(into: $0) }, rewind: isRepeatable ? rewind : nil)
        return RequestBody(.pieces(source, reader, mediaType))
    }

    /// A multipart body (RFC 7578): the fields, the parameters of the request, and then the files
    /// in their order. Files are read while they are sent.
    ///
    ///     .multipart(fields: ["title": "Ann"], files: ["photo": .file("photo.jpg")])
    public static func multipart(
        fields: Values = [:], files: KeyValuePairs<String, Resource> = [:]
    ) -> RequestBody {
        RequestBody(
            .form(fields, files.map { FormFile(name: $0.key, resource: $0.value.core) }))
    }

    // MARK: How it is sent

    /// The same body, sent with `Content-Encoding: gzip`, or never with it.
    public func gzipped(_ isCompressed: Bool = true) -> RequestBody {
        changed { $0.isCompressed = isCompressed }
    }

    /// The same body, announced with `Expect: 100-continue`, or never announced.
    public func announced(_ isAnnounced: Bool = true) -> RequestBody {
        changed { $0.isAnnounced = isAnnounced }
    }

    /// The same resource, with headers that have its digest.
    public func digested(_ headers: DigestHeader...) -> RequestBody {
        changed { body in
            for header in headers { body.digests.insert(header.core) }
        }
    }

    /// The same resource, whose upload goes on after a failure.
    ///
    /// - Parameters:
    ///   - state: A file that names the upload, so that a later call goes on with it.
    ///   - pieceBytes: The largest number of bytes of one request; `nil` for all.
    ///   - isEnded: Whether the request deletes the upload that `state` names from the server, in
    ///     place of going on with it.
    public func resumable(
        _ protocol: UploadProtocol, state: String? = nil, pieceBytes: Int64? = nil,
        isEnded: Bool = false
    ) -> RequestBody {
        var plan = UploadPlan(`protocol`.core)
        plan.statePath = state
        if let pieceBytes { plan.pieceBytesMax = max(1, pieceBytes) }
        plan.isTerminated = isEnded
        return changed { $0.upload = plan }
    }

    private func changed(_ change: (inout RequestBody) -> Void) -> RequestBody {
        var body = self
        change(&body)
        return body
    }
}

extension RequestBody {
    /// Puts the body into a request.
    func apply(to spec: inout RequestSpec) throws(RestwayError) {
        switch content {
        case .parameters(let serialization): spec.given.serialization = serialization
        case .bytes(let bytes, let mediaType):
            spec.given.body = .init(bytes: bytes, mediaType: mediaType)
        case .resource(let resource): spec.given.body = .init(resource: resource, digests: digests)
        case .pieces(_, let reader, let mediaType):
            spec.given.body = .init(reader: reader, mediaType: mediaType)
        case .form(let fields, let files):
            spec.given.serialization = .form
            spec.given.files = files
            spec.parameters = try fields.parameters() + spec.parameters
        }
        spec.given.isCompressed = isCompressed
        spec.given.expectsContinue = isAnnounced
        spec.given.upload = upload
    }

    /// The bytes and their media type, for a body that a function of the program has made.
    var written: (bytes: [UInt8], mediaType: String) {
        get throws(RestwayError) {
            guard case .bytes(let bytes, let mediaType) = content else {
                throw RestwayError(
                    Failure(
                        .invalidArgument, "the body of a function is JSON, a text or data",
                        field: "body"))
            }
            try Headers.Field(name: "Content-Type", value: mediaType).check()
            return (bytes, mediaType)
        }
    }

    var source: PieceSource? {
        if case .pieces(let source, _, _) = content { source } else { nil }
    }

    /// The source of the body, for comparing requests whose bodies are read while they are sent.
    struct Parts: Sendable, Equatable {
        fileprivate var fields: Values = [:]
        fileprivate var files: [FormFile] = []
        fileprivate var resource: RestwayHTTP.Resource?
        fileprivate var source: PieceSource?

        static func == (left: Parts, right: Parts) -> Bool {
            left.fields == right.fields && left.source === right.source
                && left.files.count == right.files.count
                && zip(left.files, right.files).allSatisfy { left, right in
                    left.name == right.name && left.resource.name == right.resource.name
                        && left.resource.mediaType == right.resource.mediaType
                        && left.resource.hasBytes(of: right.resource)
                } && Self.haveEqualBytes(left.resource, right.resource)
        }

        private static func haveEqualBytes(
            _ left: RestwayHTTP.Resource?, _ right: RestwayHTTP.Resource?
        ) -> Bool {
            guard let left, let right else { return left == nil && right == nil }
            return left.hasBytes(of: right)
        }
    }

    var parts: Parts {
        var parts = Parts()
        switch content {
        case .parameters, .bytes: break
        case .resource(let resource): parts.resource = resource
        case .pieces(let source, _, _): parts.source = source
        case .form(let fields, let files): (parts.fields, parts.files) = (fields, files)
        }
        return parts
    }
}

extension RestwayHTTP.Resource {
    /// Whether both have the same bytes now. A resource that cannot be read, or only once, has the
    /// bytes of no other one.
    fileprivate func hasBytes(of other: RestwayHTTP.Resource) -> Bool {
        if self === other { return true }
        guard let length = try? extent().length, length == (try? other.extent().length),
            let digest = try? digest(.sha256)
        else { return false }
        return digest == (try? other.digest(.sha256))
    }
}

/// The use of a body by one call. A sequence is read no longer than its calls last.
struct BodyUse: Sendable {
    private let source: PieceSource?

    /// A call begins.
    init(_ request: Request) {
        source = request.body?.source
        source?.enter()
    }

    /// The call has ended.
    func end() {
        source?.leave()
    }

    /// The error that the sequence of the body has thrown.
    var thrown: (any Error)? { source?.thrown }
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
        /// The name of the variable or parameter.
        public let name: String
        /// The value.
        public let value: JSON
    }

    public init(dictionaryLiteral members: (String, JSON)...) {
        self.members = members.map(Member.init)
    }

    /// Takes names and values in the order given. A name may occur several times.
    public init(_ members: [(String, JSON)]) {
        self.members = members.map(Member.init)
    }

    /// Takes names and values, sorted by their names.
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
