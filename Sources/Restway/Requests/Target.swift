import RestwayRouting

/// A method of HTTP.
public enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"
    case trace = "TRACE"

    var core: RestwayRouting.Method {
        switch self {
        case .get: .get
        case .head: .head
        case .post: .post
        case .put: .put
        case .patch: .patch
        case .delete: .delete
        case .options: .options
        case .trace: .trace
        }
    }
}

/// The target of a request: a path, a URL or a route of the API document.
///
/// A string literal is a path below the base URL. Values in it are percent-encoded, so that a value
/// never adds a segment or a query to the path:
///
///     client.get("companies/\(id)")
///     client.get(.path(text))                            // text as it is
///     client.get(.route("company"), variables: ["itemID": 3])
public struct Target: Sendable {
    enum Kind: Sendable {
        /// A path, and the values of the expressions that an interpolation has put into it.
        case path(String, [String])
        case route(String)
        case object(Object)
        case draft(Draft)
    }

    let kind: Kind

    /// A path below the base URL, or an absolute URL, taken as it is. It may have variables:
    /// `companies/:id`.
    public static func path(_ path: String) -> Target { Target(kind: .path(path, [])) }

    /// The route of the document that is called `name`.
    public static func route(_ name: String) -> Target { Target(kind: .route(name)) }

    /// The path that the routes of the document have for an object.
    public static func object(_ object: Object) -> Target { Target(kind: .object(object)) }

    /// The path that the routes of the document have for the object of a draft. The draft is also
    /// what the body is written from, where the document says so.
    public static func draft(_ draft: Draft) -> Target { Target(kind: .draft(draft)) }
}

extension Target: ExpressibleByStringInterpolation {
    public init(stringLiteral path: String) { kind = .path(path, []) }
    public init(stringInterpolation path: StringInterpolation) {
        kind = .path(path.text, path.values)
    }

    /// Builds a path. The text between the values is taken as it is.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        var values: [String] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity)
        }

        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Adds a value as a part of one segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += "{\(Target.name(ofValue: values.count))}"
            values.append(value.description)
        }
    }

    /// The name of the variable that an interpolation makes of a value.
    static func name(ofValue index: Int) -> String { "interpolated\(index + 1)" }
}
