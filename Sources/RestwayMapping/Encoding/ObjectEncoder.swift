package import RestwayObjects

/// Reverse mapping: writes an object, and those that it leads to, as the value of a request.
///
/// Made for one value. Each object is written once; where it is met again stands its identity.
package struct ObjectEncoder {
    /// One object that is written.
    private struct Source {
        let entity: Entity
        let values: [Value]
        let links: [DraftCapture.Links]
        /// Its number in the capture, and the cells that the host changed; nil for an object of
        /// the store.
        let draft: (member: Int, changed: Set<Int>)?
        /// What tells it from others of the same pass.
        let place: Place
        let storeKey: Int64

        var identity: Identity? { entity.identityIndex.flatMap { Identity(values[$0]) } }

        var sent: SentObject {
            SentObject(
                entity: entity, storeKey: storeKey, identity: identity, member: draft?.member)
        }
    }

    private enum Place: Hashable {
        case member(Int)
        case object(entity: Int, storeKey: Int64)
    }

    private let mappings: [EntityMapping]
    private let options: EncodingOptions
    private let json: any Mapper
    private let newest: (Entity, Int64) -> Snapshot?

    private var members: [DraftCapture.Member] = []
    private var written: Set<Place> = []
    /// What was written whole, the outermost object first.
    package private(set) var sent: [SentObject] = []

    /// - Parameters:
    ///   - mappings: Of all entities, by their index.
    ///   - json: Reads JSON text.
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

    /// Writes `subject` as `mapping` says.
    package mutating func encode(
        _ subject: EncodingSubject, _ mapping: EntityMapping
    ) throws(EncodingError) -> WireObject {
        switch subject {
        case .object(let object): return try encode(source(object), mapping, depth: 1)
        case .draft(let draft):
            members = draft.members
            return try encode(source(member: 0), mapping, depth: 1)
        }
    }

    // MARK: Sources

    private func source(member index: Int) -> Source {
        let member = members[index]
        let place: Place =
            member.storeKey == 0
            ? .member(index) : .object(entity: member.entity.index, storeKey: member.storeKey)
        return Source(
            entity: member.entity, values: member.values, links: member.links,
            draft: (index, member.changed), place: place, storeKey: member.storeKey)
    }

    private func source(_ object: Snapshot) -> Source {
        let entity = object.entity
        let count = entity.attributes.count
        return Source(
            entity: entity, values: (0..<count).map(object.value(at:)),
            links: (count..<entity.cellCount).map { index in
                switch object.value(at: index) {
                case .link(let key): .one(.key(key))
                case .links(let keys): .many(keys.map { .key($0) })
                case .null: .null
                default: .absent
                }
            }, draft: nil, place: .object(entity: entity.index, storeKey: object.storeKey),
            storeKey: object.storeKey)
    }

    /// What a link leads to: the draft of an object rather than the object; nil when it is gone.
    private func source(_ link: DraftCapture.Link, _ entity: Entity) -> Source? {
        switch link {
        case .member(let index): return source(member: index)
        case .key(let key):
            let member = members.firstIndex { $0.storeKey == key && $0.entity === entity }
            if let member, key != 0 { return source(member: member) }
            return newest(entity, key).map(source)
        }
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
        let number = sent.count
        sent.append(source.sent)
        let entity = source.entity
        let isPartial = depth == 1 && options.isChangedOnly
        var result = WireObject()
        for attribute in mapping.attributes {
            let index = attribute.attribute
            let isChanged = source.draft?.changed.contains(index) ?? false
            if isPartial, !isChanged { continue }
            var value = try encode(source, attribute)
            if depth > 1, index == entity.identityIndex, source.identity == nil,
                source.storeKey != 0
            {
                value = options.identityInside(entity, source.storeKey) ?? value
            }
            if value == .absent || value == .null && !options.keepsNulls { continue }
            guard put(.leaf(value), at: attribute.source, &result, isChanged: isChanged) else {
                throw blocked(entity, entity.attributes[index].name, attribute.source)
            }
        }
        for mapping in mapping.relationships {
            let relationship = entity.relationships[mapping.relationship]
            let cell = entity.attributes.count + mapping.relationship
            let isChanged = source.draft?.changed.contains(cell) ?? false
            if isPartial, !isChanged { continue }
            guard !options.isAbandoned() else { throw .abandoned }
            guard let isExcluded = options.excludes(entity, relationship) else {
                throw .refused(entity: entity.name, relationship: relationship.name)
            }
            if isExcluded {
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

    private func encode(
        _ source: Source, _ attribute: AttributeMapping
    ) throws(EncodingError) -> Value {
        do throws(TransformError) {
            let value = try attribute.conversion.encode(
                source.values[attribute.attribute], options.transforms)
            if case .double(let number) = value, !number.isFinite, !options.keepsInfinities {
                throw TransformError("expected a number, found one that JSON cannot write")
            }
            return value
        } catch {
            throw .transform(
                entity: source.entity.name,
                attribute: source.entity.attributes[attribute.attribute].name,
                reason: error.reason)
        }
    }

    /// What stands for a relationship; nil when it is left out.
    private mutating func encode(
        _ source: Source, _ mapping: RelationshipMapping, _ relationship: Relationship, depth: Int,
        _ written: inout [SentObject.Link]
    ) throws(EncodingError) -> WireValue? {
        let target = mappings[relationship.targetIndex]
        let missing: WireValue? = options.keepsNulls ? .leaf(.null) : nil
        switch source.links[mapping.relationship] {
        case .absent: return nil
        case .null: return missing
        case .one(let link):
            guard let linked = self.source(link, target.entity) else { return missing }
            return try encode(source, mapping, linked, target, depth: depth, &written)
        case .many(let links):
            var list: [WireValue] = []
            for link in links {
                guard let linked = self.source(link, target.entity) else { continue }
                let value = try encode(source, mapping, linked, target, depth: depth, &written)
                if let value { list.append(value) }
            }
            return .list(list)
        }
    }

    /// One linked object; nil when it has been written and has no identity to name it.
    private mutating func encode(
        _ source: Source, _ mapping: RelationshipMapping, _ linked: Source,
        _ target: EntityMapping, depth: Int, _ links: inout [SentObject.Link]
    ) throws(EncodingError) -> WireValue? {
        if !mapping.isByIdentity, !written.contains(linked.place) {
            links.append(.init(identity: linked.identity, object: sent.count))
            return .object(try encode(linked, target, depth: depth + 1))
        }
        let attribute = target.attributes.first { $0.attribute == target.entity.identityIndex }
        var identity = Value.absent
        if let attribute { identity = try encode(linked, attribute) }
        if mapping.isByIdentity, identity == .absent || identity == .null, linked.storeKey != 0,
            let standIn = options.identityForNow(linked.entity, linked.storeKey)
        {
            identity = standIn
        }
        guard let attribute, identity != .absent, identity != .null else {
            guard mapping.isByIdentity else { return nil }
            throw .noIdentity(
                entity: source.entity.name,
                relationship: source.entity.relationships[mapping.relationship].name,
                target: target.entity.name)
        }
        links.append(.init(identity: linked.identity, object: nil))
        if mapping.isByIdentity { return .leaf(identity) }
        var object = WireObject()
        _ = object.set(attribute.source[...], .leaf(identity))
        return .object(object)
    }

    // MARK: Sources that overlap

    /// Sets a value; where there is one already, what was changed lies over what was not.
    private func put(
        _ value: WireValue, at source: [String], _ object: inout WireObject, isChanged: Bool
    ) -> Bool {
        guard !source.isEmpty else { return true }
        for count in 1..<source.count {
            guard let before = object.value(at: source[..<count]) else { break }
            switch (before, expanded(before)) {
            case (.object, _): break
            case (_, .object(let inner)): _ = object.set(source[..<count], .object(inner))
            case (.leaf(.null), _):
                // Null on the way is null for what lies below.
                guard isChanged else { return true }
                if case .leaf(.null) = value { return true }
                _ = object.set(source[..<count], .object(WireObject()))
            default: return false
            }
        }
        guard let before = object.value(at: source[...]) else {
            return object.set(source[...], value)
        }
        // JSON text that meets an object is taken apart.
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
