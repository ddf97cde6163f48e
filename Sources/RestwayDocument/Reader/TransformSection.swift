import RestwayJSON
package import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayRouting
import RestwayText

/// The transforms and hooks that a document names, and those that the program has registered.
package struct ProgramFunctions: Sendable {
    /// Names that a document mentions, each with the path of its first mention.
    private struct Mentions {
        var all: [Pair] = []
        var names: Set<String> = []

        mutating func add(_ name: String, at path: String) {
            if names.insert(name).inserted { all.append(Pair(name: name, value: path)) }
        }
    }

    /// The program's transforms by name.
    package var transforms: [String: CustomTransform] = [:]
    /// The program's hooks by name.
    package var hooks: [String: Hook] = [:]
    private var mentionedTransforms = Mentions()
    private var mentionedHooks = Mentions()

    /// Remembers that `conversion` stands at `path`, in case it is a transform of the program.
    mutating func mention(_ conversion: ValueConversion, at path: String) {
        guard case .custom(let name, _) = conversion else { return }
        mentionedTransforms.add(name, at: path)
    }

    /// Remembers that a hook stands at `path`.
    mutating func mention(hook name: String, at path: String) {
        mentionedHooks.add(name, at: path)
    }

    /// The functions that the document names and the program has not registered. A client reports
    /// them when it begins.
    package var missing: [Failure.Detail] {
        mentionedTransforms.all.filter { transforms[$0.name] == nil }.map {
            Failure.Detail(
                path: $0.value, message: "transform \"\($0.name)\" is neither built in nor added")
        }
            + mentionedHooks.all.filter { hooks[$0.name] == nil }.map {
                Failure.Detail(path: $0.value, message: "hook \"\($0.name)\" has not been added")
            }
    }

    /// Whether mapping a response may call functions of the program.
    package var mayRunWhileMapping: Bool { !transforms.isEmpty || !hooks.isEmpty }

    /// Whether writing an object may call functions of the program.
    package var mayRunWhileEncoding: Bool { transforms.values.contains { $0.encode != nil } }
}

/// The section `transforms`, and the transforms of attributes.
extension DocumentNode {
    /// Reads a transform for values of `type`: its name, or `{"name", ...}` with its options.
    package func conversion(_ type: AttributeType) -> ValueConversion? {
        if value.kind == .string {
            return nonEmptyString().flatMap { conversion($0, DocumentObject(node: self), type) }
        }
        guard value.kind == .object else { return mismatch("a transform's name or an object") }
        guard let name = DocumentObject(node: self).required("name")?.nonEmptyString() else {
            return nil
        }
        let options: [String] =
            switch name {
            case "date": ["name", "format"]
            case "boolWords": ["name", "true", "false"]
            default: ["name"]
            }
        guard let object = object(options) else { return nil }
        return conversion(name, object, type)
    }

    private func conversion(
        _ name: String, _ object: DocumentObject, _ type: AttributeType
    ) -> ValueConversion? {
        switch (name, type) {
        case ("iso8601", .date), ("epoch", .date), ("epochMilliseconds", .date):
            return (try? DateFormat(name)).map(ValueConversion.date)
        case ("date", .date): return dateFormat(object).map(ValueConversion.date)
        case ("boolWords", .bool): return words(object).map(ValueConversion.boolWords)
        case ("numberText", .int): return .intText
        case ("numberText", .double): return .doubleText
        case ("numberText", .string): return .numberAsText
        case ("url", .string): return .url
        case ("base64", .bytes): return .base64Bytes
        case ("base64", .string): return .base64Text
        default:
            guard let types = Self.typesOfTransforms[name] else { return .custom(name, type) }
            let all = types.joined(separator: ", ")
            report("transform \"\(name)\" is for type \(all), not for \(type.rawValue)")
            return nil
        }
    }

    /// The types for which built-in transforms exist.
    static let typesOfTransforms: [String: [String]] = [
        "iso8601": ["date"], "epoch": ["date"], "epochMilliseconds": ["date"], "date": ["date"],
        "boolWords": ["bool"], "numberText": ["int", "double", "string"], "url": ["string"],
        "base64": ["bytes", "string"],
    ]

    private func dateFormat(_ object: DocumentObject) -> DateFormat? {
        guard value.kind == .object else {
            report("a transform \"date\" needs a format: {\"name\": \"date\", \"format\": ...}")
            return nil
        }
        return object.required("format")?.dateFormat()
    }

    /// Reads the pattern of a date.
    package func dateFormat() -> DateFormat? {
        guard let text = nonEmptyString() else { return nil }
        do {
            return try DateFormat(text)
        } catch {
            report(error.message)
            return nil
        }
    }

    private func words(_ object: DocumentObject) -> BoolWords? {
        guard value.kind == .object else { return BoolWords() }
        let whenTrue = object["true"].map { $0.word() } ?? .string("true")
        let whenFalse = object["false"].map { $0.word() } ?? .string("false")
        guard let whenTrue, let whenFalse else { return nil }
        if let words = BoolWords(true: whenTrue, false: whenFalse) { return words }
        report("\"true\" and \"false\" are the same word")
        return nil
    }

    /// Reads a value that represents a boolean: text or a whole number.
    private func word() -> Value? {
        if let number = value.integer { return .int64(number) }
        guard value.kind == .string else { return mismatch("a string or a whole number") }
        return nonEmptyString().map(Value.string)
    }
}
