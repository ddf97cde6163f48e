public import FoundationEssentials
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayText

/// A request as it went out.
///
/// Its `description` shows it for people: credentials, and everything else that the document calls
/// secret, are replaced in it.
public struct OutgoingRequest: Sendable, CustomStringConvertible {
    let core: RestwayOutcome.OutgoingRequest
    /// The source of a body that is read while it is sent; `nil` if it is not known.
    private let unread: UnreadBody?
    /// Whether the library would make a new idempotency key each time.
    private let hasRandomKey: Bool

    /// - Parameter request: The request of the program; `nil` for a request that was sent.
    init(_ core: RestwayOutcome.OutgoingRequest, of request: Request? = nil) {
        self.core = core
        unread = core.isBodyUnread ? request.map(UnreadBody.init) : nil
        hasRandomKey =
            request.map { $0.idempotencyKey == nil && $0.headers[Self.key] == nil } ?? false
    }

    private static let key = IdempotencyKey.headerName

    /// The method of the request.
    public var method: Method { Method(rawValue: core.method) }
    /// The URL with its secrets; `description` hides them.
    public var url: String { core.url }
    /// The headers with their secrets; `description` hides them.
    public var headers: Headers {
        Headers(core.headers.map { Headers.Field(name: $0.name, value: $0.value) })
    }
    /// The body; `nil` if the request has no body, or if the body is read while it is sent.
    public var body: Data? { core.body.map { Data($0) } }
    /// The name of the route; `nil` for a request to a path.
    public var route: String? { core.route?.name }

    public var description: String { core.text }
}

/// Requests are equal if their methods, URLs, headers and bodies are.
///
/// Headers are compared without regard to the case of names and to the order of different names;
/// bodies with a media type of JSON, by their content; other bodies, by their bytes, which are read
/// if they are in files. A body that is a sequence equals only itself, and so does a request that
/// was sent with a body of files or of a sequence. An idempotency key that the library makes is not
/// compared.
extension OutgoingRequest: Equatable {
    public static func == (left: OutgoingRequest, right: OutgoingRequest) -> Bool {
        if left.core === right.core { return true }
        var (leftValues, rightValues) = (left.valuesByName, right.valuesByName)
        if left.hasRandomKey || right.hasRandomKey {
            leftValues[key.lowercased()] = nil
            rightValues[key.lowercased()] = nil
        }
        return left.core.method == right.core.method && left.url == right.url
            && leftValues == rightValues && left.content == right.content
    }

    private enum Content: Equatable {
        case none
        case json(JSON)
        case bytes([UInt8])
        case unread(UnreadBody)
        /// It equals no content.
        case unknown

        static func == (left: Content, right: Content) -> Bool {
            switch (left, right) {
            case (.none, .none): true
            case (.json(let left), .json(let right)): left == right
            case (.bytes(let left), .bytes(let right)): left == right
            case (.unread(let left), .unread(let right)): left == right
            default: false
            }
        }
    }

    private var content: Content {
        if core.isBodyUnread { return unread.map(Content.unread) ?? .unknown }
        guard let bytes = core.body else { return .none }
        let type = core.headers.last { $0.name.lowercased() == "content-type" }?.value ?? ""
        if Self.isForm(type), let boundary = HeaderParameters.read(type)["boundary"] {
            return .bytes(Self.replacing(boundary, in: bytes))
        }
        guard MediaType.isJSON(type), let json = try? JSON(text: bytes) else {
            return .bytes(bytes)
        }
        return .json(json)
    }

    private static func isForm(_ type: String) -> Bool {
        MediaType.essence(type) == MultipartForm.mediaType
    }

    /// Returns a form with a boundary that is the same in all forms.
    private static func replacing(_ boundary: String, in bytes: [UInt8]) -> [UInt8] {
        let boundary = Array("--\(boundary)".utf8)
        var (replaced, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
        while let byte = rest.first {
            if rest.starts(with: boundary) {
                replaced += "--boundary".utf8
                rest = rest.dropFirst(boundary.count)
            } else {
                replaced.append(byte)
                rest = rest.dropFirst()
            }
        }
        return replaced
    }

    /// The values of each header. The length of a body is not compared: it differs for JSON that is
    /// written in another way. The boundary of a multipart body is a random text.
    private var valuesByName: [String: [String]] {
        var values: [String: [String]] = [:]
        for field in core.headers {
            let name = field.name.lowercased()
            if name == "content-length" { continue }
            let hasBoundary = name == "content-type" && Self.isForm(field.value)
            values[name, default: []].append(
                hasBoundary ? MultipartForm.mediaType : field.value)
        }
        return values
    }
}

/// The source of a body that is read while it is sent.
private struct UnreadBody: Sendable, Equatable {
    private let parameters: Values
    private let draft: Draft?
    private let parts: RequestBody.Parts

    init(_ request: Request) {
        parameters = request.parameters
        draft = if case .draft(let draft) = request.target.kind { draft } else { nil }
        parts = request.body?.parts ?? RequestBody.Parts()
    }

    static func == (left: UnreadBody, right: UnreadBody) -> Bool {
        left.parameters == right.parameters && left.draft === right.draft
            && left.parts == right.parts
    }
}
