import RestwayJSON
import RestwayMapping
import RestwayObjects

/// Reads how values of one type are converted: a format or a transform, or a list of them.
struct ConversionReader {
    let node: DocumentNode
    let type: AttributeType

    /// Reads a transform, or a list of transforms that are tried in order.
    func transforms() -> ValueConversion? { firstOf { Self(node: $0, type: type).transform() } }

    /// Reads the format of a date, or a list of formats that are tried in order.
    func dateFormats() -> ValueConversion? {
        firstOf { Self(node: $0, type: type).dateFormat().map(ValueConversion.date) }
    }

    /// The types for which built-in transforms exist.
    static let typesOfTransforms: [String: [String]] = [
        "iso8601": ["date"], "epoch": ["date"], "epochMilliseconds": ["date"], "date": ["date"],
        "boolWords": ["bool"], "numberText": ["int", "double", "string"], "url": ["string"],
        "base64": ["bytes", "string"], "plain": AttributeType.allCases.map(\.rawValue),
    ]

    private func firstOf(_ read: (DocumentNode) -> ValueConversion?) -> ValueConversion? {
        guard node.value.kind == .array else { return read(node) }
        guard let nodes = node.elements() else { return nil }
        if nodes.isEmpty { return node.refuse("must not be empty") }
        let conversions = nodes.compactMap(read)
        return conversions.count == nodes.count ? .firstOf(conversions) : nil
    }

    /// Reads a transform: its name, or `{"name", ...}` with its options.
    private func transform() -> ValueConversion? {
        let isName = node.value.kind == .string
        guard isName || node.value.kind == .object else {
            return node.mismatch("a transform's name or an object")
        }
        let named = isName ? node : node.required("name")
        guard let name = named?.nonEmptyString() else { return nil }
        let known: [String: DocumentObject] = [
            "date": .dateTransformWithFormat, "boolWords": .boolWords,
        ]
        guard isName || node.object(known[name] ?? .customTransformWithName) != nil else {
            return nil
        }
        switch (name, type) {
        case ("plain", _): return ValueConversion(type)
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
            return node.refuse(
                "transform \"\(name)\" is for type \(all), not for \(type.rawValue)")
        }
    }

    private func patternOfDate() -> DateFormat? {
        guard node.value.kind == .object else {
            return node.refuse(
                "a transform \"date\" needs a format: {\"name\": \"date\", \"format\": ...}")
        }
        return node.required("format").flatMap { Self(node: $0, type: type).dateFormat() }
    }

    private func dateFormat() -> DateFormat? {
        guard let text = node.nonEmptyString() else { return nil }
        do {
            return try DateFormat(text)
        } catch {
            return node.refuse(error.message)
        }
    }

    private func words() -> BoolWords? {
        let whenTrue = node["true"].map(Self.word) ?? .string("true")
        let whenFalse = node["false"].map(Self.word) ?? .string("false")
        guard let whenTrue, let whenFalse else { return nil }
        return BoolWords(true: whenTrue, false: whenFalse)
            ?? node.refuse("\"true\" and \"false\" are the same word")
    }

    /// Reads a value that represents a boolean: text or a whole number.
    private static func word(_ node: DocumentNode) -> Value? {
        if let number = node.value.integer { return .int64(number) }
        guard node.value.kind == .string else {
            return node.mismatch("a string or a whole number")
        }
        return node.nonEmptyString().map(Value.string)
    }
}

extension DocumentNode {
    /// Reads the conversion of an attribute or of the value of an answer, which is its `format` or
    /// its `transform`.
    ///
    /// - Parameter type: The type of the value; `nil` if it is unknown.
    func ownConversion(_ type: AttributeType?) -> ValueConversion? {
        var conversion: ValueConversion?
        if let node = self["format"], let type {
            if type == .date {
                conversion = ConversionReader(node: node, type: type).dateFormats()
            } else {
                node.report("only an attribute of type \"date\" has a format")
            }
        }
        guard let node = self["transform"] else { return conversion }
        if self["format"] != nil {
            node.report("stands beside \"format\"; write one or the other")
        }
        return type.flatMap { ConversionReader(node: node, type: $0).transforms() } ?? conversion
    }
}
