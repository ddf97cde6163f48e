import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects

/// Reads the constant, the default and the listed values of an attribute, and whether it is sent.
struct ValueRulesReader {
    private static let keysWithoutConstant = ["default", "values", "closed"]

    let object: DocumentNode
    let shape: ValueShape

    /// The rules; what has a problem is reported and left out.
    func rules() -> ValueRules {
        var rules = ValueRules()
        rules.isReadOnly = object["readOnly"]?.bool() ?? false
        if let node = object["constant"] {
            for key in Self.keysWithoutConstant {
                object[key]?.report("stands beside \"constant\"")
            }
            if shape.isCollection {
                node.report("is for single values, not for \(shape.withArticle)")
            } else {
                rules.constant = single(node)
            }
            return rules
        }
        let values = object["values"]
        if let values { rules.listed = listed(values) }
        if let node = object["closed"] {
            rules.isClosed = node.bool() ?? false
            if values == nil { node.report("stands without \"values\"") }
        }
        if let node = object["default"], let value = fitting(node, shape) {
            rules.initial = value
            if rules.isClosed, !shape.isCollection, !rules.accepts(value) {
                node.report("\(value.nameForMessages) is not one of \"values\"")
            }
        }
        // The problems of a list that is empty now were reported.
        rules.isClosed = rules.isClosed && !rules.listed.isEmpty
        return rules
    }

    private func listed(_ node: DocumentNode) -> [Value] {
        guard let nodes = node.elements() else { return [] }
        if nodes.isEmpty { node.report("must not be empty") }
        var values: [Value] = []
        for node in nodes {
            guard let value = single(node) else { continue }
            if values.contains(where: { $0.isSame(as: value) }) {
                node.report("stands twice")
            } else {
                values.append(value)
            }
        }
        return values
    }

    /// Reads one value of the innermost type, which is not null.
    private func single(_ node: DocumentNode) -> Value? {
        guard shape.innermost != .json else {
            return node.refuse("is not for values of type json")
        }
        switch node.value.kind {
        case .null, .object, .array: return node.mismatch("a string, a number or a boolean")
        default: return fitting(node, .one(shape.innermost))
        }
    }

    private func fitting(_ node: DocumentNode, _ shape: ValueShape) -> Value? {
        do throws(TransformError) {
            return try shape.canonical(WireValue(node.value), JanssonMapper())
        } catch {
            return node.refuse("does not fit the type: \(error.reason)")
        }
    }
}

extension ValueConversion {
    /// Returns a conversion that accepts what the rules of an attribute accept.
    ///
    /// - Parameter innermost: The conversion of single values; `nil` for the conversion of their
    ///   type.
    init(_ shape: ValueShape, innermost: ValueConversion?, _ rules: ValueRules) {
        guard let accepted = rules.accepted else {
            self.init(shape, innermost: innermost)
            return
        }
        let conversion = innermost ?? ValueConversion(shape.innermost)
        self.init(shape, innermost: .among(accepted, conversion))
    }
}
