public import FoundationEssentials
import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome

/// The answer of a server, and the objects that it was mapped to. It never changes.
public struct Response: Sendable {
    let core: RestwayOutcome.Response
    let source: ObjectSource

    init(_ core: RestwayOutcome.Response, _ source: ObjectSource) {
        self.core = core
        self.source = source
    }

    /// The HTTP status.
    public var status: Int { core.status }

    /// The URL that answered, after redirects.
    public var url: String { core.url }

    /// The header `Location` as an absolute URL: a relative one is resolved against `url`. `nil` if
    /// the header is missing or is no http or https URL.
    public var location: String? { core.location }

    /// The version of HTTP in which the server has answered: `1.0`, `1.1`, `2` or `3`; `nil` if it
    /// is not known, as for an answer of the cache.
    public var httpVersion: String? {
        switch core.httpVersion {
        case .http10: "1.0"
        case .http11: "1.1"
        case .http2: "2"
        case .http3: "3"
        case nil: nil
        }
    }

    /// The header fields of the answer.
    public var headers: Headers { Headers(core.headers) }

    /// The header fields after the body.
    public var trailers: Headers { Headers(core.trailers) }

    /// The body without its content coding.
    public var body: Data { core.withBody { Data($0) } }

    /// The body as text, in the charset that its `Content-Type` names.
    public func text() throws(RestwayError) -> String {
        let converted: Result<[UInt8], UnknownCharset> = core.withBody { bytes in
            Result { () throws(UnknownCharset) in
                try BodyText.utf8(bytes, contentType: core.headers[first: "Content-Type"] ?? "")
            }
        }
        switch converted {
        case .success(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .failure(let error):
            throw RestwayError(
                Failure(
                    .mapping, "the charset \"\(error.name)\" of the body is not known",
                    field: "Content-Type"))
        }
    }

    /// The body as JSON.
    public func json() throws(RestwayError) -> JSON {
        let body = core.jsonText ?? core.bodyForJSON
        let parsed: Result<JSONValue, JSONError> = body.withBytes { bytes in
            Result { () throws(JSONError) in try JSONValue.parse(bytes) }
        }
        switch parsed {
        case .success(let value): return JSON(value)
        case .failure(let error): throw RestwayError(Failure(.mapping, error.message))
        }
    }

    /// Whether the API document says how to map the answer.
    public var isMapped: Bool { core.isMapped }

    /// The objects of the answer, in their order.
    public var objects: [Object] { core.objects.map { Object($0, source) } }

    /// The objects of each rule of the document that applied to the answer, in the order of the
    /// rules. `objects` has all of them in one list.
    public var results: [[Object]] {
        let objects = objects
        return core.results.map { Array(objects[$0]) }
    }

    /// The first object of the answer.
    public var object: Object? { core.objects.first.map { Object($0, source) } }

    /// The first values that could not be mapped. `issueCount` says how many there are.
    public var issues: [RestwayError.Detail] {
        core.issues.map { .init(path: $0.keyPath, message: $0.reason, code: nil) }
    }

    /// The number of all values that could not be mapped.
    public var issueCount: Int { core.issueCount }

    /// The request that went out, with the secrets in its text replaced.
    public var request: OutgoingRequest? { core.request.map { OutgoingRequest($0) } }

    /// How long the parts of the call took.
    public var timings: Timings { Timings(core.timings) }
}

extension Response: CustomStringConvertible {
    public var description: String { "<Response \(status), \(core.bodyCount) bytes>" }
}

/// Reading into types of the program.
extension Response {
    /// Reads the answer into a `Decodable` type.
    ///
    /// An answer that is a value, a list or a map is read into a type such as `Int`, `[String]` or
    /// `[String: Date]`. If the document maps the answer to objects, the properties have the names
    /// of attributes and relationships; an array has all objects, and any other type the first one.
    /// If not, the body is JSON, and `JSONDecoder` reads it.
    ///
    /// - Throws: A `RestwayError` of the kind `mapping`, whose `field` names the property.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self
    ) throws(RestwayError) -> Value {
        if !core.isMapped, valueContent == nil, Value.self == JSON.self,
            let value = try json() as? Value
        {
            return value
        }
        do {
            if let content = valueContent {
                return try ObjectDecoder(content, source).decode(Value.self)
            }
            guard core.isMapped else {
                let json = core.jsonText.map { $0.withBytes { Data($0) } }
                return try source.decoder.decode(Value.self, from: json ?? body)
            }
            return try ObjectDecoder.decode(Value.self, core.objects, source)
        } catch {
            throw RestwayError(DecodingText.failure(error, Value.self), underlying: error)
        }
    }

    /// The parser that has read the body: the parser of the request or else of its route. It is
    /// `.objects` also for a failed answer, and for a body that was saved or streamed.
    public var parser: Request.Parser {
        switch core.parsed {
        case .objects, .value: .objects
        case .json: .json
        case .text: .text
        case .bytes: .bytes
        case .headers: .headers
        case .nothing: .nothing
        case .made(let name, _): .named(name)
        }
    }

    /// The value of an answer that is no object: a single value, a list or a map, which the
    /// document describes by a type, or what another parser has made of the body.
    /// `nil` for an answer with objects, and if the value did not fit.
    public var value: Object.Value? {
        switch core.parsed {
        case .objects: nil
        case .value(let value, let shape): Object.Value(value, shape)
        case .json(let isEmpty): isEmpty ? .null : (try? json()).map(Object.Value.json)
        case .text(let text): .string(text.withBytes { String(decoding: $0, as: UTF8.self) })
        case .bytes: .bytes(body)
        case .made(_, let value): Object.Value(value)
        case .headers, .nothing: .null
        }
    }

    /// The value of an answer that a type of the document or another parser describes; `nil` for
    /// objects and for JSON, which `JSONDecoder` reads.
    private var valueContent: ObjectDecoder.Content? {
        switch core.parsed {
        case .objects, .json: nil
        case .value(let value, let shape): .init(value, shape)
        case .text(let text):
            .value(.string(text.withBytes { String(decoding: $0, as: UTF8.self) }))
        case .bytes: .value(.bytes(Array(body)))
        case .made(_, let value): .value(value)
        case .headers, .nothing: .value(.null)
        }
    }
}

/// How long the parts of a call took; `nil` if it is not known.
public struct Timings: Sendable, Hashable {
    /// The wait for a connection.
    public let queued: Duration?
    /// The lookup of the host's name; zero on a connection that was already open.
    public let nameLookup: Duration?
    /// The time to make the TCP connection; zero on a connection that was already open.
    public let connect: Duration?
    /// The TLS handshake; zero without TLS, and on a connection that was already open.
    public let tls: Duration?
    /// From the start of the exchange to the first byte of the answer.
    public let firstByte: Duration?
    /// From the start of the exchange to its last byte.
    public let exchange: Duration?
    /// The time to undo the content coding of the body.
    public let decode: Duration?
    /// The time to read the body and to store its objects.
    public let map: Duration?
    /// The time of the store, which is a part of `map`.
    public let store: Duration?
    /// The whole call, with its redirects.
    public let total: Duration?

    init(_ timings: CallTimings) {
        queued = timings.queued.map(Duration.microseconds)
        nameLookup = timings.nameLookup.map(Duration.microseconds)
        connect = timings.connect.map(Duration.microseconds)
        tls = timings.tls.map(Duration.microseconds)
        firstByte = timings.firstByte.map(Duration.microseconds)
        exchange = timings.exchange.map(Duration.microseconds)
        decode = timings.decode.map(Duration.microseconds)
        map = timings.map.map(Duration.microseconds)
        store = timings.store.map(Duration.microseconds)
        total = timings.total.map(Duration.microseconds)
    }
}

extension RestwayOutcome.Response {
    /// Runs `read` with the bytes of the body.
    fileprivate func withBody<Result>(_ read: (UnsafeRawBufferPointer) -> Result) -> Result {
        bodyWithNUL.withUnsafeBytes { read(.init(rebasing: $0.dropLast())) }
    }
}
