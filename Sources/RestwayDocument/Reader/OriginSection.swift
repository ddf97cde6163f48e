import RestwayMapping
import RestwayObjects

/// Reads the place from which an attribute comes, if its value does not stand in the JSON of its
/// object.
struct OriginReader {
    /// The keys that say how a value in the JSON is read or written.
    private static let keysOfJSON = ["source", "transform", "format", "constant", "default"]

    /// `{"variable": name}`, `{"header": name}`, `{"parent": name}` or `{"key": true}`.
    let node: DocumentNode
    /// The attribute.
    let attribute: DocumentNode

    /// Returns the place; nil if it has a problem, which was reported.
    func origin(_ shape: ValueShape, _ rules: ValueRules) -> AttributeOrigin? {
        for key in Self.keysOfJSON {
            attribute[key]?.report("stands beside \"from\", which says where the value comes from")
        }
        guard let object = node.object(.attributeFrom) else { return nil }
        let (variable, header) = (object["variable"], object["header"])
        let (parent, key) = (object["parent"], object["key"])
        guard [variable, header, parent, key].count(where: { $0 != nil }) == 1 else {
            return node.refuse(
                "must have one of \"variable\", \"header\", \"parent\" and \"key\"")
        }
        if let variable {
            checkType(shape, "the path")
            return variable.nonEmptyString().map { .variable($0) }
        }
        if let header {
            checkType(shape, "a header")
            guard let name = header.string(), header.checkHeaderName(name) else { return nil }
            return .header(name)
        }
        if let parent { return parent.nonEmptyString().map { .parent($0) } }
        guard let key, let isKey = key.bool() else { return nil }
        if !isKey { return key.refuse("must be true") }
        checkKey(shape, rules)
        return .key
    }

    private func checkType(_ shape: ValueShape, _ place: String) {
        guard shape.isCollection || !shape.innermost.hasValuesOfTexts else { return }
        attribute["type"]?.report(
            "a text of \(place) is a string, int, double, bool, date or any")
    }

    private func checkKey(_ shape: ValueShape, _ rules: ValueRules) {
        if shape.isCollection || ![.string, .int, .any].contains(shape.innermost) {
            attribute["type"]?.report("a key is a string, int or any")
        }
        guard rules.isClosed else { return }
        attribute["closed"]?.report("stands beside a key, which is not checked")
    }
}

/// The attribute of linked objects that has their keys in a map.
enum MapKeyName: Sendable {
    case attribute(String)
    /// The attribute that is declared to come from the key.
    case declared
}
