import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwayThreads

/// The section `transforms`, and the transforms of attributes.
extension DocumentReader {
    /// Reads the transforms of types: `{"date": "epoch", "bool": {"name": "boolWords", ...}}`.
    mutating func readTransforms(_ node: DocumentNode) {
        let types = AttributeType.allCases.map(\.rawValue)
        guard let object = node.object(types) else { return }
        let members: [(type: AttributeType, member: DocumentNode?)] = [
            (.any, object["any"]), (.bool, object["bool"]), (.int, object["int"]),
            (.double, object["double"]), (.string, object["string"]), (.date, object["date"]),
            (.bytes, object["bytes"]), (.json, object["json"]),
        ]
        for (type, member) in members {
            guard let member, let conversion = member.conversion(type) else { continue }
            definition.conversions[type] = conversion
            remember(conversion, at: member.path)
        }
    }

    /// Remembers that the program's transform stands at `path`. A client reports a missing
    /// transform when it begins.
    mutating func remember(_ conversion: ValueConversion, at path: String?) {
        guard let path, case .custom(let name, _) = conversion else { return }
        definition.transformNames.add(name, at: path)
    }
}

extension DocumentNode {
    /// Reads a transform for values of `type`: its name, or `{"name", ...}` with its options.
    func conversion(_ type: AttributeType) -> ValueConversion? {
        if value.kind == .string {
            return nonEmptyString().flatMap { conversion($0, DocumentObject(node: self), type) }
        }
        guard value.kind == .object else {
            report("must be a transform's name or an object, is \(value.kind.withArticle)")
            return nil
        }
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
        guard let node = object.required("format"), let text = node.nonEmptyString() else {
            return nil
        }
        do {
            return try DateFormat(text)
        } catch {
            node.report(error.message)
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
        guard value.kind == .string else {
            report("must be a string or a whole number, is \(value.kind.withArticle)")
            return nil
        }
        return nonEmptyString().map(Value.string)
    }
}
