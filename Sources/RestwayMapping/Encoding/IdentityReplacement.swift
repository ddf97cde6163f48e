package import RestwayObjects

/// Another identity for an object, in the values of requests that name it.
package struct IdentityReplacement {
    /// An entity of the object's family.
    private let entity: Entity
    /// The texts of the parts of the identity, by the attributes.
    private let parts: [Int: (old: String, new: String)]
    /// The mappings of all entities, by the index of the entity.
    private let mappings: [EntityMapping]

    package init(
        of entity: Entity, from old: Identity, to new: Identity, mappings: [EntityMapping]
    ) {
        self.entity = entity
        self.mappings = mappings
        var parts: [Int: (old: String, new: String)] = [:]
        for (index, texts) in zip(
            entity.identityAttributes, zip(entity.texts(of: old), entity.texts(of: new)))
        {
            parts[index] = texts
        }
        self.parts = parts
    }

    /// Returns a body that a descriptor has written from an object, with the new identity wherever
    /// the object or a link to it stands; `nil` if it stands nowhere.
    ///
    /// - Parameters:
    ///   - keyPath: The keys that wrap the object.
    ///   - mapper: The mapper that reads and writes the body.
    package func applied(
        to body: [UInt8], _ mapping: EntityMapping, keyPath: [String], _ mapper: any Mapper
    ) throws(MapperError) -> [UInt8]? {
        let read = try MappedBody(reading: body, by: mapper)
        guard let value = replaced(in: read.value, mapping, at: keyPath[...]) else { return nil }
        return try MappedBody(value, mapper).bytes()
    }

    /// Returns the value with what stands at a key path changed; `nil` if nothing changes.
    private func replaced(
        in value: WireValue, _ mapping: EntityMapping, at keyPath: ArraySlice<String>
    ) -> WireValue? {
        guard let key = keyPath.first else { return replaced(value, as: mapping) }
        guard case .object(var object) = value, let inner = object[key],
            let changed = replaced(in: inner, mapping, at: keyPath.dropFirst())
        else { return nil }
        object[key] = changed
        return .object(object)
    }

    /// Returns an object, a list of objects or a link with the new identity; `nil` if nothing
    /// changes. A link that is a single value stands for an identity of one part.
    private func replaced(_ value: WireValue, as mapping: EntityMapping) -> WireValue? {
        switch value {
        case .leaf(let leaf):
            guard mapping.entity.isOfFamily(of: entity), parts.count == 1,
                let index = parts.keys.first
            else { return nil }
            return replaced(leaf, part: index).map { .leaf($0) }
        case .list(let elements):
            return changed(elements) { replaced($0, as: mapping) }.map { .list($0) }
        case .object(let object): return replaced(object, as: mapping).map { .object($0) }
        }
    }

    private func replaced(_ object: WireObject, as mapping: EntityMapping) -> WireObject? {
        var (result, isChanged) = (object, false)
        if mapping.entity.isOfFamily(of: entity) {
            for (source, value) in replacedParts(of: object, as: mapping) {
                isChanged = result.set(source[...], .leaf(value)) || isChanged
            }
        }
        for link in mapping.relationships {
            guard let value = result.value(at: link.source[...]) else { continue }
            for target in mapping.entity.relationships[link.relationship].targets {
                let mapping = mappings[target]
                let changed =
                    link.mapKey == nil
                    ? replaced(value, as: mapping) : replaced(map: value, as: mapping)
                guard let changed else { continue }
                isChanged = result.set(link.source[...], changed) || isChanged
                break
            }
        }
        return isChanged ? result : nil
    }

    /// Returns the parts of the new identity with their places; empty unless the object has all
    /// parts of the old one.
    private func replacedParts(
        of object: WireObject, as mapping: EntityMapping
    ) -> [(source: [String], value: Value)] {
        var found: [Int: (source: [String], value: Value)] = [:]
        for attribute in mapping.attributes where parts[attribute.attribute] != nil {
            guard case .leaf(let leaf)? = object.value(at: attribute.source[...]),
                let value = replaced(leaf, part: attribute.attribute)
            else { continue }
            found[attribute.attribute] = (attribute.source, value)
        }
        return found.count == parts.count ? Array(found.values) : []
    }

    /// Returns a map of objects by their keys with the new identity in the objects.
    private func replaced(map value: WireValue, as mapping: EntityMapping) -> WireValue? {
        guard case .object(var map) = value else { return nil }
        var isChanged = false
        for key in map.keys {
            guard let inner = map[key], let changed = replaced(inner, as: mapping) else { continue }
            map[key] = changed
            isChanged = true
        }
        return isChanged ? .object(map) : nil
    }

    private func changed(
        _ elements: [WireValue], _ change: (WireValue) -> WireValue?
    ) -> [WireValue]? {
        let changes = elements.map(change)
        guard changes.contains(where: { $0 != nil }) else { return nil }
        return zip(elements, changes).map { $1 ?? $0 }
    }

    /// Returns a part of the new identity in the form of the old one, if a value is the old one.
    private func replaced(_ value: Value, part: Int) -> Value? {
        let text: String
        var isNumber = false
        switch value {
        case .int64(let integer): (text, isNumber) = (String(integer), true)
        case .string(let string): text = string
        case .json(let digits): (text, isNumber) = (digits, true)
        default: return nil
        }
        guard let part = parts[part], text == part.old else { return nil }
        if isNumber, let integer = Int64(part.new) { return .int64(integer) }
        return .string(part.new)
    }
}
