import RestwayJansson
import RestwayMapping
import RestwayObjects

/// Collects the values of one attribute: single values, or lists of values as a column of lists.
/// A map of values is a column of JSON texts.
enum AttributeColumn {
    case single(ColumnBuilder)
    case list(ListColumnBuilder)

    init(_ attribute: Attribute) {
        if case .list(let element) = attribute.shape {
            self = .list(ListColumnBuilder(name: attribute.name, element))
        } else {
            self = .single(ColumnBuilder(attribute))
        }
    }

    func append(_ objects: ArraySlice<Snapshot>, attribute index: Int) {
        switch self {
        case .single(let column): column.append(objects, attribute: index)
        case .list(let column): for object in objects { column.append(object.value(at: index)) }
        }
    }

    @inline(__always)
    func append(_ cell: Cell) {
        switch self {
        case .single(let column): column.append(cell)
        case .list(let column): column.append(Value(cell))
        }
    }

    func appendNull() {
        switch self {
        case .single(let column): column.appendNull()
        case .list(let column): column.appendNull()
        }
    }

    func finish() -> Column {
        switch self {
        case .single(let column): column.finish()
        case .list(let column): column.finish()
        }
    }
}

/// Collects lists of values as a column of lists.
final class ListColumnBuilder {
    private let name: String
    private let element: ValueShape
    private let elements: AttributeColumn
    private var elementCount = 0
    private var count = 0
    private var ends = ValueEnds()
    private var mask = NullMask()
    private let json = JanssonMapper()

    /// - Parameter element: The form of the elements.
    init(name: String, _ element: ValueShape) {
        self.name = name
        self.element = element
        elements = AttributeColumn(Attribute(name: "item", shape: element))
    }

    deinit {
        ends.free()
        mask.free()
    }

    /// Appends the list of an object. A value of another form, for example from a file that was
    /// edited by hand, counts as null.
    func append(_ value: Value) {
        guard case .json(let text) = value,
            case .list(let list)? = try? ValueShape.list(element).values(of: text, json)
        else { return appendNull() }
        append(list)
    }

    private func append(_ list: [WireValue]) {
        for value in list { append(element: value) }
        elementCount += list.count
        mask.appendValue()
        count += 1
        ends.append(elementCount)
    }

    private func append(element value: WireValue) {
        switch (elements, value) {
        case (.list(let column), .list(let inner)): column.append(inner)
        case (.single(let column), .leaf(let value)): value.withCell { column.append($0) }
        case (.single(let column), _): append(value, asJSONTo: column)
        case (.list(let column), _): column.appendNull()
        }
    }

    private func append(_ value: WireValue, asJSONTo column: ColumnBuilder) {
        guard case .json(let text)? = try? ValueShape.one(.json).canonical(value, json) else {
            return column.appendNull()
        }
        Value.json(text).withCell { column.append($0) }
    }

    func appendNull() {
        mask.appendNull(after: count)
        count += 1
        ends.append(elementCount)
    }

    func finish() -> Column {
        let (nullCount, bitmap) = (mask.nullCount, mask.take())
        let (offsets, areLarge) = ends.take()
        return Column(
            name: name, format: areLarge ? "+L" : "+l", count: count, nullCount: nullCount,
            buffers: [bitmap, offsets], children: [elements.finish()])
    }
}
