import RestwayText

/// A path with variables: `enterprises/:itemID`, `enterprises/{itemID}{?page}`.
///
/// `:name` is at the start of a segment. Its name may be a key path (`:meeting.itemID`), which `\.`
/// ends (`:itemID\.json`). `{...}` is an expression of RFC 6570, of any level. The escapes are
/// `\.`, `\:`, `\{`, `\}` and `\\`.
///
/// It is a class because a route and its descriptors share it.
package final class PathTemplate: Sendable {
    package let text: String
    /// The names of the variables, each once, in the order of their first appearance.
    package let variableNames: [String]
    /// Whether the path itself, not only its query or fragment, has a variable.
    package let hasPathVariables: Bool
    /// The names of the variables of the path itself, which may occur more than once.
    package var pathVariableNames: [String] {
        PathPattern.pathParts(of: parts).flatMap(\.variableNames)
    }
    let parts: [TemplatePart]
    /// The pattern for matching; nil if the path has an expression that can only be expanded.
    let pattern: PathPattern?

    package init(_ text: String) throws(RoutingError) {
        self.text = text
        parts = try TemplateParser.parse(text)
        var names: [String] = []
        var indices: [String: Int] = [:]
        for name in parts.flatMap(\.variableNames) where indices[name] == nil {
            indices[name] = names.count
            names.append(name)
        }
        variableNames = names
        let path = PathPattern.pathParts(of: parts)
        pattern = PathPattern(path, names, indices, rest: PathPattern.rest(of: parts))
        hasPathVariables = path.contains { !$0.variableNames.isEmpty }
    }

    /// Whether every path that matches has certain parameters in its query.
    package var hasFixedQuery: Bool { pattern?.fixedQuery.isEmpty == false }

    /// Whether the path is one expression that stands for any number of segments, such as `{+path}`
    /// or `{/segments*}`, so that the template stands for every path.
    package var standsForEveryPath: Bool {
        let path = PathPattern.pathParts(of: parts).filter { $0 != .literal([ASCII.slash]) }
        guard path.count == 1, case .expression(let expression) = path[0] else { return false }
        switch expression.kind {
        case .reserved: return true
        case .segment: return expression.variables.contains { $0.modifier == .explode }
        case nil, .fragment, .label, .parameter, .query, .continuation: return false
        }
    }

    /// The values of the variables in `path`, percent-decoded; nil if it does not match.
    ///
    /// A leading or trailing slash and a fragment make no difference. The query must have the
    /// parameters that stand in the template without a variable. A value that is not
    /// percent-encoded UTF-8 is returned unchanged. The time is proportional to the length of the
    /// path.
    package func match(_ path: String) -> [String: String]? {
        pattern?.match(path)
    }

    /// Whether `match` finds values. This is faster if the values are not needed.
    package func matches(_ path: String) -> Bool {
        pattern?.matches(path) ?? false
    }

    /// The values of the variables in a path that this template has made; nil if the path does not
    /// tell them. Other than `match`, this also reads one `{+name}` or `{/name}` at the end of the
    /// path, for which the router has no pattern.
    package func values(in path: String) -> [String: String]? {
        if pattern != nil { return match(path) }
        let own = PathPattern.pathParts(of: parts)
        guard case .expression(let last)? = own.last, last.variables.count == 1,
            last.variables[0].modifier == .none,
            last.kind == .segment || last.kind == .reserved
        else { return nil }
        let head = Array(own.dropLast())
        let isSegment = last.kind == .segment
        // A value that begins in the middle of a segment is not told from the text before it.
        if !isSegment, case .literal(let bytes)? = head.last, bytes.last != ASCII.slash {
            return nil
        }
        let bytes = Array(path.utf8)
        let end = bytes.firstIndex(where: ASCII.endsPath) ?? bytes.endIndex
        var segments = bytes[..<end].split(separator: ASCII.slash, omittingEmptySubsequences: false)
        if segments.count > 1, segments[0].isEmpty { segments.removeFirst() }
        var values: [String: String] = [:]
        if head.contains(where: { $0 != .literal([ASCII.slash]) }) {
            var indices: [String: Int] = [:]
            for (index, name) in variableNames.enumerated() { indices[name] = index }
            guard let pattern = PathPattern(head, variableNames, indices, rest: []),
                pattern.segments.count < segments.count
            else { return nil }
            let first = segments.prefix(pattern.segments.count).joined(separator: [ASCII.slash])
            guard let found = pattern.match(String(decoding: Array(first), as: UTF8.self)) else {
                return nil
            }
            values = found
            segments.removeFirst(pattern.segments.count)
        }
        guard !isSegment || segments.count == 1 else { return nil }
        let rest = Array(segments.joined(separator: [ASCII.slash]))
        let decoded = PercentEncoding.decode(rest[...]).bytes
        guard let text = String(validating: decoded, as: UTF8.self), !text.isEmpty else {
            return nil
        }
        values[last.variables[0].name] = text
        return values
    }

    /// Whether a variable stands in the last segment of the path.
    package func endsWith(variable name: String) -> Bool {
        var last: [String] = []
        for part in PathPattern.pathParts(of: parts) {
            switch part {
            case .literal(let bytes):
                // A slash at the end of the path begins no segment.
                guard let slash = bytes.lastIndex(of: ASCII.slash) else { continue }
                if slash != bytes.endIndex - 1 || part != parts.last { last = [] }
            case .expression(let expression) where expression.kind == .segment:
                last = Array(part.variableNames.suffix(1))
            case .variable, .expression:
                last += part.variableNames
            }
        }
        return last.contains(name)
    }

    /// The path with the variables' values, percent-encoded.
    ///
    /// A `:name` and an expression of one variable without operator need a value. Other expressions
    /// leave undefined variables out (RFC 6570, section 3.2.1). A value must not become a whole
    /// segment "." or "..", and the value of a `:name` or `{name}` must not become an empty
    /// segment.
    ///
    /// - Parameter absolute: Whether a variable at the start of the template is inserted unchanged,
    ///   as a base URL.
    /// - Parameter isData: Whether the value of a variable is data, and not a text that was written
    ///   for this path. In `{+name}` and `{#name}`, the "#", "?" and "%" of data are encoded.
    package func expand(
        absolute: Bool = false, isData: (String) -> Bool = { _ in false },
        _ value: (String) -> VariableValue?
    ) throws(RoutingError) -> String {
        var expansion = TemplateExpansion(of: self, isData)
        return try expansion.run(absolute: absolute, value)
    }

    /// The limit on a joined path. It limits the memory for many routes with one long parent.
    static let joinedLengthMax = 4_096

    /// Returns the path of `child` after this path. A variable that both paths have is an error; a
    /// path longer than `joinedLengthMax` is also an error.
    package func joining(_ child: PathTemplate) throws(RoutingError) -> PathTemplate {
        let head = PathSegment.withoutTrailingSlashes(text[...])
        let tail = PathSegment.withoutLeadingSlashes(child.text[...])
        if head.isEmpty { return child }
        if tail.isEmpty { return self }
        let length = head.utf8.count + tail.utf8.count + 1
        guard length <= Self.joinedLengthMax else {
            throw .invalidTemplate(
                text: child.text, position: 0,
                reason: "joined to the path of its parent it would have more than "
                    + "\(Self.joinedLengthMax) bytes")
        }
        let joined = head + (child.bringsItsSeparator ? "" : "/") + tail
        func failure(_ position: Int, _ reason: String) -> RoutingError {
            .invalidTemplate(text: String(joined), position: position, reason: reason)
        }
        if PathPattern.pathParts(of: parts) != parts {
            throw failure(0, "the parent has a query or a fragment")
        }
        let own = Set(variableNames)
        if let name = child.variableNames.first(where: own.contains) {
            throw failure(
                joined.utf8.count - tail.utf8.count,
                "variable \"\(name)\" stands in both the parent and the child")
        }
        return try PathTemplate(String(joined))
    }

    /// Whether the template begins with a query or `{/name}`.
    private var bringsItsSeparator: Bool {
        if case .expression(let expression)? = parts.first, expression.kind == .segment {
            return true
        }
        return PathPattern.pathParts(of: parts).isEmpty
    }

    /// A form that equivalent templates share, for lookups.
    package struct Shape: Hashable, Sendable {
        fileprivate enum Kind: Hashable {
            case segments([[PathPattern.Piece]], [String])
            case text(String)
        }

        fileprivate let kind: Kind
    }

    package var shape: Shape {
        Shape(kind: pattern.map { .segments($0.segments, $0.fixedQuery) } ?? .text(text))
    }

    /// Whether both templates match the same paths: they are equal apart from the names of
    /// variables.
    package func isEquivalent(to other: PathTemplate) -> Bool {
        shape == other.shape
    }
}
