package import RestwayHTTP
package import RestwayJSON
package import RestwayMapping
import RestwayObjects
package import RestwayRouting
package import RestwayText

/// The settings that a route adds to its requests. All requests of the route share one object.
package final class RouteSettings: Sendable {
    package let headers: [Pair]
    /// Parameters that are used unless the caller gives parameters with the same names.
    package let parameters: [Parameter]
    package let timeouts: Timeouts
    /// The retry policy that replaces the client's.
    package let retry: RetryPolicy?
    package let auth: AuthMode?
    /// The name of the mapper for its answers and, if the mapper writes, for its bodies.
    package let dataMapper: String?
    /// The transport that replaces the client's.
    package let transport: TransportReference?
    /// When its requests are stored; `nil` if the patterns of the outbox decide.
    package let storing: StoringRule?
    /// Whether the store shows at once what its requests change.
    package let isOptimistic: Bool
    package let body: BodySettings
    package let answers: AnswerSettings
    /// How its requests take part in the response cache.
    package let cache: CacheRules
    package let stages: StageNames
    /// How answers tell of a conflict of versions.
    package let conflict: ConflictSettings

    package init(
        headers: [Pair] = [], parameters: [Parameter] = [], timeouts: Timeouts = Timeouts(),
        retry: RetryPolicy? = nil, auth: AuthMode? = nil, dataMapper: String? = nil,
        transport: TransportReference? = nil, storing: StoringRule? = nil,
        isOptimistic: Bool = false, body: BodySettings = BodySettings(),
        answers: AnswerSettings = AnswerSettings(),
        cache: CacheRules = CacheRules(), stages: StageNames = StageNames(),
        conflict: ConflictSettings = ConflictSettings()
    ) {
        self.headers = headers
        self.parameters = parameters
        self.timeouts = timeouts
        self.retry = retry
        self.auth = auth
        self.dataMapper = dataMapper
        self.transport = transport
        self.storing = storing
        self.isOptimistic = isOptimistic
        self.body = body
        self.answers = answers
        self.cache = cache
        self.stages = stages
        self.conflict = conflict
    }

    /// The settings of a request without a route.
    package static let none = RouteSettings()

    /// Returns the media type of bodies that are written in this way; `nil` if the serialization or
    /// the mapper alone decides.
    package func contentType(_ serialization: Serialization?) -> String? {
        let own = headers.last { $0.name.lowercased() == "content-type" }?.value
        return own ?? (serialization == .json && dataMapper == nil ? body.mediaType : nil)
    }
}

/// How parameters, objects and drafts are written.
package enum Serialization: String, CaseIterable, Sendable {
    /// Into the body by a mapper, which usually writes JSON.
    case json
    /// Into the body as `application/x-www-form-urlencoded`.
    case url
    /// Into the body as `multipart/form-data`.
    case form
    /// Into the query; a body is given by the caller.
    case none

    /// - Parameter number: WebApiClient's number.
    package init?(number: Int) {
        guard Self.allCases.indices.contains(number) else { return nil }
        self = Self.allCases[number]
    }
}

/// How the bodies of a route's requests are written and sent, and how its answers are taken.
package struct BodySettings: Sendable {
    /// `nil` is `json`, or `form` for a request with files.
    package var serialization: Serialization?
    package var forms = FormRules()
    /// Whether bodies are sent with `Content-Encoding: gzip`.
    package var isCompressed = false
    /// Whether bodies are announced with `Expect: 100-continue`.
    package var expectsContinue = false
    /// How resources are uploaded; `nil` if one request sends a resource.
    package var upload: UploadPlan?
    /// The name of the program's function that writes the bodies; `nil` if `serialization` says how
    /// they are written.
    package var encoder: String?
    package var answers = AnswerRules.usual
    /// The media type of bodies that are written as JSON; `nil` for the usual type of JSON.
    package var mediaType: String?
}

/// How nested values become the fields of a form or a query; `nil` for what is usual there.
package struct FormRules: Sendable {
    package enum Lists: String, CaseIterable, Sendable {
        /// `a[]=1&a[]=2`
        case brackets
        /// `a[0]=1&a[1]=2`
        case indices
        /// `a=1&a=2`
        case `repeat`
    }

    package enum Nesting: String, CaseIterable, Sendable {
        /// `a[b]=1`
        case brackets
        /// `a.b=1`
        case dots
    }

    package var lists: Lists?
    package var nesting: Nesting?

    package init() {}

    /// These rules, and the rules of `document` where these say nothing.
    package func over(_ document: FormRules) -> FormRules {
        var rules = self
        rules.lists = lists ?? document.lists
        rules.nesting = nesting ?? document.nesting
        return rules
    }
}

/// Parameters for all requests that match a method and a path: an entry of `requests`.
package struct RequestDefaults: Sendable {
    package var methods: [Method]
    package var template: PathTemplate
    package var parameters: [Parameter]
}

/// One parameter of a request: its value, and where the value goes.
package struct Parameter: Sendable {
    /// Several keys nest in a body; a query joins them with dots.
    package var keys: [String]
    package var value: WireValue

    package init(keys: [String], value: WireValue) {
        self.keys = keys
        self.value = value
    }

    package init(keys: [String], value: JSONValue) {
        self.init(keys: keys, value: value.withTree(WireValue.init))
    }
}

extension WireValue {
    /// Makes the value of a parameter.
    package init(_ json: JSONTree) {
        switch json.kind {
        case .null: self = .leaf(.null)
        case .boolean: self = .leaf(.bool(json.bool ?? false))
        case .integer: self = .leaf(.int64(json.integer ?? 0))
        case .real: self = .leaf(.double(json.double ?? 0))
        case .string where json.hasOutOfRangeNumbers:
            self = .leaf(.json(String(decoding: json.text(), as: UTF8.self)))
        case .string: self = .leaf(.string(json.string ?? ""))
        case .array: self = .list((json.elements ?? []).map(WireValue.init))
        case .object:
            var object = WireObject()
            for (key, value) in json.members ?? [] { object[key] = WireValue(value) }
            self = .object(object)
        }
    }
}

/// How a request takes part in authentication.
package enum AuthMode: Sendable, Equatable {
    /// The request is authorised, waits for a refresh and is replayed.
    case full
    /// The request is authorised with the present credential. It does not wait and is not replayed.
    case bypass
    /// The request goes out without a credential.
    case none
}
