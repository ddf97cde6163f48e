import Glibc
import RestwayThreads

/// A named type of object.
///
/// An entity is equal only to itself: two apis may each have a "Company".
///
/// `@unchecked Sendable`: nothing changes after `init`, not even the C strings.
package final class Entity: @unchecked Sendable {
    package let name: String
    /// The position in its model.
    package let index: Int
    /// The model. Relationships lead to entities of the same model.
    package let model: EntityModel
    /// The attributes of all entities of the family, in the order of the API document. The cell of
    /// an attribute has the same index.
    package let attributes: [Attribute]
    /// The relationships in the order of the API document. Their cells follow the cells of the
    /// attributes.
    package let relationships: [Relationship]
    /// The index of the cell that identifies objects: the cell of an attribute, or the hidden cell
    /// of an identity of several parts. It is `nil` if objects have no identity.
    package let identityIndex: Int?
    /// The parts of the identity; `nil` if one attribute is the identity, or no attribute.
    package let identityParts: IdentityParts?
    /// Whether there is one object for each path of a request, which is its identity.
    package let isSingleton: Bool
    /// The indices of the attributes whose texts a full text search looks in.
    package let fullText: [Int]
    /// The indices of the attributes of the family whose values do not stand in the JSON of their
    /// objects.
    package let elsewhere: [Int]
    /// Whether rows of the entity have values that do not stand in the JSON of the object, and that
    /// no mapper gives them, so that they are completed before a store takes them.
    package let needsCompletion: Bool
    /// The values of objects that an answer creates without a value; `nil` if no attribute of the
    /// family has a default.
    let defaults: DefaultValues?
    /// Whether stores keep the objects of the entity.
    package let isKept: Bool
    /// The cells of which an object has none if it is known by its identity alone.
    package let loadingCells: LoadingCells
    /// How the versions of the objects are known; `nil` if the server's state is never compared.
    package let version: VersionRule?
    package let conflicts: ConflictRules
    /// Whether it has a `version`. Rows are asked for it one by one.
    let isVersioned: Bool
    /// The process that made the entity, and with it all of its objects.
    package let generation = ProcessGeneration.current

    /// The names of the entity, of its attributes, of its relationships and of the entities at
    /// their other ends, and the types of the attributes, for C. They lie in one block.
    private let cStrings: [UnsafePointer<CChar>]
    private let indexOfName: [String: Int]
    /// The place among the entities that describe the same objects.
    package let shape: EntityShape

    /// - Parameters:
    ///   - model: The model; `nil` for an entity that stands alone.
    ///   - family: The entities that describe the same objects, and the number of this one; `nil`
    ///     if no entity extends this one, and this one extends none. All of them have the same
    ///     attributes and relationships.
    ///   - ownCells: Whether the entity itself has each attribute and relationship; empty if it has
    ///     all.
    ///   - identityIndex: The attribute that alone identifies objects.
    ///   - identityParts: The attributes that identify objects together, in place of
    ///     `identityIndex`.
    ///   - isKept: Whether stores keep the objects.
    ///   - conflicts: Used only if the entity has a `version`.
    package init(
        name: String, index: Int, attributes: [Attribute], relationships: [Relationship] = [],
        identityIndex: Int? = nil, identityParts: [Int]? = nil, fullText: [Int] = [],
        model: EntityModel? = nil, family: (EntityFamily, number: Int)? = nil,
        ownCells: [Bool] = [], isKept: Bool = true, version: VersionRule? = nil,
        conflicts: ConflictRules = ConflictRules()
    ) {
        precondition(identityIndex.map(attributes.indices.contains) ?? true)
        self.name = name
        self.index = index
        self.model = model ?? EntityModel()
        self.attributes = attributes
        self.relationships = relationships
        self.identityParts = identityParts.map { IdentityParts($0, of: attributes) }
        self.fullText = fullText
        elsewhere = attributes.indices.filter { attributes[$0].origin != nil }
        self.isKept = isKept
        self.version = version
        self.conflicts = conflicts
        isVersioned = version != nil
        isSingleton = identityParts?.isEmpty ?? false
        needsCompletion =
            identityParts?.isEmpty ?? false
            || attributes.contains { $0.origin != nil && $0.origin != .key }
        let (family, number) = family ?? (EntityFamily([(name, index, nil)]), 0)
        let valueCount = attributes.count + relationships.count
        shape = EntityShape(
            family, number, valueCount: valueCount, ownCells: ownCells,
            hasIdentityCell: identityParts != nil)
        self.identityIndex = shape.identityCell ?? identityIndex
        defaults = DefaultValues(attributes, of: shape)
        loadingCells = LoadingCells(
            attributes, valueCount: valueCount,
            identity: identityParts ?? identityIndex.map { [$0] }, of: shape)
        cStrings = Self.cStrings(
            [name] + attributes.map(\.name) + relationships.map(\.name)
                + relationships.map(\.targetName) + attributes.map(\.shape.description))
        indexOfName = Dictionary(
            attributes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    deinit {
        nameCString.deallocate()
    }

    /// The name for the C boundary; valid while the entity lives.
    package var nameCString: UnsafePointer<CChar> { cStrings[0] }

    private var attributeNameCStrings: ArraySlice<UnsafePointer<CChar>> {
        cStrings[1..<(1 + attributes.count)]
    }

    private var relationshipNameCStrings: ArraySlice<UnsafePointer<CChar>> {
        cStrings[(1 + attributes.count)..<(1 + valueCount)]
    }

    /// Whether attributes of the family have defaults or constants.
    package var hasDefaults: Bool { defaults != nil }

    /// The number of cells in a snapshot: one for each attribute and relationship, one for the
    /// shapes of an object if there are several, and one for an identity of several parts.
    package var cellCount: Int { shape.cellCount }

    /// Returns the index in `relationships`.
    package func relationshipIndex(named name: String) -> Int? {
        relationships.firstIndex { $0.name == name }
    }

    package func relationshipIndex(cString name: UnsafePointer<CChar>) -> Int? {
        let names = relationshipNameCStrings
        return names.firstIndex { strcmp($0, name) == 0 }.map { $0 - names.startIndex }
    }

    /// Returns the name of a relationship, valid while the entity lives; `nil` if `index` is out of
    /// range.
    package func relationshipNameCString(at index: Int) -> UnsafePointer<CChar>? {
        relationships.indices.contains(index) ? cStrings[1 + attributes.count + index] : nil
    }

    /// Returns the name of the attribute or relationship of a cell, valid while the entity lives;
    /// `nil` if `index` is out of range.
    package func cellNameCString(at index: Int) -> UnsafePointer<CChar>? {
        (0..<valueCount).contains(index) ? cStrings[1 + index] : nil
    }

    /// Returns the name of the entity at the other end, valid while the entity lives.
    package func relationshipTargetCString(at index: Int) -> UnsafePointer<CChar>? {
        relationships.indices.contains(index) ? cStrings[1 + valueCount + index] : nil
    }

    /// Returns whether objects of `other` may stand at the other end of `relationship`: `other` is
    /// the entity at the other end, or extends it.
    package func links(_ relationship: Relationship, to other: Entity) -> Bool {
        links(relationship, other, other.shape.shapes)
    }

    /// Returns whether an object may stand at the other end of `relationship`.
    package func links(_ relationship: Relationship, to object: Snapshot) -> Bool {
        links(relationship, object.entity, object.shapes)
    }

    private func links(
        _ relationship: Relationship, _ other: Entity, _ shapes: ShapeSet
    ) -> Bool {
        guard model === other.model else { return false }
        return relationship.targets.contains { target in
            target == other.index
                || !other.family.isAlone
                    && other.family.number(ofIndex: target).map(shapes.contains) ?? false
        }
    }

    package func attributeIndex(named name: String) -> Int? {
        indexOfName[name]
    }

    /// Returns the index of an attribute without making a `String`, for callers from C.
    package func attributeIndex(cString name: UnsafePointer<CChar>) -> Int? {
        attributeNameCStrings.firstIndex { strcmp($0, name) == 0 }.map { $0 - 1 }
    }

    /// Returns the name of an attribute, valid while the entity lives; `nil` if `index` is out of
    /// range.
    package func attributeNameCString(at index: Int) -> UnsafePointer<CChar>? {
        attributes.indices.contains(index) ? cStrings[1 + index] : nil
    }

    /// Returns the type of an attribute as an API document writes it, valid while the entity lives;
    /// `nil` if `index` is out of range.
    package func attributeTypeCString(at index: Int) -> UnsafePointer<CChar>? {
        let first = 1 + valueCount + relationships.count
        return attributes.indices.contains(index) ? cStrings[first + index] : nil
    }

    /// Copies names for C into one block, which begins with the first name. A name that holds a NUL
    /// ends there.
    static func cStrings(_ names: [String]) -> [UnsafePointer<CChar>] {
        let count = names.reduce(0) { $0 + $1.utf8.count + 1 }
        var next = UnsafeMutablePointer<CChar>.allocate(capacity: count)
        return names.map { name in
            let bytes = name.utf8CString
            defer { next += bytes.count }
            _ = UnsafeMutableBufferPointer(start: next, count: bytes.count).initialize(from: bytes)
            return UnsafePointer(next)
        }
    }
}

/// One attribute of an entity.
package struct Attribute: Equatable, Sendable {
    package let name: String
    /// The type of the values that cells and columns hold: JSON for a list or a map of values.
    package let type: AttributeType
    /// The form of the values as the API document declares it.
    package let shape: ValueShape
    /// The constant, the default and the listed values.
    package let rules: ValueRules
    /// The place from which the value comes; nil for a value in the JSON of the object.
    package let origin: AttributeOrigin?

    package init(
        name: String, type: AttributeType = .any, origin: AttributeOrigin? = nil
    ) {
        self.init(name: name, shape: .one(type), origin: origin)
    }

    package init(
        name: String, shape: ValueShape, rules: ValueRules = ValueRules(),
        origin: AttributeOrigin? = nil
    ) {
        self.name = name
        self.shape = shape
        self.rules = rules
        self.origin = origin
        type = shape.storedType
    }
}

/// The type of an attribute's values.
package enum AttributeType: String, CaseIterable, Sendable {
    /// The value as the source gives it; an object or a list becomes JSON text.
    case any
    case bool
    case int
    case double
    case string
    case date
    case bytes
    /// The text of the JSON value, whatever its type.
    case json
}

/// A named link from the objects of one entity to the objects of another entity or of the same
/// entity.
package struct Relationship: Equatable, Sendable {
    /// The effect of a response on the existing links.
    package enum Policy: String, CaseIterable, Sendable {
        /// The new links replace the old links.
        case assign
        /// New links are added after the old links; null changes nothing.
        case merge
        /// The new links replace the old links, and objects that are no longer linked are deleted
        /// from the store.
        case replace
    }

    /// The effect of null and `{}` as elements of a list.
    package enum EmptyElements: String, CaseIterable, Sendable {
        /// They are left out.
        case drop
        /// Each is an object of its own, without values.
        case object
        /// Each is a gap, which is a link with the key 0.
        case gap
    }

    package let name: String
    /// The name of the entity at the other end, or of the union of entities.
    package let targetName: String
    /// The indices, in the same model, of the entities that the objects at the other end may be of:
    /// one entity, or the members of a union. Objects of entities that extend them count, too.
    package let targets: [Int]
    package let isMany: Bool
    package let policy: Policy
    package let emptyElements: EmptyElements

    package init(
        name: String, targetName: String, targetIndex: Int, isMany: Bool = false,
        policy: Policy = .assign, emptyElements: EmptyElements = .drop
    ) {
        self.init(
            name: name, targetName: targetName, targets: [targetIndex], isMany: isMany,
            policy: policy, emptyElements: emptyElements)
    }

    package init(
        name: String, targetName: String, targets: [Int], isMany: Bool = false,
        policy: Policy = .assign, emptyElements: EmptyElements = .drop
    ) {
        self.name = name
        self.targetName = targetName
        self.targets = targets
        self.isMany = isMany
        self.policy = policy
        self.emptyElements = emptyElements
    }
}

extension Relationship {
    /// Returns the entities of `tables`, each of another family, to whose families the relationship
    /// of `entity` leads. Most relationships lead to one, at which the search ends.
    package func targets<Table>(
        among tables: some Collection<Table>, _ entityOf: (Table) -> Entity, from entity: Entity
    ) -> [Entity] {
        var found: [Entity] = []
        for table in tables where entity.leads(self, toFamilyOf: entityOf(table)) {
            found.append(entityOf(table))
            if found.count == targets.count { break }
        }
        return found
    }
}

/// The common model of the entities of one api. It distinguishes them from the entities of another
/// api.
package final class EntityModel: Sendable {
    package init() {}
}
