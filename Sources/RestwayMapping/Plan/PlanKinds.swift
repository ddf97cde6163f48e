import RestwayObjects

/// Facts about the mappings of a plan that every machine needs, by the index of the mapping.
///
/// `@unchecked Sendable`: the nodes that it points to belong to the mappings' own plans. `mappings`
/// keeps these plans, and no code changes them.
final class PlanKinds: @unchecked Sendable {
    /// The facts that are needed to start a row.
    struct Row: BitwiseCopyable {
        let root: UnsafePointer<PlanNode>
        /// `mappings` keeps the entity, so no reference is counted.
        unowned(unsafe) let entity: Entity
        let cellCount: Int
        let identityIndex: Int?
        let entityIndex: Int
        /// Whether relationships lead to rows of this mapping.
        let isLinked: Bool
    }

    let rows: [Row]
    let entities: [Entity]
    let formats: [[DateFormat]]
    let transforms: [[ValueConversion]]
    /// The mappings of results that are compared with stored objects, because a result may have
    /// nothing new. Their objects have integer identities and no relationships.
    let glanced: [(mapping: Int, entity: Entity)]
    /// Whether a descriptor has a hook.
    let hasHooks: Bool
    private let mappings: [EntityMapping]

    init(_ descriptors: [ResponseDescriptor], _ mappings: [EntityMapping], linked: Set<Int>) {
        self.mappings = mappings
        rows = mappings.map { mapping in
            Row(
                root: mapping.plan.root, entity: mapping.entity,
                cellCount: mapping.entity.cellCount, identityIndex: mapping.entity.identityIndex,
                entityIndex: mapping.entity.index,
                isLinked: linked.contains(mapping.entity.index))
        }
        entities = mappings.map(\.entity)
        formats = mappings.map(\.plan.formats)
        transforms = mappings.map(\.plan.transforms)
        glanced = descriptors.enumerated().compactMap { index, descriptor in
            let entity = descriptor.mapping.entity
            guard entity.relationships.isEmpty, entity.identityIndex != nil else { return nil }
            return (index, entity)
        }
        hasHooks = descriptors.contains { $0.hook != nil }
    }
}
