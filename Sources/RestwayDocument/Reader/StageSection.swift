import RestwayJSON

/// The keys `modifiers` and `interceptors`, of a document or of a route.
extension StageNames {
    init(modifiers: DocumentNode?, interceptors: DocumentNode?) {
        self.modifiers = Self.names(modifiers, .modifier)
        self.interceptors = Self.names(interceptors, .interceptor)
    }

    /// Reads a name or a list of names.
    private static func names(_ node: DocumentNode?, _ kind: ProgramFunctions.Kind) -> [String] {
        var names: [String] = []
        for element in node?.oneOrMany() ?? [] {
            guard let name = element.nonEmptyString() else { continue }
            if names.contains(name) {
                element.report("\(kind.rawValue) \"\(name)\" stands twice in the list")
            }
            names.append(name)
        }
        return names
    }
}

extension ProgramFunctions {
    /// Remembers the modifiers and the interceptors that a document or a route names.
    mutating func mention(modifiers: DocumentNode?, interceptors: DocumentNode?) {
        for (node, kind) in [(modifiers, Kind.modifier), (interceptors, .interceptor)] {
            for element in node?.oneOrMany() ?? [] {
                guard let name = element.value.string else { continue }
                mention(name, kind, at: element.place)
            }
        }
    }
}
