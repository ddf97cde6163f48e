import RestwayJSON
import RestwayJansson
import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayText

/// Writes whole objects as JSON text, with the objects that their relationships lead to.
///
/// A value that has never been received or set is left out. The text is checked against its largest
/// length after each value, so it exceeds that length by one value at most.
package struct ObjectText {
    package struct Options: Sendable {
        /// How many relationships the text follows, one behind the other.
        package var depth = 0
        /// Whether values whose type JSON cannot show are marked.
        package var marksValues = false
        /// Whether each object begins with its entity, its identity and its absent attributes.
        package var namesEntities = false
        /// The largest length of the text in bytes.
        package var lengthMax = 1 << 30

        package init() {}
    }

    /// No text follows more relationships than this, one behind the other.
    package static let depthMax = 16

    private let options: Options
    /// The store in which relationships are followed.
    private let store: ObservedStore?
    private var text = JSONText(capacity: 256)
    /// The objects that the present place of the text is inside of, the outermost first.
    private var enclosing: [Snapshot] = []

    private init(_ options: Options, _ store: ObservedStore?) {
        self.options = options
        self.store = store
    }

    /// Returns the text of an object.
    ///
    /// - Parameter store: The store of the object; it may be `nil` if no relationship is followed.
    package static func of(
        _ object: Snapshot, _ options: Options, in store: ObservedStore?
    ) throws(Failure) -> [UInt8] {
        var writer = ObjectText(options, store)
        try writer.append(object)
        return writer.text.bytes
    }

    /// Returns the text of a list of objects.
    package static func of(
        _ objects: ArraySlice<Snapshot>, _ options: Options, in store: ObservedStore?
    ) throws(Failure) -> [UInt8] {
        var writer = ObjectText(options, store)
        try writer.append(objects)
        return writer.text.bytes
    }

    /// Returns the text of one value.
    static func json(of cell: Cell) -> [UInt8] {
        var writer = ObjectText(Options(), nil)
        writer.append(cell)
        return writer.text.bytes
    }

    private mutating func append(_ objects: ArraySlice<Snapshot>) throws(Failure) {
        text.append("[")
        for (place, object) in objects.enumerated() {
            if place > 0 { text.append(",") }
            try append(object)
        }
        text.append("]")
        try checkLength()
    }

    private mutating func append(_ object: Snapshot) throws(Failure) {
        let isInsideItself = enclosing.contains { $0.isSame(as: object) }
        text.append("{")
        var isFirst = true
        if options.namesEntities {
            appendHead(of: object)
            isFirst = false
        }
        for (index, attribute) in object.entity.attributes.enumerated() {
            if isInsideItself, !object.entity.isIdentity(attribute: index) { continue }
            let cell = object.cell(at: index)
            if cell.isAbsent { continue }
            appendName(attribute.name, &isFirst)
            withExtendedLifetime(object) {
                if !options.marksValues || !appendMarked(cell, attribute.shape) { append(cell) }
            }
            try checkLength()
        }
        if !isInsideItself, enclosing.count < options.depth {
            enclosing.append(object)
            try appendRelationships(of: object, &isFirst)
            enclosing.removeLast()
        }
        text.append("}")
        try checkLength()
    }

    private mutating func appendHead(of object: Snapshot) {
        text.append("\"$entity\":")
        text.append(string: object.entity.name)
        text.append(",\"$identity\":")
        withExtendedLifetime(object) {
            if object.entity.hasIdentityParts, object.identityCell.isText {
                text.append(json: object.identityCell.text)
            } else {
                append(object.identityCell)
            }
        }
        text.append(",\"$absent\":[")
        var isFirst = true
        for (index, attribute) in object.entity.attributes.enumerated()
        where object.cell(at: index).isAbsent {
            if !isFirst { text.append(",") }
            isFirst = false
            text.append(string: attribute.name)
        }
        text.append("]")
    }

    private mutating func appendName(_ name: String, _ isFirst: inout Bool) {
        if !isFirst { text.append(",") }
        isFirst = false
        text.append(string: name)
        text.append(":")
    }

    private mutating func appendRelationships(
        of object: Snapshot, _ isFirst: inout Bool
    ) throws(Failure) {
        guard let store else { return }
        for (index, relationship) in object.entity.relationships.enumerated() {
            let cell = object.relationshipCell(at: index)
            if cell.isAbsent { continue }
            appendName(relationship.name, &isFirst)
            let related = try store.related(object, relationship: index)
            if cell.isList {
                try append(related[...])
            } else if let one = related.first {
                try append(one)
            } else {
                text.append("null")
            }
        }
    }

    // MARK: Values

    private mutating func append(_ cell: Cell) {
        switch cell.kind {
        case .bool: text.append(cell.integer != 0 ? "true" : "false")
        case .int64: text.append(integer: cell.integer)
        case .double: append(cell.double)
        case .string: text.append(repairing: cell.text)
        case .date where options.marksValues:
            text.append("{\"$date\":")
            text.append(integer: cell.integer)
            text.append("}")
        case .date: text.append(string: DateFormat.iso8601.format(cell.integer))
        case .bytes: append(text: Base64.encode(Array(cell.text)), mark: "$bytes")
        case .json where options.marksValues:
            text.append("{\"$json\":")
            text.append(repairing: cell.text)
            text.append("}")
        case .json: text.append(json: cell.text)
        case .null, .absent, .object, .list: text.append("null")
        }
    }

    /// Appends a list or a map whose values have a type that JSON cannot show. Returns whether it
    /// is such a list or map.
    private mutating func appendMarked(_ cell: Cell, _ shape: ValueShape) -> Bool {
        guard shape.isCollection, shape.innermost == .date || shape.innermost == .bytes,
            case .json(let json) = Value(cell),
            let values = try? shape.values(of: json, JanssonMapper())
        else { return false }
        append(values)
        return true
    }

    private mutating func append(_ value: WireValue) {
        switch value {
        case .leaf(let value): value.withCell { append($0) }
        case .list(let elements):
            text.append("[")
            for (place, element) in elements.enumerated() {
                if place > 0 { text.append(",") }
                append(element)
            }
            text.append("]")
        case .object(let object):
            text.append("{\"$map\":[")
            for (place, key) in object.keys.enumerated() {
                text.append(place > 0 ? ",[" : "[")
                text.append(string: key)
                text.append(",")
                append(object[key] ?? .leaf(.null))
                text.append("]")
            }
            text.append("]}")
        }
    }

    private mutating func append(_ double: Double) {
        if double.isFinite { return text.append(real: double) }
        guard options.marksValues else { return text.append("null") }
        let name = double.isNaN ? "NaN" : double > 0 ? "Infinity" : "-Infinity"
        append(text: name, mark: "$double")
    }

    /// Appends a text, inside an object with the member `mark` if values are marked.
    private mutating func append(text content: String, mark: String) {
        guard options.marksValues else { return text.append(string: content) }
        text.append("{")
        text.append(string: mark)
        text.append(":")
        text.append(string: content)
        text.append("}")
    }

    private func checkLength() throws(Failure) {
        guard text.bytes.count > options.lengthMax else { return }
        throw Failure(
            .tooLarge, "the JSON text is longer than the \(options.lengthMax) bytes allowed",
            field: "length_max")
    }
}
