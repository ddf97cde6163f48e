/// The place from which the value of an attribute comes, if it does not stand in the JSON of its
/// object. Bodies of requests never have the attribute.
package enum AttributeOrigin: Hashable, Sendable {
    /// A variable in the path of the request, by its name.
    case variable(String)
    /// A header of the answer, by its name. Only an answer with one object has it.
    case header(String)
    /// An attribute, by its name, of the object in which the object is nested.
    case parent(String)
    /// The key of the map in which the object stands.
    case key
}

extension Attribute {
    /// The variable of a path that the value of the attribute fills.
    package var variableName: String {
        if case .variable(let variable)? = origin { variable } else { name }
    }
}

extension Entity {
    /// Returns the index of the attribute whose value is the variable called `name`: the attribute
    /// that is declared to come from it, or else the attribute of this name.
    package func attributeIndex(ofVariable name: String) -> Int? {
        let declared = elsewhere.first { index in
            attributes[index].origin == .variable(name) && owns(cell: index)
        }
        return declared ?? attributeIndex(named: name)
    }
}
