import RestwayOutcome
import RestwayRequests
import RestwayRouting

/// A method of HTTP.
///
/// Any token is a method (RFC 9110, section 9.1), except CONNECT. A string literal names one that
/// has no constant:
///
///     try await client.send(Request("REPORT", "calendars/7"))
///
/// The method is checked when its request is sent: a text that is no token, CONNECT, and a method
/// in other letters, such as `get`, are errors of the kind `invalidArgument`.
public struct Method: RawRepresentable, Hashable, Sendable {
    /// The method GET.
    public static let get = Method(rawValue: "GET")
    /// The method HEAD.
    public static let head = Method(rawValue: "HEAD")
    /// The method POST.
    public static let post = Method(rawValue: "POST")
    /// The method PUT.
    public static let put = Method(rawValue: "PUT")
    /// The method PATCH.
    public static let patch = Method(rawValue: "PATCH")
    /// The method DELETE.
    public static let delete = Method(rawValue: "DELETE")
    /// The method OPTIONS.
    public static let options = Method(rawValue: "OPTIONS")
    /// The method TRACE.
    public static let trace = Method(rawValue: "TRACE")

    /// The name, as it is sent.
    public let rawValue: String

    /// Makes a method of its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    init(_ core: RestwayRouting.Method) {
        rawValue = core.rawValue
    }

    /// The method as the core takes it.
    ///
    /// - Parameter path: The path of the request, if it has one.
    func core(_ path: String = "") throws(RestwayError) -> RestwayRouting.Method {
        do throws(RestwayRouting.Method.Refusal) {
            return try RestwayRouting.Method(rawValue, path: path)
        } catch {
            throw RestwayError(Failure(error))
        }
    }
}

extension Method: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral name: String) {
        self.init(rawValue: name)
    }

    public var description: String { rawValue }
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
        case path(TargetPath)
        case route(String)
        case object(Object)
        case draft(Draft)
        /// Two targets that were joined although one of them is no path.
        case unjoinable(String)
    }

    let kind: Kind
    /// The values of a scope, for variables that have no value otherwise.
    var scope: Values = [:]
    /// The object or the draft that a request to a path or a route is about.
    private(set) var subject: RequestSpec.Subject?

    private init(_ kind: Kind) { self.kind = kind }

    /// A path below the base URL, or an absolute URL, taken as it is. It may have variables:
    /// `companies/:id`.
    public static func path(_ path: String) -> Target { Target(.path(TargetPath(path))) }

    /// The route of the document that is called `name`.
    public static func route(_ name: String) -> Target { Target(.route(name)) }

    /// The path that the routes of the document have for an object.
    public static func object(_ object: Object) -> Target { Target(.object(object)) }

    /// The path that the routes of the document have for the object of a draft. The draft is also
    /// what the body is written from, where the document says so.
    public static func draft(_ draft: Draft) -> Target { Target(.draft(draft)) }

    /// Returns the same target for a request about an object. The object fills variables of the
    /// path and, where the document says so, the body.
    public func about(_ object: Object) -> Target {
        var target = self
        target.subject = .object(object.snapshot)
        return target
    }

    /// Returns the same target for a request about the object of a draft.
    public func about(_ draft: Draft) -> Target {
        var target = self
        target.subject = draft.subject
        return target
    }

    /// Returns the same target, whose path variables have these values if they have no other value.
    func scoped(_ variables: Values) -> Target {
        var target = self
        target.scope = variables.merging(scope)
        return target
    }

    /// Returns the target whose path is this path, and below it the path of `relative`.
    func joined(_ relative: Target) -> Target {
        var target: Target
        switch (kind, relative.kind) {
        case (.path(let base), .path(let path)) where !path.isAbsolute:
            target = Target(.path(base.joined(path)))
        case (.path, .path):
            target = Target(.unjoinable("the relative route has an absolute URL"))
        case (.unjoinable, _): target = self
        case (_, .unjoinable): target = relative
        case (.path, let other), (let other, _):
            target = Target(.unjoinable("\(other.noun) is no path that can be joined to another"))
        }
        target.scope = scope.merging(relative.scope)
        target.subject = relative.subject ?? subject
        return target
    }
}

extension Target.Kind {
    fileprivate var noun: String {
        switch self {
        case .path: "a path"
        case .route(let name): "the route \"\(name)\" of the document"
        case .object: "an object"
        case .draft: "a draft"
        case .unjoinable: "a joined target"
        }
    }
}

extension Target: ExpressibleByStringInterpolation {
    public init(stringLiteral path: String) { self.init(.path(TargetPath(path))) }
    public init(stringInterpolation path: StringInterpolation) { self.init(.path(path.path)) }

    /// Builds a path. The text between the values is taken as it is.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var path = TargetPath("")

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { path.append(.text(literal)) }

        /// Adds a value as a part of one segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            path.append(.value(value.description))
        }
    }
}

/// A path with the values that an interpolation has put into it.
struct TargetPath: Sendable {
    enum Part: Sendable {
        case text(String)
        case value(String)
    }

    private var parts: [Part]

    init(_ text: String) { parts = text.isEmpty ? [] : [.text(text)] }

    mutating func append(_ part: Part) {
        if case .text("") = part { return }
        parts.append(part)
    }

    /// The path as the core takes it: each value is a variable.
    var text: String {
        var count = 0
        return parts.reduce(into: "") { text, part in
            switch part {
            case .text(let literal): text += literal
            case .value:
                text += "{\(Self.name(ofValue: count))}"
                count += 1
            }
        }
    }

    /// The values by the names of their variables.
    var values: [(name: String, value: String)] {
        parts.compactMap { part in
            if case .value(let value) = part { value } else { nil }
        }.enumerated().map { (Self.name(ofValue: $0.offset), $0.element) }
    }

    /// Whether it is a URL and not a path below the base URL.
    var isAbsolute: Bool {
        guard case .text(let start)? = parts.first else { return false }
        return start.contains("://")
    }

    /// Returns the path of `relative` below this path, with the queries of both.
    func joined(_ relative: TargetPath) -> TargetPath {
        let (left, leftQuery) = divided
        let (right, rightQuery) = relative.divided
        var joined = left
        joined.trimEnd()
        let below = right.trimmedStart
        if !joined.parts.isEmpty, !below.parts.isEmpty { joined.append(.text("/")) }
        joined.parts += below.parts
        for (mark, query) in zip(
            ["?", leftQuery.parts.isEmpty ? "?" : "&"], [leftQuery, rightQuery])
        where !query.parts.isEmpty {
            joined.append(.text(mark))
            joined.parts += query.parts
        }
        return joined
    }

    /// The path and the query, without the question mark between them.
    private var divided: (path: TargetPath, query: TargetPath) {
        var (path, query) = (TargetPath(""), TargetPath(""))
        var isInQuery = false
        for part in parts {
            guard !isInQuery, case .text(let literal) = part,
                let mark = literal.firstIndex(of: "?")
            else {
                if isInQuery { query.append(part) } else { path.append(part) }
                continue
            }
            isInQuery = true
            path.append(.text(String(literal[..<mark])))
            query.append(.text(String(literal[literal.index(after: mark)...])))
        }
        return (path, query)
    }

    /// Removes the slashes at the end.
    private mutating func trimEnd() {
        guard case .text(var literal)? = parts.last else { return }
        while literal.last == "/" { literal.removeLast() }
        parts.removeLast()
        append(.text(literal))
    }

    /// The path without the slashes at its start.
    private var trimmedStart: TargetPath {
        guard case .text(let literal)? = parts.first else { return self }
        var trimmed = TargetPath(String(literal.drop { $0 == "/" }))
        trimmed.parts += parts.dropFirst()
        return trimmed
    }

    /// The name of the variable that an interpolation makes of a value.
    private static func name(ofValue index: Int) -> String { "interpolated\(index + 1)" }
}
