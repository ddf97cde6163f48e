package import RestwayObjects

/// The descriptors that apply to one response, compiled into one tree of key paths.
///
/// A plan can be kept and used again for the same descriptors. Any number of machines may use it at
/// once.
///
/// `@unchecked Sendable`: the nodes that `kinds` points to belong to the mappings' own plans.
/// `mappings` keeps these plans, and no code changes them.
package final class MappingPlan: @unchecked Sendable {
    /// The facts about a mapping that every machine needs to start a row.
    struct Kind: BitwiseCopyable {
        let root: UnsafePointer<PlanNode>
        /// `mappings` keeps the entity, so no reference is counted.
        unowned(unsafe) let entity: Entity
        let cellCount: Int
        let identityIndex: Int?
        let entityIndex: Int
        /// Whether relationships lead to rows of this mapping.
        let isLinked: Bool
        /// Whether a row of the mapping brings values that it does not have itself.
        let hasDefaults: Bool
        /// Whether the identity is made from several attributes.
        let hasIdentityParts: Bool
    }

    /// The descriptors in order of registration. Results have the same order.
    package let descriptors: [ResponseDescriptor]
    /// The mappings of all entities of the model by their index. Relationships use these mappings.
    let entities: [EntityMapping]
    let mappings: MappingTable<EntityMapping>
    let tree: PlanTree
    let kinds: MappingTable<Kind>
    let details: TreeDetails
    /// Whether relationships are read from whole objects.
    let hasWholeLinks: Bool
    /// Whether relationships are read from objects with free keys.
    let hasMaps: Bool
    /// Whether objects may be of several entities.
    let hasUnions: Bool
    /// The objects that an answer has beside its results.
    let included: IncludedObjects?
    /// Whether a value of the answer may become the digits of a number.
    let keepsDigits: Bool
    /// Whether the results of each descriptor are not kept; `nil` if a store takes all objects of
    /// the answer.
    let unkeptResults: [Bool]?
    /// Whether a descriptor must find something at its key path.
    let hasRequired: Bool
    /// Whether objects of the answer have values that do not stand in their JSON, so that their
    /// rows are completed (`RowCompletion`).
    package let completesRows: Bool
    /// The relationships whose linked objects have parts of their identity from attributes of the
    /// object with the link, by the index of its entity.
    let identityLinks: [Int: [RelationshipMapping]]
    /// Whether headers of the answer are values of its object.
    package let readsHeaders: Bool
    /// The host's transforms by name.
    let customTransforms: [String: CustomTransform]

    /// - Parameters:
    ///   - entities: The mappings of all entities by their index. They are needed if there are
    ///     relationships.
    ///   - included: The objects that an answer has beside its results.
    package init(
        _ descriptors: [ResponseDescriptor], entities: [EntityMapping] = [],
        transforms: [String: CustomTransform] = [:], included: IncludedObjects? = nil
    ) {
        precondition(entities.enumerated().allSatisfy { $0.offset == $0.element.entity.index })
        self.descriptors = descriptors
        customTransforms = transforms
        self.included = included
        self.entities = entities
        mappings = MappingTable(descriptors: descriptors.map(\.mapping), entities: entities)
        // The entities that relationships lead to, by their index.
        let linked = Set(
            mappings.all.flatMap { mapping in
                mapping.relationships.flatMap {
                    mapping.entity.relationships[$0.relationship].targets
                }
            })
        kinds = mappings.map { mapping in
            Kind(
                root: mapping.plan.root, entity: mapping.entity,
                cellCount: mapping.entity.cellCount, identityIndex: mapping.entity.identityIndex,
                entityIndex: mapping.entity.index,
                isLinked: linked.contains(mapping.entity.index),
                hasDefaults: mapping.entity.hasDefaults,
                hasIdentityParts: mapping.entity.identityParts != nil)
        }
        hasWholeLinks = kinds.all.contains { !$0.root.pointee.links.isEmpty }
        hasMaps = mappings.all.contains { $0.relationships.contains { $0.mapKey != nil } }
        hasUnions =
            included != nil || descriptors.contains { $0.union != nil }
            || mappings.all.contains { !$0.unions.isEmpty }
        hasRequired = descriptors.contains(where: \.isRequired)
        var draft = PlanDraft()
        for (position, descriptor) in descriptors.enumerated() {
            let index = DescriptorIndex(position)
            if let conversion = descriptor.valueConversion {
                draft.add(conversion, ofAnswer: index, at: descriptor.keyPath)
            } else {
                let row = PlanRow(
                    role: .result(index), mapping: mappings.index(of: index),
                    isOfUnion: descriptor.union != nil)
                draft.add(row, at: descriptor.keyPath)
            }
        }
        if let included {
            let row = PlanRow(
                role: .included, mapping: mappings.index(ofEntity: included.union.members[0]),
                isOfUnion: true)
            draft.add(row, at: included.keyPath)
        }
        tree = PlanTree(draft)
        var completed: [Entity] = []
        var identityLinks: [Int: [RelationshipMapping]] = [:]
        if mappings.all.contains(where: { $0.entity.needsCompletion || $0.hasIdentityLinks }) {
            let mappings = Self.mappings(of: descriptors, included, entities)
            completed = mappings.map(\.entity).filter(\.needsCompletion)
            for mapping in mappings where mapping.hasIdentityLinks {
                identityLinks[mapping.entity.index] = mapping.identityLinks
            }
        }
        self.identityLinks = identityLinks
        completesRows = !completed.isEmpty || !identityLinks.isEmpty
        readsHeaders = completed.contains { entity in
            entity.attributes.contains { attribute in
                if case .header? = attribute.origin { true } else { false }
            }
        }
        details = TreeDetails(mappings.map(\.plan.details), ofAnswer: tree.details)
        let mayNotKeep =
            descriptors.contains { !$0.keepsObjects }
            || mappings.all.contains { !$0.entity.isKept }
                && Self.mappings(of: descriptors, included, entities)
                    .contains { !$0.entity.isKept }
        unkeptResults = mayNotKeep ? descriptors.map { !$0.keepsObjects } : nil
        keepsDigits =
            tree.details.keepsDigits
            || Self.mappings(of: descriptors, included, entities)
                .contains(where: \.plan.details.keepsDigits)
    }

    /// The mappings of all objects that an answer may contain.
    private static func mappings(
        of descriptors: [ResponseDescriptor], _ included: IncludedObjects?,
        _ entities: [EntityMapping]
    ) -> [EntityMapping] {
        var found = descriptors.map(\.mapping)
        let unions = descriptors.compactMap(\.union) + [included?.union].compactMap { $0 }
        var waiting = unions.flatMap(\.members)
        var known: Set<Int> = []
        var next = 0
        while true {
            while next < found.count {
                let mapping = found[next]
                next += 1
                for link in mapping.relationships {
                    waiting += mapping.entity.relationships[link.relationship].targets
                }
            }
            guard let entity = waiting.popLast() else { return found }
            if known.insert(entity).inserted { found.append(entities[entity]) }
        }
    }

    /// The form of the value of the answer; nil if no descriptor describes a value.
    package var valueShape: ValueShape? {
        descriptors.lazy.compactMap(\.valueConversion?.shape).first
    }

    /// Whether the first descriptor describes a value and not objects.
    package var beginsWithValue: Bool { descriptors.first?.valueConversion != nil }

    /// Whether a descriptor has a hook.
    package var hasHooks: Bool { descriptors.contains { $0.hook != nil } }

    /// Whether descriptors name the media types of the answers that they apply to.
    package var namesMediaTypes: Bool { descriptors.contains { !$0.mediaTypes.isEmpty } }

    /// The entities that the objects of a descriptor may be of.
    package func entities(of index: Int) -> [Entity] {
        let descriptor = descriptors[index]
        guard let union = descriptor.union else { return [descriptor.mapping.entity] }
        return union.members.map { entities[$0].entity }
    }

    /// The mapping of the entity at the other end of a link.
    @inline(__always)
    func mapping(of link: PlanLink) -> MappingIndex { mappings.index(ofEntity: link.entity) }

    /// The row of an object at the other end of a link.
    func row(of link: PlanLink) -> PlanRow { PlanRow(role: .linked, mapping: mapping(of: link)) }
}
