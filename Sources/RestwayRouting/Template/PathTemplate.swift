/// A path with variables: `enterprises/:itemID`, `enterprises/{itemID}{?page}`.
///
/// `:name` stands at the start of a segment; its name may be a key path (`:meeting.itemID`), which
/// `\.` ends (`:itemID\.json`). `{...}` is an expression of RFC 6570, of any level. The escapes are
/// `\.`, `\:`, `\{`, `\}` and `\\`.
package struct PathTemplate: Sendable, Equatable {
    package let text: String
    /// Unique, in the order of their first appearance.
    package let variableNames: [String]
    /// Whether the path itself, not only its query or fragment, has a variable.
    package let hasPathVariables: Bool
    let parts: [TemplatePart]
    /// What it expands to when it has no variables, and nothing in it is to be encoded.
    private let plainText: String?
    /// What matches; nil when the path has an expression that only expands.
    private let pattern: PathPattern?

    package init(_ text: String) throws(RoutingError) {
        self.text = text
        parts = try TemplateParser.parse(text)
        pattern = PathPattern(parts)
        var names: [String] = []
        var seen: Set<String> = []
        for name in parts.flatMap(\.variableNames) where seen.insert(name).inserted {
            names.append(name)
        }
        variableNames = names
        plainText = Self.plainText(parts)
        hasPathVariables = PathPattern.pathParts(of: parts).contains { !$0.variableNames.isEmpty }
    }

    private static func plainText(_ parts: [TemplatePart]) -> String? {
        guard parts.count == 1, case .literal(let bytes)? = parts.first else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return PathSegment.isPlain(text) ? text : nil
    }

    /// The values of the variables in `path`, percent-decoded; nil when it does not match.
    ///
    /// A leading or trailing slash, a query and a fragment do not decide. A value that is not
    /// percent-encoded UTF-8 is given as it stands. Takes time in proportion to the path.
    package func match(_ path: String) -> [String: String]? {
        pattern?.match(path)
    }

    /// Whether `match` finds values: quicker when they are not needed.
    package func matches(_ path: String) -> Bool {
        pattern?.matches(path) ?? false
    }

    /// The path with the variables' values, percent-encoded.
    ///
    /// A `:name` and an expression of one variable without operator need a value; others leave
    /// undefined variables out (RFC 6570, section 3.2.1). A value never becomes a whole segment
    /// that is "." or "..", and that of a `:name` or `{name}` no empty one.
    ///
    /// - Parameter absolute: Puts a variable that begins the template in as it is: a base URL.
    package func expand(
        absolute: Bool = false, _ value: (String) -> VariableValue?
    ) throws(RoutingError) -> String {
        if let plainText { return plainText }
        var expansion = TemplateExpansion(of: self)
        return try expansion.run(absolute: absolute, value)
    }

    /// The path of `child` behind this one. A variable in both is an error.
    package func joining(_ child: PathTemplate) throws(RoutingError) -> PathTemplate {
        let head = PathSegment.withoutTrailingSlashes(text[...])
        let tail = PathSegment.withoutLeadingSlashes(child.text[...])
        if head.isEmpty { return child }
        if tail.isEmpty { return self }
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

    /// Whether a query, or `{/name}`, begins the template.
    private var bringsItsSeparator: Bool {
        if case .expression(let expression)? = parts.first, expression.kind == .segment {
            return true
        }
        return PathPattern.pathParts(of: parts).isEmpty
    }

    /// Whether both match the same paths: equal but for the names of variables.
    package func isEquivalent(to other: PathTemplate) -> Bool {
        if let pattern, let otherPattern = other.pattern {
            return pattern.segments == otherPattern.segments
        }
        return self == other
    }
}
