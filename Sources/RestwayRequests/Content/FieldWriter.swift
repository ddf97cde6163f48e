import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayText

/// Flattens a value into the fields of a form or a query: what JSON would nest becomes part of the
/// names.
struct FieldWriter {
    /// The rules of one kind of field, where everything is decided.
    struct Style {
        let lists: FormRules.Lists
        let nesting: FormRules.Nesting

        /// The style of bodies.
        static func body(_ rules: FormRules) -> Style {
            Style(lists: rules.lists ?? .brackets, nesting: rules.nesting ?? .brackets)
        }

        /// The style of queries, where lists usually repeat their name.
        static func query(_ rules: FormRules) -> Style {
            Style(lists: rules.lists ?? .repeat, nesting: rules.nesting ?? .brackets)
        }
    }

    /// An open object or list.
    private struct Container {
        /// The name of the object or the list; `nil` for the outermost object.
        let name: String?
        /// The key of the next member of an object.
        var key: String?
        /// The index of the next element of a list.
        var index = 0
    }

    let style: Style
    let json: any Mapper
    let limits: MappingLimits

    /// Returns the fields of an object, in the order of its members.
    func fields(of object: WireObject) throws(MapperError) -> [FormField] {
        try fields(of: .object(object), named: nil)
    }

    /// Returns the fields of a value, with the texts that a JSON writer would write. An empty
    /// object or list has no field.
    ///
    /// - Parameter name: `nil` for an object whose members are not nested.
    func fields(of value: WireValue, named name: String?) throws(MapperError) -> [FormField] {
        var reader = ValueReader(value, json: json, limits: limits)
        var open: [Container] = []
        var fields: [FormField] = []
        while true {
            switch try reader.next() {
            case .end: return fields
            case .beginObject, .beginArray:
                open.append(Container(name: open.isEmpty ? name : nextName(in: &open)))
            case .endObject, .endArray:
                open.removeLast()
            case .key(let key):
                open[open.count - 1].key = key
            case let scalar:
                let text = try Self.text(scalar)
                let name = open.isEmpty ? name : nextName(in: &open)
                fields.append(FormField(name: name ?? "", text: text))
            }
        }
    }

    /// Returns the name of the next member or element of the innermost container.
    private func nextName(in open: inout [Container]) -> String {
        let last = open.count - 1
        let container = open[last]
        if let key = container.key {
            guard let name = container.name else { return key }
            return style.nesting == .dots ? "\(name).\(key)" : "\(name)[\(key)]"
        }
        open[last].index += 1
        let name = container.name ?? ""
        // The program has written the brackets itself, as in "match[]".
        if name.utf8.suffix(2).elementsEqual("[]".utf8) { return name }
        return switch style.lists {
        case .brackets: "\(name)[]"
        case .indices: "\(name)[\(container.index)]"
        case .repeat: name
        }
    }

    /// Returns the text of a scalar; `nil` for null.
    private static func text(_ scalar: ValueReader.Step) throws(MapperError) -> String? {
        switch scalar {
        case .bool(let value): return value ? "true" : "false"
        case .int64(let value): return String(value)
        case .double(let value):
            guard let number = JSONValue.real(value) else {
                throw MapperError("a number is infinite or not-a-number: no field can hold it")
            }
            return String(decoding: number.text(), as: UTF8.self)
        case .string(let text), .numberText(let text): return text
        case .bytes(let bytes): return Base64.encode(bytes)
        case .date(let date): return DateFormat.iso8601.format(date)
        case .null, .end, .key, .beginObject, .endObject, .beginArray, .endArray: return nil
        }
    }
}
