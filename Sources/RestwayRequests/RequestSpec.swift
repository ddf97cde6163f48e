import Glibc
package import RestwayBodies
package import RestwayDocument
package import RestwayHTTP
import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
package import RestwayRouting
package import RestwayStore
import RestwayText

/// A request as its caller describes it. Names in it are looked up only when it is sent.
package struct RequestSpec: Sendable {
    package enum Target: Sendable {
        case path(Method, String)
        /// A path or a URL that is handled as if the named route had made it.
        case routed(Method, String, route: String)
        case route(String, Method?)
        /// The object router finds the path for the subject.
        case subject(Method)
        /// A URL that an answer to a request with the other target has named. Its answer is mapped
        /// with the descriptors of that target's route.
        indirect case link(String, from: Target)
    }

    /// The object or draft that a request is about. Its attributes fill the variables of the path,
    /// and the body if a descriptor says so.
    package enum Subject: Sendable {
        case object(Snapshot)
        /// A draft of an object of a store.
        case draft(Draft, ObservedStore)
        /// The state that a draft had when the request was sent.
        case capture(DraftCapture, ObservedStore)
    }

    /// The value that a caller gives for a path variable.
    package enum Variable: Sendable {
        case null
        case value(VariableValue)
        /// An object whose attributes are used for the key paths that start with the variable's
        /// name.
        case object(Snapshot)
    }

    /// A body that is sent unchanged.
    package struct Body: Sendable {
        package enum Content {
            case bytes([UInt8])
            /// A reader gives the body while it is sent.
            case reader(BodyReader)
            case resource(Resource, DigestHeaders)
        }

        package let content: Content
        package let mediaType: String

        package init(bytes: [UInt8], mediaType: String) {
            content = .bytes(bytes)
            self.mediaType = mediaType
        }

        package init(reader: BodyReader, mediaType: String) {
            // A reader without bytes is never called.
            content = reader.length == 0 ? .bytes([]) : .reader(reader)
            self.mediaType = mediaType
        }

        /// - Parameter digests: The headers with a digest that are sent along.
        package init(resource: Resource, digests: DigestHeaders) {
            content = .resource(resource, digests)
            mediaType = resource.mediaType
        }
    }

    /// The options of the program for sending the request.
    package struct Sending: Sendable {
        /// Requests with a higher priority are sent first.
        package var priority: Int32 = 0
        /// `nil` is the mode of the route or, if the route sets no mode, `full`.
        package var authMode: AuthMode?
        package var idempotencyKey: IdempotencyKey?
        /// The lane in which the request is stored if it has to be; `nil` for the usual lane.
        package var lane: String?
        /// When the outbox stores the request; `nil` as its route or the document says. For GET and
        /// HEAD, `failed` and `never` say whether the response cache answers offline.
        package var storing: StoringRule?
        /// Whether the store shows at once what the request changes; `nil` if its route decides.
        package var isOptimistic: Bool?
    }

    /// The options of the program for the reception of the answer.
    package struct Reception: Sendable {
        package var progress: ProgressRequest?
        /// The place to which the body of a successful answer goes.
        package var bodyDestination = BodyDestination.memory
        /// The size limit of a saved body, in place of the client's; 0 for no limit.
        package var saveBytesMax: Int64?
        package var caching = CacheWishes()
        /// The name of the parser, in place of the route's.
        package var parser: String?
    }

    package var target: Target
    package var subject: Subject?
    /// The values that the caller gives to the variables of the path. A name that the path does not
    /// have is an error.
    package var variables: [String: Variable] = [:]
    /// The values of the scope, for variables that have no value otherwise. Names that the path
    /// does not have are ignored.
    package private(set) var scopeVariables: [String: Variable] = [:]
    /// The parameters in the order in which they were given. If two parameters have the same keys,
    /// the later parameter counts.
    package var parameters: [Parameter] = []
    /// The headers of the caller. A header whose value is `nil` is left out of the request.
    package var headers: [(name: String, value: String?)] = []
    /// The default headers of the client when the request started; `nil` before that.
    package var clientHeaders: [HeaderField]?
    /// The body that the caller gives, and how it is sent.
    package var given = GivenContent()
    /// The time limits that replace the limits of the route or the client.
    package var timeouts = Timeouts()
    package var sending = Sending()
    package var reception = Reception()
    /// The stored item from which the request comes, if any.
    package var stored: (any StoredItem)?
    package var batchRole = BatchRole.alone
    /// See `SendingRules.mayGo`.
    package var mayGo: (@Sendable () -> Bool)?

    package init(target: Target, subject: Subject? = nil) {
        self.target = target
        self.subject = subject
    }

    /// Handles a request to a path or a URL as the route called `name` from now on.
    package mutating func setRoute(_ name: String) throws(Failure) {
        switch target {
        case .path(let method, let text), .routed(let method, let text, _):
            target = .routed(method, text, route: name)
        case .route, .subject, .link:
            throw Failure(
                .invalidArgument,
                "only a request to a path or a URL can be mapped as a route: this one has a route "
                    + "already", field: "route")
        }
    }

    /// Adds the variables of a scope. The variables of an earlier scope stay.
    package mutating func addScope(_ variables: [String: Variable]) {
        scopeVariables.merge(variables) { earlier, _ in earlier }
    }

    /// Adds a value to a parameter, which becomes the list of its values.
    package mutating func add(_ parameter: Parameter) {
        guard let index = parameters.lastIndex(where: { $0.keys == parameter.keys }) else {
            parameters.append(Parameter(keys: parameter.keys, value: .list([parameter.value])))
            return
        }
        var values = [parameters[index].value]
        if case .list(let earlier) = parameters[index].value { values = earlier }
        parameters[index].value = .list(values + [parameter.value])
    }

    /// Returns the same request with the present state of its draft, so that later changes of the
    /// draft do not reach it.
    package consuming func captured() -> RequestSpec {
        guard case .draft(let draft, let store)? = subject else { return self }
        subject = .capture(draft.capture(), store)
        return self
    }
}

/// The body that a caller gives, and how it is sent. If a choice is `nil`, the route decides.
package struct GivenContent: Sendable {
    /// A body that is sent unchanged.
    package var body: RequestSpec.Body?
    /// The files of a multipart body.
    package var files: [FormFile] = []
    package var serialization: Serialization?
    /// Whether the body is sent with `Content-Encoding: gzip`.
    package var isCompressed: Bool?
    /// Whether the body is announced with `Expect: 100-continue`.
    package var expectsContinue: Bool?
    /// How a resource is uploaded.
    package var upload: UploadPlan?

    package init() {}
}

/// The part that a request has in a batch.
package enum BatchRole: Sendable {
    case alone
    /// The request goes out inside another request, which has the headers that all its requests
    /// share.
    case item
    /// Other requests go out inside this request. It is a request of the library's own: no rule
    /// that matches its path stores it, keeps or maps its answer, or validates it.
    case call
}

extension RequestSpec {
    package var isInBatch: Bool { batchRole == .item }

    /// Whether a part of the body is read while it is sent. Such a request is never stored.
    var isReadWhileSent: Bool {
        if given.files.contains(where: { $0.resource.bytes == nil }) { return true }
        switch given.body?.content {
        case nil, .bytes: return false
        case .reader: return true
        case .resource(let resource, _): return resource.bytes == nil
        }
    }
}

/// The key that makes a request safe to repeat whatever its method, because the server recognises
/// it.
package enum IdempotencyKey: Sendable, Equatable {
    case given(String)
    /// A new key each time the request is sent; all attempts of a call share it.
    case random

    package static let headerName = "Idempotency-Key"

    package var text: String {
        switch self {
        case .given(let text): text
        case .random: Self.uuid()
        }
    }

    /// Returns random bits with the version and the variant of a random UUID, with one call of the
    /// system.
    private static func bits() -> (high: UInt64, low: UInt64) {
        var bits: (high: UInt64, low: UInt64) = (0, 0)
        let code = withUnsafeMutableBytes(of: &bits) { bytes in
            bytes.baseAddress.map { getentropy($0, bytes.count) } ?? -1
        }
        if code != 0 { bits = (.random(in: 0 ... .max), .random(in: 0 ... .max)) }
        return (bits.high & ~0xF000 | 0x4000, bits.low & ~(3 << 62) | 2 << 62)
    }

    /// A random UUID (RFC 9562, section 5.4), from the system's own source.
    private static func uuid() -> String {
        let (high, low) = bits()
        func digit(_ number: UInt64) -> UInt8 {
            ASCII.lowerHexDigit(UInt8(truncatingIfNeeded: number) & 15)
        }
        return String(unsafeUninitializedCapacity: 36) { text in
            var end = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    text[end] = UInt8(ascii: "-")
                    end += 1
                }
                let byte = (index < 8 ? high : low) >> UInt64(56 - index % 8 * 8)
                text[end] = digit(byte >> 4)
                text[end + 1] = digit(byte)
                end += 2
            }
            return end
        }
    }
}
