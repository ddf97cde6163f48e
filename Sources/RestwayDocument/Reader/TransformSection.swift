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
        case .collection(_, let innermost): mention(innermost, at: place)
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

/// The section `transforms`, and the transforms of attributes.
extension DocumentNode {
    /// Reads a transform for values of `type`: its name, or `{"name", ...}` with its options.
    package func conversion(_ type: AttributeType) -> ValueConversion? {
        let isName = value.kind == .string
        guard isName || value.kind == .object else {
            return mismatch("a transform's name or an object")
        }
        let named = isName ? self : required("name")
        guard let name = named?.nonEmptyString() else { return nil }
        let options = ["date": ["format"], "boolWords": ["true", "false"]][name] ?? []
        guard isName || object(["name"] + options) != nil else { return nil }
        switch (name, type) {
        case ("iso8601", .date), ("epoch", .date), ("epochMilliseconds", .date):
            return (try? DateFormat(name)).map(ValueConversion.date)
        case ("date", .date): return patternOfDate().map(ValueConversion.date)
        case ("boolWords", .bool): return words().map(ValueConversion.boolWords)
        case ("numberText", .int): return .intText
        case ("numberText", .double): return .doubleText
        case ("numberText", .string): return .numberAsText
        case ("url", .string): return .url
        case ("base64", .bytes): return .base64Bytes
        case ("base64", .string): return .base64Text
        default:
            guard let types = Self.typesOfTransforms[name] else { return .custom(name, type) }
            let all = types.joined(separator: ", ")
            return refuse("transform \"\(name)\" is for type \(all), not for \(type.rawValue)")
        }
    }

    /// The types for which built-in transforms exist.
    static let typesOfTransforms: [String: [String]] = [
        "iso8601": ["date"], "epoch": ["date"], "epochMilliseconds": ["date"], "date": ["date"],
        "boolWords": ["bool"], "numberText": ["int", "double", "string"], "url": ["string"],
        "base64": ["bytes", "string"],
    ]

    private func patternOfDate() -> DateFormat? {
        guard value.kind == .object else {
            return refuse(
                "a transform \"date\" needs a format: {\"name\": \"date\", \"format\": ...}")
        }
        return required("format")?.dateFormat()
    }

    /// Reads the pattern of a date.
    package func dateFormat() -> DateFormat? {
        guard let text = nonEmptyString() else { return nil }
        do {
            return try DateFormat(text)
        } catch {
            return refuse(error.message)
        }
    }

    private func words() -> BoolWords? {
        let whenTrue = self["true"].map { $0.word() } ?? .string("true")
        let whenFalse = self["false"].map { $0.word() } ?? .string("false")
        guard let whenTrue, let whenFalse else { return nil }
        return BoolWords(true: whenTrue, false: whenFalse)
            ?? refuse("\"true\" and \"false\" are the same word")
    }

    /// Reads a value that represents a boolean: text or a whole number.
    private func word() -> Value? {
        if let number = value.integer { return .int64(number) }
        guard value.kind == .string else { return mismatch("a string or a whole number") }
        return nonEmptyString().map(Value.string)
    }
}
