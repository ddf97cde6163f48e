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
            return try attribute.shape.canonical(value, JanssonMapper())
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
