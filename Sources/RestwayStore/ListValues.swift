import RestwayJansson
package import RestwayMapping
package import RestwayObjects
package import RestwayOutcome

/// Lists and maps of values that the program gives.
extension Entity {
    /// Returns a list or a map of the program as attribute `index` keeps it.
    package func canonical(_ value: WireValue, for index: Int) throws(Failure) -> Value {
        let attribute = attributes[index]
        do throws(TransformError) {
            return try attribute.shape.canonical(
                value, JanssonMapper(), accepted: attribute.rules.accepted)
        } catch {
            throw Failure(
                .invalidArgument, "\(name).\(attribute.name): \(error.reason)",
                field: attribute.name)
        }
    }

    /// Returns a value of the program as an element of the lists of attribute `index`.
    package func element(_ value: WireValue, ofList index: Int) throws(Failure) -> ListElement {
        let attribute = attributes[index]
        guard case .list = attribute.shape else {
            throw Failure(
                .invalidArgument, "\(name).\(attribute.name) is no list of values",
                field: attribute.name)
        }
        guard case .json(let text) = try canonical(.list([value]), for: index) else {
            preconditionFailure("a list became no JSON text")
        }
        let plain: Value = if case .leaf(let value) = value { value } else { .absent }
        return ListElement(text: String(text.dropFirst().dropLast()), value: plain)
    }

    /// Returns the element that a condition looks for in the lists of attribute `index`.
    func element(_ value: Value, soughtIn index: Int) throws(Failure) -> ListElement {
        let attribute = attributes[index]
        guard let type = attribute.shape.searchable else {
            throw Failure(
                .invalidArgument,
                "\(name).\(attribute.name) is no list of values of one type, so it contains none",
                field: attribute.name)
        }
        guard let fitting = type.fit(value) else {
            throw Failure(
                .invalidArgument,
                "an element of \(name).\(attribute.name) is \(type.withArticle), never this value",
                field: attribute.name)
        }
        return try element(.leaf(fitting), ofList: index)
    }
}

extension Snapshot {
    /// Whether the API document lists the value of attribute `index`, and in a list or a map every
    /// value. Null, and every value of an attribute without listed values, count as listed.
    package func hasListedValue(at index: Int) -> Bool {
        let (attribute, value) = (entity.attributes[index], value(at: index))
        guard attribute.shape.isCollection else { return attribute.rules.lists(value) }
        guard !attribute.rules.listed.isEmpty, case .json(let text) = value,
            let values = try? attribute.shape.values(of: text, JanssonMapper())
        else { return true }
        return attribute.rules.list(values)
    }
}

extension ValueRules {
    fileprivate func list(_ value: WireValue) -> Bool {
        switch value {
        case .leaf(let value): lists(value)
        case .list(let elements): elements.allSatisfy(list)
        case .object(let object): object.keys.allSatisfy { object[$0].map(list) ?? true }
        }
    }
}
