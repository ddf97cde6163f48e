import RestwayThreads

/// A mutable copy of an object, or a new object, made to be sent.
///
/// It can be used from any thread; each function works on a consistent state. A draft has, for each
/// attribute and relationship, the value that the program set last, else the value of its base.
/// Changing a draft changes nothing in a store.
package final class Draft: Sendable {
    /// An object or a draft that a relationship may lead to.
    package enum Target: Sendable {
        case object(Snapshot)
        case draft(Draft)

        var entity: Entity {
            switch self {
            case .object(let object): object.entity
            case .draft(let draft): draft.entity
            }
        }

        func mayEnd(_ relationship: Relationship, of entity: Entity) -> Bool {
            switch self {
            case .object(let object): entity.links(relationship, to: object)
            case .draft(let draft):
                entity.links(relationship, to: draft.entity)
                    || draft.node.state.withLock { $0.base }.map {
                        entity.links(relationship, to: $0)
                    } ?? false
            }
        }
    }

    package let entity: Entity
    let node: DraftNode
    private let group: DraftGroup

    /// Makes a draft of a new object.
    package init(_ entity: Entity) {
        self.entity = entity
        node = DraftNode(entity, base: nil)
        group = DraftGroup(node)
    }

    /// Makes a draft that is a copy of an object.
    package init(copying object: Snapshot) {
        entity = object.entity
        node = DraftNode(entity, base: object)
        group = DraftGroup(node)
    }

    /// Refuses a draft of an object that no store keeps, whose changes would have no place.
    package static func check(copying object: Snapshot) throws(DraftError) {
        guard object.isKept else { throw .unkept(entity: object.entity.name) }
        try check(object.entity)
    }

    /// Refuses a draft of a new object that no store would keep.
    package static func check(_ entity: Entity) throws(DraftError) {
        guard entity.isKept else { throw .unkept(entity: entity.name) }
    }

    /// The store key of the draft's object; 0 as long as no store knows it.
    package var storeKey: Int64 { node.storeKey }

    // MARK: Attributes

    package func set(_ value: Value, attribute index: Int) throws(DraftError) {
        let attribute = entity.attributes[index]
        let isIdentity = entity.isIdentity(attribute: index)
        let kept = try checked(value, attribute, isIdentity: isIdentity)
        try node.state.withLock { state throws(DraftError) in
            if isIdentity, let base = state.base, base.identity != nil,
                !base.value(at: index).isSame(as: kept)
            {
                throw .fixedIdentity(
                    entity: entity.name, attribute: attribute.name,
                    isPart: entity.identityParts != nil)
            }
            state.set(.value(kept), cell: index)
        }
    }

    private func checked(
        _ value: Value, _ attribute: Attribute, isIdentity: Bool
    ) throws(DraftError) -> Value {
        let isAnyIdentity = isIdentity && attribute.type == .any
        if let kept = attribute.type.kept(value),
            !isAnyIdentity || kept == .null || Identity(kept) != nil
        {
            guard !attribute.shape.isCollection, let accepted = attribute.rules.accepted,
                !attribute.rules.accepts(kept)
            else { return kept }
            throw .unfitValue(
                entity: entity.name, attribute: attribute.name,
                expected: accepted.alternatives,
                found: kept.nameForMessages)
        }
        throw .unfitValue(
            entity: entity.name, attribute: attribute.name,
            expected: isAnyIdentity ? "an integer or a string" : attribute.shape.withArticle,
            found: value.withArticle)
    }

    /// Changes the value of an attribute. No other thread sees the draft between the two values.
    ///
    /// - Parameter change: Returns the new value; its argument is the present value.
    package func change(attribute index: Int, _ change: (Value) -> Value) {
        node.state.withLock { state in
            state.set(.value(change(state.value(cell: index))), cell: index)
        }
    }

    // MARK: Relationships

    /// Makes a relationship lead to `targets`, in their order and each once, instead of its earlier
    /// targets. For a relationship to one object, no target means null.
    package func set(_ targets: [Target], relationship index: Int) throws(DraftError) {
        let relationship = entity.relationships[index]
        if !relationship.isMany, targets.count > 1 {
            throw .manyForOne(entity: entity.name, relationship: relationship.name)
        }
        for target in targets { try check(target, relationship) }
        join(targets)
        var links: [DraftLink] = []
        for link in targets.map(DraftLink.init)
        where !links.contains(where: { $0.leads(toTheSameAs: link) }) {
            links.append(link)
        }
        let content: DraftLinks =
            relationship.isMany ? .many(links) : links.first.map { .one($0) } ?? .null
        node.state.withLock { $0.set(.links(content), cell: cell(relationship: index)) }
    }

    /// Sets a relationship to null. For a relationship to many objects, null differs from an empty
    /// list.
    package func setNull(relationship index: Int) {
        node.state.withLock { $0.set(.links(.null), cell: cell(relationship: index)) }
    }

    /// Adds a link after the existing links, or replaces the link of a relationship to one object.
    /// A draft takes the place of the object that it was made from.
    package func add(_ target: Target, relationship index: Int) throws(DraftError) {
        let relationship = entity.relationships[index]
        guard relationship.isMany else { return try set([target], relationship: index) }
        try check(target, relationship)
        join([target])
        let (link, cell) = (DraftLink(target), cell(relationship: index))
        node.state.withLock { state in
            var links = state.links(cell: cell).all
            if let place = links.firstIndex(where: { $0.leads(toTheSameAs: link) }) {
                links[place] = link
            } else {
                links.append(link)
            }
            state.set(.links(.many(links)), cell: cell)
        }
    }

    /// Removes a link. Nothing happens if there is no link to `target`.
    package func remove(_ target: Target, relationship index: Int) throws(DraftError) {
        let relationship = entity.relationships[index]
        try check(target, relationship)
        let (link, cell) = (DraftLink(target), cell(relationship: index))
        node.state.withLock { state in
            let links = state.links(cell: cell).all
            let rest = links.filter { !$0.leads(toTheSameAs: link) }
            guard rest.count < links.count else { return }
            state.set(.links(relationship.isMany ? .many(rest) : .null), cell: cell)
        }
    }

    private func cell(relationship index: Int) -> Int { entity.attributes.count + index }

    private func check(_ target: Target, _ relationship: Relationship) throws(DraftError) {
        if case .object(let object) = target, !object.isKept {
            throw .unkept(entity: object.entity.name)
        }
        guard target.mayEnd(relationship, of: entity) else {
            let isNamesake = target.entity.name == relationship.targetName
            throw .unfitLink(
                entity: entity.name, relationship: relationship.name,
                expected: relationship.targetName,
                found: isNamesake
                    ? "the \(target.entity.name) of another api" : target.entity.name)
        }
    }

    private func join(_ targets: [Target]) {
        for case .draft(let draft) in targets { group.merge(draft.group) }
    }

    // MARK: Whole cells

    /// Sets an attribute, or the links of a relationship, to a value that the store has or had.
    package func set(_ value: Value, cell index: Int) {
        let isAttribute = index < entity.attributes.count
        node.state.withLock { state in
            state.set(
                isAttribute ? .value(value) : .links(DraftLinks(value, DraftLink.key)),
                cell: index)
        }
    }

    // MARK: Taking back

    /// Removes the value of the attribute or relationship of cell `index` from the draft: the value
    /// is not sent, and a store keeps its own.
    package func unset(cell index: Int) {
        let isAttribute = index < entity.attributes.count
        node.state.withLock { state in
            state.set(isAttribute ? .value(.absent) : .links(.absent), cell: index)
        }
    }

    /// Forgets the values that the program set for cell `index`, or for all cells.
    package func revert(cell index: Int?) {
        node.state.withLock { state in
            if let index { state.words[index] = nil } else { state.words = [:] }
        }
    }

    // MARK: Reading

    /// The cells that differ from the object that the draft was made from, in order; for a new
    /// object, all cells that were set.
    package var changedCells: [Int] {
        capture().root.changed.sorted()
    }

    /// Returns the object as the draft has it now, with the draft's store key if it has a store
    /// key. Links to drafts that no store knows are left out.
    package func snapshot() -> Snapshot {
        let snapshot = capture().snapshot()
        let key = storeKey
        if key != 0 { snapshot.setStoreKey(key) }
        return snapshot
    }

    /// Returns the current content of this draft and of the drafts that it leads to.
    package func capture() -> DraftCapture {
        withExtendedLifetime(group) { DraftCapture(node, of: self) }
    }
}

/// The reason why a draft refused a value.
package enum DraftError: Error, Equatable, Sendable {
    case unfitValue(entity: String, attribute: String, expected: String, found: String)
    case unfitLink(entity: String, relationship: String, expected: String, found: String)
    case manyForOne(entity: String, relationship: String)
    /// The object already has an identity, which cannot be changed.
    ///
    /// - Parameter isPart: Whether the attribute is one of several parts of the identity.
    case fixedIdentity(entity: String, attribute: String, isPart: Bool = false)
    /// No store keeps the object that the draft would be of, or that it would lead to.
    case unkept(entity: String)
    /// The object that the draft was made of is no longer in the store.
    case gone(entity: String)

    package var message: String {
        switch self {
        case .unfitValue(let entity, let attribute, let expected, let found):
            "\(entity).\(attribute) takes \(expected), not \(found)"
        case .unfitLink(let entity, let relationship, let expected, let found):
            "\(entity).\(relationship) leads to \(expected), not to \(found)"
        case .manyForOne(let entity, let relationship):
            "\(entity).\(relationship) leads to one object, not to several"
        case .fixedIdentity(let entity, let attribute, let isPart):
            "\(entity).\(attribute) is \(isPart ? "a part of " : "")the identity of the object: "
                + "once set, it cannot change"
        case .unkept(let entity):
            "no store keeps this \(entity) (\"keep\": false), so it has no draft, and no draft "
                + "leads to it"
        case .gone(let entity):
            "the \(entity) that the draft was made of is no longer in the store"
        }
    }

    /// The attribute or relationship that caused the error.
    package var field: String? {
        switch self {
        case .unfitValue(_, let name, _, _), .unfitLink(_, let name, _, _),
            .manyForOne(_, let name), .fixedIdentity(_, let name, _):
            name
        case .unkept, .gone: nil
        }
    }
}
