import RestwayJSON
package import RestwayMapping
import RestwayObjects
package import RestwayOutcome
import RestwayRouting
import RestwayText

/// The functions of the program that a document names, and those that the program has registered.
package struct ProgramFunctions: Sendable {
    /// The kinds of functions, as messages name them.
    enum Kind: String {
        case transform, hook, validator, parser, encoder, modifier, interceptor
    }

    /// The program's transforms by name.
    package var transforms: [String: CustomTransform] = [:]
    /// The program's hooks by name.
    package var hooks: [String: Hook] = [:]
    /// The program's validators by name.
    package var validators: [String: Validator] = [:]
    /// The program's parsers by name.
    package var parsers: [String: BodyParser] = [:]
    /// The program's encoders by name.
    package var encoders: [String: BodyEncoder] = [:]
    /// The program's modifiers by name.
    package var modifiers: [String: AskStage] = [:]
    /// The program's interceptors by name.
    package var interceptors: [String: AskStage] = [:]
    /// The functions of the program that the document names, and where, in order.
    private var mentions: [(name: String, kind: Kind, place: DocumentPlace)] = []

    /// Remembers that `conversion` stands at `place`, in case it is a transform of the program.
    mutating func mention(_ conversion: ValueConversion, at place: DocumentPlace) {
        switch conversion {
        case .custom(let name, _): mention(name, .transform, at: place)
        case .collection(_, let conversion), .among(_, let conversion):
            mention(conversion, at: place)
        case .firstOf(let conversions):
            for (index, conversion) in conversions.enumerated() {
                mention(conversion, at: .element(of: place, index: index))
            }
        default: break
        }
    }

    /// Remembers that the name of a function stands at `place`.
    mutating func mention(_ name: String, _ kind: Kind, at place: DocumentPlace) {
        mentions.append((name: name, kind: kind, place: place))
    }

    func has(_ name: String, _ kind: Kind) -> Bool {
        switch kind {
        case .transform: transforms[name] != nil
        case .hook: hooks[name] != nil
        case .validator: validators[name] != nil
        case .parser: parsers[name] != nil
        case .encoder: encoders[name] != nil
        case .modifier: modifiers[name] != nil
        case .interceptor: interceptors[name] != nil
        }
    }

    /// The functions that the document names and the program has not registered, each with the
    /// place of its first mention. A client reports them when it begins.
    package var missing: [Failure.Detail] {
        var reported: Set<String> = []
        return mentions.compactMap { name, kind, place in
            guard !has(name, kind) else { return nil }
            let isOneOfSeveral = kind == .transform || kind == .parser
            let why = isOneOfSeveral ? "is neither built in nor added" : "has not been added"
            let message = "\(kind.rawValue) \"\(name)\" \(why)"
            guard reported.insert(message).inserted else { return nil }
            return .init(path: place.text, message: message)
        }
    }

    /// Whether checking, parsing or mapping a response may call functions of the program.
    package var mayRunWhileMapping: Bool {
        !transforms.isEmpty || !hooks.isEmpty || !validators.isEmpty || !parsers.isEmpty
    }

    /// Whether the program has registered modifiers or interceptors.
    package var hasStages: Bool { !modifiers.isEmpty || !interceptors.isEmpty }

    /// Whether writing an object may call functions of the program.
    package var mayRunWhileEncoding: Bool { transforms.values.contains { $0.encode != nil } }
}
