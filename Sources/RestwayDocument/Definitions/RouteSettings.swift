package import RestwayJSON
package import RestwayMapping
import RestwayObjects
package import RestwayRouting
package import RestwayText

/// The settings that a route adds to its requests.
package struct RouteSettings: Sendable {
    package var headers: [Pair] = []
    /// Parameters that are used unless the caller gives parameters with the same names.
    package var parameters: [Parameter] = []
    package var timeoutMilliseconds: Int64?
    /// The retry policy that replaces the client's.
    package var retry: RetryPolicy?
    package var auth: AuthMode?
    /// The name of the mapper for its answers and, if the mapper writes, for its bodies.
    package var dataMapper: String?
    /// The transport that replaces the client's.
    package var transport: TransportReference?
    /// Whether its requests may be stored; `nil` if the patterns of the outbox decide.
    package var mayBeStored: Bool?
    /// Whether the bodies of its answers are saved in files.
    package var savesAsResource = false

    /// The settings of a request without a route.
    package static let none = RouteSettings()

    package var contentType: String? {
        headers.last { $0.name.lowercased() == "content-type" }?.value
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
        self.init(keys: keys, value: WireValue(value))
    }
}

extension WireValue {
    /// Makes the value of a parameter.
    package init(_ json: JSONValue) {
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
