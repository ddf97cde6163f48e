import RestwayJSON

/// The identity of an entity whose objects are told apart by several attributes together, for
/// example by `owner`, `repo` and `number`.
///
/// An object has one more cell for it, after all other cells (`EntityShape.identityCell`). The cell
/// holds a JSON array of the parts, for example `["octocat","hello",7]`. So stores, indexes and
/// files use one value, however many parts there are. Wherever a row is made, the cell is made from
/// the parts. An object that lacks a part has no identity.
package struct IdentityParts: Sendable {
    package struct Part: Sendable {
        /// The index of the attribute.
        package let attribute: Int
        package let name: String
        /// The type of the attribute: int or string.
        package let type: AttributeType
    }

    /// The parts in the order of the API document. They are empty if the identity is not made from
    /// attributes.
    package let parts: [Part]

    init(_ indices: [Int], of attributes: [Attribute]) {
        parts = indices.map {
            Part(attribute: $0, name: attributes[$0].name, type: attributes[$0].type)
        }
    }

    /// The indices of the attributes.
    package var attributes: [Int] { parts.map(\.attribute) }

    /// The names and types of the parts for messages: `["owner", "number"] (string, int)`.
    package var description: String {
        let names = parts.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let types = parts.map(\.type.rawValue).joined(separator: ", ")
        return "[\(names)] (\(types))"
    }

    // MARK: From the parts to the identity

    /// Returns the text of the identity; `nil` if a part is missing.
    ///
    /// - Parameter cell: Returns the cell of an attribute. Its text is at an address.
    package func text(_ cell: (Int) -> Cell) -> [UInt8]? {
        guard !parts.isEmpty else { return nil }
        var text = JSONText(capacity: 64)
        text.append("[")
        for (place, part) in parts.enumerated() {
            let cell = cell(part.attribute)
            if place > 0 { text.append(",") }
            switch cell.kind {
            case .int64: text.append(integer: cell.integer)
            case .string: text.append(repairing: cell.text)
            default: return nil
            }
        }
        text.append("]")
        return text.bytes
    }

    /// Returns the identity; `nil` if a part is missing.
    ///
    /// - Parameter value: Returns the value of an attribute.
    package func identity(_ value: (Int) -> Value) -> Identity? {
        guard !parts.isEmpty else { return nil }
        var text = JSONText(capacity: 64)
        text.append("[")
        for (place, part) in parts.enumerated() {
            if place > 0 { text.append(",") }
            switch value(part.attribute) {
            case .int64(let number): text.append(integer: number)
            case .string(let string): text.append(string: string)
            default: return nil
            }
        }
        text.append("]")
        return .string(String(decoding: text.bytes, as: UTF8.self))
    }

    // MARK: From the identity to the parts

    /// Returns the values of the parts of an identity, in their order.
    ///
    /// - Parameter text: A JSON array, with any white space.
    /// - Returns: `nil` if the text is no array of as many values of these types.
    package func values(of text: String) -> [Value]? {
        guard let elements = (try? JSONValue.parse(text))?.elements,
            elements.count == parts.count
        else { return nil }
        var values: [Value] = []
        for (element, part) in zip(elements, parts) {
            if part.type == .int, let number = element.integer {
                values.append(.int64(number))
            } else if part.type == .string, let string = element.string {
                values.append(.string(string))
            } else {
                return nil
            }
        }
        return values
    }

    /// Returns an identity in the form that objects have; `nil` if `text` is no JSON array of as
    /// many values of these types.
    package func identity(ofJSON text: String) -> Identity? {
        guard let values = values(of: text) else { return nil }
        let places = Dictionary(
            uniqueKeysWithValues: parts.enumerated().map { ($1.attribute, $0) })
        return identity { places[$0].map { values[$0] } ?? .absent }
    }

    // MARK: Rows

    /// Gives the values of a row their identity, or gives the row of an identity its parts.
    ///
    /// - Parameters:
    ///   - values: The values of all cells.
    ///   - index: The cell of the identity.
    func complete(_ values: inout [Value], at index: Int) {
        guard !parts.isEmpty else { return }
        if case .string(let text) = values[index], let known = self.values(of: text) {
            for (part, value) in zip(parts, known) where values[part.attribute] == .absent {
                values[part.attribute] = value
            }
        }
        switch identity({ values[$0] }) {
        case .string(let text): values[index] = .string(text)
        default: values[index] = .absent
        }
    }
}

extension Entity {
    /// Whether several attributes together identify objects.
    package var hasIdentityParts: Bool { identityParts != nil && !isSingleton }

    /// The indices of the attributes that identify objects: one, several, or none.
    package var identityAttributes: [Int] {
        identityParts?.attributes ?? identityIndex.map { [$0] } ?? []
    }

    /// Whether the identity is made from the attribute, or from it and others.
    package func isIdentity(attribute index: Int) -> Bool {
        guard let identityParts else { return index == identityIndex }
        return identityParts.parts.contains { $0.attribute == index }
    }

    /// The type of the value that identifies objects; `nil` if no value does.
    package var identityType: AttributeType? {
        identityParts != nil ? .string : identityIndex.map { attributes[$0].type }
    }

    /// The names of the attributes that identify objects, for messages: `number`, or `owner, repo
    /// and number`.
    package var identityNames: String {
        let names = identityAttributes.map { attributes[$0].name }
        guard names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }

    /// Returns the identity of an object with these values; `nil` if it has no identity.
    ///
    /// - Parameter value: Returns the value of an attribute.
    package func identity(_ value: (Int) -> Value) -> Identity? {
        if let identityParts { return identityParts.identity(value) }
        return identityIndex.flatMap { Identity(value($0)) }
    }

    /// Returns the part of an identity that is the value of an attribute; the identity itself if it
    /// has one part.
    package func part(_ attribute: Int, of identity: Identity) -> Value {
        guard let identityParts else { return Value(identity) }
        guard let place = identityParts.parts.firstIndex(where: { $0.attribute == attribute }),
            let values = identityParts.values(of: identity.text)
        else { return .absent }
        return values[place]
    }

    /// Returns the attributes of the identity for which an object has no value.
    ///
    /// - Parameter value: Returns the value of an attribute.
    package func missingIdentityAttributes(_ value: (Int) -> Value) -> [Int] {
        identityAttributes.filter { Identity(value($0)) == nil }
    }

    /// Returns the parts of an identity as paths have them, before they are encoded.
    package func texts(of identity: Identity) -> [String] {
        guard let identityParts else { return [identity.text] }
        return (identityParts.values(of: identity.text) ?? []).compactMap { value in
            Identity(value)?.text
        }
    }

    /// An identity as messages show it: a JSON array of the parts if there are several.
    package func shown(_ identity: Identity) -> String {
        if hasIdentityParts, case .string(let text) = identity { return text }
        return identity.description
    }
}
