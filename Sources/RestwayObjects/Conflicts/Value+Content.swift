import RestwayJSON

/// Compares values by what they mean to a server.
extension Value {
    /// Whether both mean the same to a server: numbers have the same value, and JSON texts have the
    /// same content, whatever the order of members and the white space.
    package func hasSameContent(as other: Value) -> Bool {
        if isSame(as: other) { return true }
        switch (self, other) {
        case (.int64(let integer), .double(let double)),
            (.double(let double), .int64(let integer)):
            return Int64(exactly: double) == integer
        case (.json(let own), .json(let its)):
            guard let own = JSONContent(own), let its = JSONContent(its) else { return false }
            return own == its
        default: return false
        }
    }

    /// The elements of a JSON array; `nil` for other values.
    var listElements: [JSONElement]? {
        guard case .json(let text) = self,
            let list = try? JSONValue.parse(text, JSONContent.options)
        else { return nil }
        return list.withTree { $0.elements?.map(JSONElement.init) }
    }
}

/// An element of a JSON array.
struct JSONElement {
    let text: String
    let content: JSONContent

    init(_ tree: JSONTree) {
        text = String(decoding: tree.text(), as: UTF8.self)
        content = JSONContent(tree)
    }
}

/// The content of a JSON value: members have no order, and 1 equals 1.0.
indirect enum JSONContent: Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    /// A number that is out of range.
    case digits(String)
    /// The text in UTF-8: strings of Swift ignore how accents are written.
    case string([UInt8])
    case array([JSONContent])
    case object([[UInt8]: JSONContent])

    static let options = JSONValue.ParseOptions.validJSON(keepsDigits: false)

    /// Returns `nil` if the text is not JSON.
    init?(_ text: String) {
        guard let value = try? JSONValue.parse(text, Self.options) else { return nil }
        self = value.withTree { JSONContent($0) }
    }

    init(_ tree: JSONTree) {
        switch tree.kind {
        case .null: self = .null
        case .boolean: self = .bool(tree.bool ?? false)
        case .integer: self = .integer(tree.integer ?? 0)
        case .real:
            let double = tree.double ?? 0
            self = Int64(exactly: double).map { .integer($0) } ?? .double(double)
        case .string: self = tree.digits.map { .digits($0) } ?? .string(tree.stringBytes ?? [])
        case .array: self = .array((tree.elements ?? []).map { JSONContent($0) })
        case .object:
            self = .object(
                Dictionary(
                    (tree.members ?? []).map { (Array($0.key.utf8), JSONContent($0.value)) }
                ) { $1 })
        }
    }
}
