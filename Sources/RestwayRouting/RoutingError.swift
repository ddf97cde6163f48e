import RestwayText

/// Why a path, a route or a URL is not valid.
package enum RoutingError: Error, Equatable, Sendable {
    /// `position` is a UTF-8 offset into `text`.
    case invalidTemplate(text: String, position: Int, reason: String)
    case unknownEnvironment(String, known: [String])
    case unknownRoute(String)
    case noRouteForObject(entity: String, method: Method)
    case ambiguousRoute(entity: String, method: Method, candidates: [String])
    case methodNotAllowed(Method, route: String, allowed: [Method])
    case missingVariable(name: String, template: String)
    case unusableVariable(name: String, template: String, reason: String)
    /// Two routes are equal. The text names them.
    case duplicateRoute(String)
    case tooManyParents(route: String, limit: Int)
    /// `unusableURL(_:_:)` creates this error, so that its text contains no secret.
    case invalidURL(String, reason: String)

    /// Describes the error and its place. It never contains the credentials of a URL.
    package var message: String {
        switch self {
        case .invalidTemplate(let text, let position, let reason):
            "path template \"\(Self.shown(text))\", byte \(position): \(reason)"
        case .unknownEnvironment("", let known) where known.isEmpty:
            "the API document has no environment: give the client a base URL (base_url)"
        case .unknownEnvironment("", let known):
            "the client names no environment; there are: \(Self.list(known))"
        case .unknownEnvironment(let name, let known):
            "there is no environment \"\(name)\"; there are: \(Self.list(known))"
        case .unknownRoute(let name):
            "there is no route \"\(name)\""
        case .noRouteForObject(let entity, let method):
            "no route serves \(method.rawValue) for objects of \(entity)"
        case .ambiguousRoute(let entity, let method, let candidates):
            "several routes serve \(method.rawValue) for objects of \(entity): "
                + Self.list(candidates)
        case .methodNotAllowed(let method, let route, let allowed):
            "route \"\(route)\" does not take \(method.rawValue); it takes: "
                + Self.list(allowed.map(\.rawValue))
        case .missingVariable(let name, let template):
            "variable \"\(name)\" of path \"\(Self.shown(template))\" has no value"
        case .unusableVariable(let name, let template, let reason):
            "variable \"\(name)\" of path \"\(Self.shown(template))\": \(reason)"
        case .duplicateRoute(let what):
            "the same route twice: \(what)"
        case .tooManyParents(let route, let limit):
            "route \"\(route)\" has more than \(limit) parents, one above the other"
        case .invalidURL(let url, let reason):
            "URL \"\(URLText.redacted(url))\": \(reason)"
        }
    }

    /// `invalidURL` without the URL's credentials and query, which may contain a token.
    ///
    /// - Parameter behindPath: The part of the query and the fragment that the message shows.
    static func unusableURL(
        _ url: String, _ reason: String, behindPath: String = ""
    ) -> RoutingError {
        .invalidURL(URLText.withoutQuery(url) + behindPath, reason: reason)
    }

    /// A template without its query, which may contain a token. The ":" of a variable is not taken
    /// for a password's, nor the "?" of an expression for a query's.
    private static func shown(_ template: String) -> String {
        let text = URLText.isAbsolute(template) ? URLText.redacted(template) : template
        let bytes = text.utf8
        let end = bytes.indices.first { index in
            bytes[index] == UInt8(ascii: "?")
                && (index == bytes.startIndex
                    || bytes[bytes.index(before: index)] != UInt8(ascii: "{"))
        }
        return String(text[..<(end ?? text.endIndex)])
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}

extension RoutingError: CustomStringConvertible {
    package var description: String { message }
}
