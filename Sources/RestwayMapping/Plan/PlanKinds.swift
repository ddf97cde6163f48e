import RestwayObjects

/// What every machine of one plan needs to know of its mappings, by their index, gathered once.
///
/// `@unchecked Sendable`: the nodes that it points to belong to the mappings' own plans, which
/// `mappings` keeps and nobody changes.
final class PlanKinds: @unchecked Sendable {
    /// What starting a row needs to know.
    struct Row: BitwiseCopyable {
        let root: UnsafePointer<PlanNode>
        /// Kept by `mappings`; no reference is counted for it.
        unowned(unsafe) let entity: Entity
        let cellCount: Int
        let identityIndex: Int?
        let entityIndex: Int
        /// Relationships lead to rows of it.
        let isLinked: Bool
    }

    let rows: [Row]
    let entities: [Entity]
    let formats: [[DateFormat]]
    let transforms: [[ValueConversion]]
    /// Rows of which descriptors may say nothing new, which a look at the store tells: those whose
    /// objects have neither relationships nor other identities than integers.
    let glanced: [(mapping: Int, entity: Entity)]
    /// A descriptor has a hook.
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
