package import RestwayObjects
import RestwayThreads

/// Writes an object, and the objects that it links to, as the value of a request.
///
/// An encoder writes one value. It writes each object once; at later places it writes only the
/// object's identity.
package struct ObjectEncoder {
    /// An object that is written.
    private struct Source {
        let entity: Entity
        let values: [Value]
        let links: [DraftCapture.Links]
        /// For a draft, its number in the capture and the cells that the host changed; nil for an
        /// object of the store.
        let draft: (member: Int, changed: Set<Int>)?
        /// Distinguishes the object from others in the same pass.
        let place: Place
        let storeKey: Int64
        /// The shapes that have brought the object, or for a draft the shape that it has.
        let shapes: ShapeSet

        var identity: Identity? { entity.identity { values[$0] } }

        var sent: SentObject {
            SentObject(
                entity: entity, storeKey: storeKey, identity: identity, member: draft?.member)
        }
    }

    private enum Place: Hashable {
        case member(Int)
        /// - Parameter base: The index of the entity that is the base of the object's family.
        case object(base: Int, storeKey: Int64)

        init(_ entity: Entity, _ storeKey: Int64) {
            self = .object(base: entity.family.members[0].index, storeKey: storeKey)
        }
    }

    private let mappings: [EntityMapping]
    private let options: EncodingOptions
    private let json: any Mapper
    private let newest: (Entity, Int64) -> Snapshot?

    private var members: [DraftCapture.Member] = []
    private var written: Set<Place> = []
    private var outermost: Place?
    /// The objects that were written whole, the outermost object first.
    package private(set) var sent: [SentObject] = []

    /// - Parameters:
    ///   - mappings: The mappings of all entities, by the index of the entity.
    ///   - json: The mapper that reads JSON text.
    ///   - newest: Finds an object in the store.
    package init(
        mappings: [EntityMapping], options: EncodingOptions, json: any Mapper,
        newest: @escaping (Entity, Int64) -> Snapshot?
    ) {
        self.mappings = mappings
        self.options = options
        self.json = json
        self.newest = newest
    }

    /// Writes `subject` as `mapping` says. A draft of an entity that extends the one of the mapping
    /// is written with everything that its own entity has.
    package mutating func encode(
        _ subject: EncodingSubject, _ mapping: EntityMapping
    ) throws(EncodingError) -> WireObject {
        switch subject {
        case .object(let object): return try encode(source(object), mapping, depth: 1)
        case .draft(let draft):
            members = draft.members
            let source = source(member: 0)
            return try encode(source, self.mapping(of: source, as: mapping), depth: 1)
        }
    }

    // MARK: Sources

    private func source(member index: Int) -> Source {
        let member = members[index]
        let place: Place =
            member.storeKey == 0
            ? .member(index) : Place(member.entity, member.storeKey)
        return Source(
            entity: member.entity, values: member.values, links: member.links,
            draft: (index, member.changed), place: place, storeKey: member.storeKey,
            shapes: member.entity.shape.shapes)
    }

    private func source(_ object: Snapshot) -> Source {
        let entity = object.entity
        let count = entity.attributes.count
        return Source(
            entity: entity, values: (0..<count).map(object.value(at:)),
            links: entity.relationshipCells.map { .init(object.value(at: $0), { .key($0) }) },
            draft: nil, place: Place(entity, object.storeKey),
            storeKey: object.keyInStore, shapes: object.shapes)
    }

    /// The object at the end of a link. A draft is preferred to the stored object; nil if the
    /// object no longer exists.
    private func source(_ link: DraftCapture.Link, _ relationship: Relationship) -> Source? {
        switch link {
        case .member(let index): return source(member: index)
        case .key(let key):
            let entities = relationship.targets.map { mappings[$0].entity }
            let member = members.firstIndex { member in
                member.storeKey == key
                    && entities.contains { $0.isOfFamily(of: member.entity) }
            }
            if let member, key != 0 { return source(member: member) }
            return entities.lazy.compactMap { newest($0, key) }.first.map(source)
        }
    }

    /// Returns the mapping of the entity that a relationship names for an object at its other end:
    /// of the members of a union, the most specific one that has brought the object.
    private func target(_ linked: Source, _ relationship: Relationship) -> EntityMapping {
        if relationship.targets.count == 1 { return mappings[relationship.targets[0]] }
        let entities = relationship.targets.map { mappings[$0].entity }
        let place = entities.place(ofObjectIn: linked.entity.family, linked.shapes)
        return mappings[place.map { relationship.targets[$0] } ?? linked.entity.index]
    }

    /// Returns how an object is written for which a descriptor or a relationship names the entity
    /// of `mapping`: a draft as its own entity, an object of the store as the named entity, because
    /// the answers that came before must not change what is sent.
    private func mapping(of source: Source, as mapping: EntityMapping) -> EntityMapping {
        guard source.draft != nil, source.entity !== mapping.entity,
            source.entity.isA(mapping.entity)
        else { return mapping }
        return mappings[source.entity.index]
    }

    // MARK: Objects

    private mutating func encode(
        _ source: Source, _ mapping: EntityMapping, depth: Int
    ) throws(EncodingError) -> WireObject {
        guard depth <= options.limits.nestingDepthMax else {
            throw .tooDeep(max: options.limits.nestingDepthMax)
        }
        guard !options.isAbandoned() else { throw .abandoned }
        written.insert(source.place)
        if depth == 1 { outermost = source.place }
        let number = sent.count
        sent.append(source.sent)
        let entity = source.entity
        let isPartial = depth == 1 && options.isChangedOnly
        var withheld: Set<Int> = []
        var result = try attributes(of: source, mapping, isPartial: isPartial, &withheld)
        sent[number].withheld = withheld
        for mapping in mapping.relationships {
            let relationship = entity.relationships[mapping.relationship]
            // Attributes alone make this link, and they are written anyway.
            if mapping.identity?.isRead == false { continue }
            let cell = entity.attributes.count + mapping.relationship
            let isChanged = source.draft?.changed.contains(cell) ?? false
            if isPartial, !isChanged { continue }
            guard !options.isAbandoned() else { throw .abandoned }
            if try isExcluded(relationship, of: entity) {
                sent[number].withheld.insert(cell)
                continue
            }
            var links: [SentObject.Link] = []
            let value = try encode(source, mapping, relationship, depth: depth, &links)
            guard let value else { continue }
            sent[number].links.append((mapping.relationship, links))
            guard put(value, at: mapping.source, &result, isChanged: isChanged) else {
                throw blocked(entity, relationship.name, mapping.source)
            }
        }
        return result
    }

    /// An object with the attributes of `source`, without those that are read-only or excluded,
    /// whose cells are `withheld`.
    ///
    /// It is a function of its own, so that nested objects take little of the stack.
    private func attributes(
        of source: Source, _ mapping: EntityMapping, isPartial: Bool, _ withheld: inout Set<Int>
    ) throws(EncodingError) -> WireObject {
        let entity = source.entity
        var result = WireObject()
        try mapping.resource?.mark(&result, as: mapping)
        for attribute in mapping.attributes {
            let index = attribute.attribute
            let isChanged = source.draft?.changed.contains(index) ?? false
            let constant = entity.attributes[index].rules.constant
            let isNeeded = index == entity.identityIndex && mapping.resource != nil
            if isPartial, !isChanged, constant == nil, !isNeeded { continue }
            if isWithheld(entity.attributes[index], of: entity), !isNeeded {
                withheld.insert(index)
                continue
            }
            var value = try encode(constant ?? source.values[index], source, attribute)
            if index == entity.identityIndex || isMissingPart(index, source) {
                value = try identityForNow(source, attribute) ?? value
            }
            if value == .absent || value == .null && !options.keepsNulls { continue }
            let written = try expanded(value, source, attribute)
            guard put(written, at: attribute.source, &result, isChanged: isChanged) else {
                throw blocked(entity, entity.attributes[index].name, attribute.source)
            }
        }
        return result
    }

    /// Whether the attribute is a part of the identity that the object lacks.
    private func isMissingPart(_ index: Int, _ source: Source) -> Bool {
        guard source.entity.identityParts != nil, source.entity.isIdentity(attribute: index)
        else { return false }
        return source.values[index] == .absent || source.values[index] == .null
    }

    private func isWithheld(_ attribute: Attribute, of entity: Entity) -> Bool {
        attribute.rules.isReadOnly || options.excludesAttribute(entity, attribute.name)
    }

    /// The replacement for the missing identity of an object that is written whole; nil if no
    /// replacement is needed or known.
    private func identityForNow(
        _ source: Source, _ attribute: AttributeMapping
    ) throws(EncodingError) -> Value? {
        guard source.identity == nil, source.storeKey != 0 else { return nil }
        let isOutermost = source.place == outermost
        let answer = isOutermost ? options.identityOutermost : options.identityInside
        return try answer(source.entity, source.storeKey).map { (now) throws(EncodingError) in
            try encode(now, source, attribute)
        }
    }

    private func encode(
        _ now: IdentityForNow, _ source: Source, _ attribute: AttributeMapping
    ) throws(EncodingError) -> Value {
        switch now {
        case .known(let identity):
            try encode(
                source.entity.part(attribute.attribute, of: identity), source, attribute)
        case .pending(let text): .string(text(attribute.conversion))
        }
    }

    private func encode(
        _ value: Value, _ source: Source, _ attribute: AttributeMapping
    ) throws(EncodingError) -> Value {
        do throws(TransformError) {
            let value = try attribute.conversion.encode(value, options.transforms)
            if case .double(let number) = value, !number.isFinite, !options.keepsInfinities {
                throw TransformError("expected a number, found one that JSON cannot write")
            }
            return value
        } catch {
            throw .transform(
                entity: source.entity.name,
                attribute: source.entity.attributes[attribute.attribute].name,
                error)
        }
    }

    private func isExcluded(
        _ relationship: Relationship, of entity: Entity
    ) throws(EncodingError) -> Bool {
        do throws(HostRefusal) {
            return try options.excludes(entity, relationship)
        } catch {
            throw .refused(entity: entity.name, relationship: relationship.name, error)
        }
    }

    /// The value as it is written: the innermost values of a list or a map are converted.
    private func expanded(
        _ value: Value, _ source: Source, _ attribute: AttributeMapping
    ) throws(EncodingError) -> WireValue {
        guard case .collection(let shape, let innermost) = attribute.conversion,
            case .json(let text) = value
        else { return .leaf(value) }
        do throws(TransformError) {
            let values = try shape.values(of: text, json)
            return try innermost.encode(values, options.transforms) ?? .leaf(.null)
        } catch {
            throw .transform(
                entity: source.entity.name,
                attribute: source.entity.attributes[attribute.attribute].name,
                error)
        }
    }

    /// The value of a relationship; nil if it is left out.
    private mutating func encode(
        _ source: Source, _ mapping: RelationshipMapping, _ relationship: Relationship, depth: Int,
        _ written: inout [SentObject.Link]
    ) throws(EncodingError) -> WireValue? {
        let missing: WireValue? = options.keepsNulls ? .leaf(.null) : nil
        switch source.links[mapping.relationship] {
        case .absent: return nil
        case .null: return missing
        case .one(let link):
            guard let linked = self.source(link, relationship) else { return missing }
            return try encode(source, mapping, linked, depth: depth, &written)
        case .many(let links):
            if let key = mapping.mapKey {
                var map = WireObject()
                for link in links {
                    guard let linked = self.source(link, relationship) else { continue }
                    let value = try encode(source, mapping, linked, depth: depth, &written)
                    guard let value else { continue }
                    let text = try self.key(of: linked, key, source, relationship)
                    let target = self.mapping(
                        of: linked, as: target(linked, relationship))
                    map[text] = withoutKey(value, key, target)
                }
                return .object(map)
            }
            var list: [WireValue] = []
            for link in links {
                if case .key(0) = link, relationship.emptyElements == .gap {
                    list.append(.leaf(.null))
                    continue
                }
                guard let linked = self.source(link, relationship) else { continue }
                let value = try encode(source, mapping, linked, depth: depth, &written)
                if let value { list.append(value) }
            }
            return .list(list)
        }
    }

    private func key(
        of linked: Source, _ key: MapKey, _ source: Source, _ relationship: Relationship
    ) throws(EncodingError) -> String {
        switch linked.values[key.attribute] {
        case .string(let text): return text
        case .int64(let number): return String(number)
        default:
            throw .noKey(
                entity: source.entity.name, relationship: relationship.name,
                target: linked.entity.name)
        }
    }

    /// The value of an entry of a map, whose key does not stand in it once more.
    private func withoutKey(
        _ value: WireValue, _ key: MapKey, _ target: EntityMapping
    ) -> WireValue {
        let mapping = target.attributes.first { $0.attribute == key.attribute }
        guard case .object(var object) = value, let mapping, let name = mapping.source.first,
            mapping.source.count == 1
        else { return value }
        object[name] = nil
        return .object(object)
    }

    /// The value of one linked object; nil if it was written before and has no identity to refer to
    /// it.
    private mutating func encode(
        _ source: Source, _ mapping: RelationshipMapping, _ linked: Source, depth: Int,
        _ links: inout [SentObject.Link]
    ) throws(EncodingError) -> WireValue? {
        if mapping.form != .object || written.contains(linked.place) {
            return try reference(to: linked, source, mapping, &links)
        }
        let target = target(linked, source.entity.relationships[mapping.relationship])
        links.append(.init(identity: linked.identity, object: sent.count))
        var object = try encode(linked, self.mapping(of: linked, as: target), depth: depth + 1)
        try mapping.union?.mark(&object, as: target)
        return .object(object)
    }

    /// The identity of a linked object, or an object with it; nil if it has no identity.
    private func reference(
        to linked: Source, _ source: Source, _ mapping: RelationshipMapping,
        _ links: inout [SentObject.Link]
    ) throws(EncodingError) -> WireValue? {
        let target = target(linked, source.entity.relationships[mapping.relationship])
        // A value that does not stand in the JSON of its object stands only in place of the object.
        let known =
            target.attributes + (mapping.form == .identity ? target.elsewhere : [])
        let attributes = known.filter { attribute in
            guard mapping.form == .identity, let part = mapping.identity?.scalar else {
                return target.entity.isIdentity(attribute: attribute.attribute)
            }
            return attribute.attribute == part
        }
        var parts: [(attribute: AttributeMapping, value: Value)] = []
        for attribute in attributes {
            var value = try encode(linked.values[attribute.attribute], linked, attribute)
            if mapping.form != .object {
                if value == .absent || value == .null, linked.storeKey != 0,
                    let now = options.identityForNow(linked.entity, linked.storeKey)
                {
                    value = try encode(now, linked, attribute)
                }
            } else if attributes.count == 1 || value == .absent || value == .null {
                // The object was written before; it has the same replacement for its identity here.
                value = try identityForNow(linked, attribute) ?? value
            }
            parts.append((attribute, value))
        }
        guard !parts.isEmpty, !parts.contains(where: { $0.value == .absent || $0.value == .null })
        else {
            guard mapping.form != .object else { return nil }
            throw .noIdentity(
                entity: source.entity.name,
                relationship: source.entity.relationships[mapping.relationship].name,
                target: target.entity.name)
        }
        if linked.identity != nil, linked.storeKey != 0 {
            options.noteNamed(linked.entity, linked.storeKey)
        }
        links.append(.init(identity: linked.identity, object: nil))
        if mapping.form == .identity { return .leaf(parts[0].value) }
        var object = WireObject()
        if mapping.form == .typedIdentity { try mapping.union?.mark(&object, as: target) }
        for (attribute, value) in parts { _ = object.set(attribute.source[...], .leaf(value)) }
        for attribute in target.attributes {
            let constant = target.entity.attributes[attribute.attribute].rules.constant
            guard let constant else { continue }
            let value = try encode(constant, linked, attribute)
            _ = object.set(attribute.source[...], .leaf(value))
        }
        // Without its keys, the object would not say of which entity it is.
        let keys = mapping.union?.requiredKeys[target.entity.index] ?? []
        for other in target.attributes
        where keys.contains(other.source)
            && !parts.contains(where: { $0.attribute.attribute == other.attribute })
        {
            let value = try encode(linked.values[other.attribute], linked, other)
            if value == .absent || value == .null && !options.keepsNulls { continue }
            _ = object.set(other.source[...], try expanded(value, linked, other))
        }
        try mapping.union?.mark(&object, as: target)
        return .object(object)
    }

    // MARK: Sources that overlap

    /// Sets a value. If the place already has a value, changed values replace unchanged ones.
    private func put(
        _ value: WireValue, at source: [String], _ object: inout WireObject, isChanged: Bool
    ) -> Bool {
        guard !source.isEmpty else {
            // The members of an object that is read from the whole object stand beside the others.
            // An attribute is not written: it has all other members once more.
            if case .object(let inner) = value {
                for key in inner.keys where object[key] == nil { object[key] = inner[key] }
            }
            return true
        }
        for count in 1..<source.count {
            guard let before = object.value(at: source[..<count]) else { break }
            switch (before, expanded(before)) {
            case (.object, _): break
            case (_, .object(let inner)): _ = object.set(source[..<count], .object(inner))
            case (.leaf(.null), _):
                // A null above the value makes the value null too.
                guard isChanged else { return true }
                if case .leaf(.null) = value { return true }
                _ = object.set(source[..<count], .object(WireObject()))
            default: return false
            }
        }
        guard let before = object.value(at: source[...]) else {
            return object.set(source[...], value)
        }
        // JSON text is parsed when it is merged with an object.
        let (own, its) = (expanded(value), expanded(before))
        return object.set(source[...], isChanged ? its.merged(own) : own.merged(its))
    }

    private func expanded(_ value: WireValue) -> WireValue {
        guard case .leaf(.json(let text)) = value else { return value }
        return (try? WireBuilder.value(json: text, json, options.limits)) ?? value
    }

    private func blocked(_ entity: Entity, _ name: String, _ source: [String]) -> EncodingError {
        .blocked(entity: entity.name, name: name, source: source.joined(separator: "."))
    }
}
