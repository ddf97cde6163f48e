/// The rules of the API document for the values of an attribute, beside their type.
package struct ValueRules: Equatable, Sendable {
    /// The value that the attribute has in every object, and in every request; `nil` if objects
    /// differ.
    package var constant: Value?
    /// The value of objects that an answer creates without a value.
    package var initial: Value?
    /// The values that the document lists; empty if it lists none. In a list or a map of values
    /// they are the innermost values.
    package var listed: [Value] = []
    /// Whether only the listed values are accepted.
    package var isClosed = false
    /// Whether objects are written without the attribute, because the server alone decides about
    /// it.
    package var isReadOnly = false

    package init() {}

    /// The value of objects that an answer creates without a value; `nil` if they have no value.
    package var fallback: Value? { constant ?? initial }

    /// Returns whether the document lists a single value. Null, and every value of an attribute
    /// without listed values, count as listed.
    package func lists(_ value: Value) -> Bool {
        value == .null || value == .absent || listed.isEmpty
            || listed.contains { $0.isSame(as: value) }
    }

    /// The values that the attribute accepts, which for a closed list include null; `nil` for all
    /// values of its type.
    package var accepted: [Value]? {
        if let constant { return [constant] }
        return isClosed ? listed + [.null] : nil
    }

    /// Returns whether the attribute accepts a single value, which fits its type.
    package func accepts(_ value: Value) -> Bool {
        accepted?.contains { $0.isSame(as: value) } ?? true
    }
}

extension [Value] {
    /// The number of values that a message names.
    private static var namedMax: Int { 8 }

    /// The values but null as a message names them: `one of "open", "closed"`.
    package var alternatives: String {
        let values = filter { $0 != .null }
        let names = values.prefix(Self.namedMax).map(\.nameForMessages)
        let list = names.joined(separator: ", ") + (values.count > Self.namedMax ? ", …" : "")
        return values.count == 1 ? list : "one of \(list)"
    }
}

extension Value {
    /// The longest text that a message shows.
    private static var shownMax: Int { 32 }

    /// A single value as a message shows it beside listed values.
    package var nameForMessages: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .int64(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let text): Self.shown(text)
        default: withArticle
        }
    }

    private static func shown(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(shownMax)
        let isWhole = start.endIndex == text.endIndex
        return "\"\(Substring(start))\(isWhole ? "" : "…")\""
    }
}

/// The values that objects of an entity have if an answer creates them without these values.
///
/// The text of the cells is at an offset in `bytes`.
struct DefaultValues: Sendable {
    private let cells: [Int: Cell]
    private let bytes: [UInt8]

    /// Makes the defaults of those attributes that an entity itself has; `nil` if no attribute of
    /// its family has a default.
    init?(_ attributes: [Attribute], of shape: EntityShape) {
        guard attributes.contains(where: { $0.rules.fallback != nil }) else { return nil }
        var (cells, bytes, keys) = ([Int: Cell](), [UInt8](), [Int64]())
        for (index, attribute) in attributes.enumerated() where shape.owns(index) {
            guard let value = attribute.rules.fallback else { continue }
            cells[index] = value.cell(appendingTo: &bytes, &keys)
        }
        // An empty array may have no address.
        bytes.append(0)
        self.cells = cells
        self.bytes = bytes
    }

    /// Returns a copy of an object that the entity has brought, with the defaults in place of
    /// absent values; `nil` if the object lacks no default.
    func completed(_ object: Snapshot) -> Snapshot? {
        withExtendedLifetime(object) {
            let present = object.cells
            guard cells.keys.contains(where: { present[$0].isAbsent }) else { return nil }
            return bytes.withUnsafeBytes { bytes in
                Snapshot.make(object.entity, isLoaded: object.isLoaded) { index in
                    guard present[index].isAbsent, let cell = cells[index] else {
                        return present[index]
                    }
                    return cell.placed(besides: bytes.baseAddress!)
                }
            }
        }
    }
}
