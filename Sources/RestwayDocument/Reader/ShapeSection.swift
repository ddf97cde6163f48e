import RestwayJSON
import RestwayObjects

extension ValueShape {
    /// The deepest nesting of lists and maps of values.
    private static let depthMax = 8

    /// Reads the form of values: the name of a type, a list (`["string"]`) or a map
    /// (`{"*": "int"}`) of values of one form. A problem is reported and gives `nil`.
    static func read(_ node: DocumentNode, depth: Int = 0) -> ValueShape? {
        guard depth <= depthMax else {
            return node.refuse("lists and maps nest deeper than \(depthMax)")
        }
        switch node.value.kind {
        case .array:
            guard let elements = node.elements() else { return nil }
            guard elements.count == 1 else {
                return node.refuse("a list has one type for all its elements: [\"string\"]")
            }
            return read(elements[0], depth: depth + 1).map(ValueShape.list)
        case .object:
            let inner = node.object(.mapType)?.required("*")
            return inner.flatMap { read($0, depth: depth + 1) }.map(ValueShape.map)
        default:
            let type: AttributeType? = node.choice("type")
            return type.map(ValueShape.one)
        }
    }
}
