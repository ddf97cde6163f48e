/// The index of a descriptor in its plan, and of its results.
///
/// It has 32 bits, so that an optional index is no larger than an integer.
struct DescriptorIndex: Hashable {
    private let raw: UInt32

    init(_ position: Int) { raw = UInt32(position) }

    /// The position in `MappingPlan.descriptors`.
    var position: Int { Int(raw) }
}

/// The index of a mapping in its plan. Only a table of the plan makes it.
struct MappingIndex: Hashable {
    fileprivate let raw: UInt32

    fileprivate init(_ position: Int) { raw = UInt32(position) }
}

/// One element for each mapping of a plan: for the mappings of the descriptors, and after them for
/// the mappings of all entities of the model.
struct MappingTable<Element> {
    private let elements: [Element]
    private let descriptorCount: Int

    init(descriptors: [Element], entities: [Element]) {
        elements = descriptors + entities
        descriptorCount = descriptors.count
    }

    private init(_ elements: [Element], descriptorCount: Int) {
        self.elements = elements
        self.descriptorCount = descriptorCount
    }

    /// The index of the mapping that a descriptor has itself.
    func index(of descriptor: DescriptorIndex) -> MappingIndex {
        precondition(descriptor.position < descriptorCount)
        return MappingIndex(descriptor.position)
    }

    /// The index of the mapping that relationships use for an entity of the model.
    func index(ofEntity entity: Int) -> MappingIndex {
        precondition(entity >= 0 && entity < elements.count - descriptorCount)
        return MappingIndex(descriptorCount + entity)
    }

    subscript(mapping: MappingIndex) -> Element {
        @inline(__always) _read { yield elements[Int(mapping.raw)] }
    }

    /// The elements in the order of the indices.
    var all: [Element] { elements }

    func map<Other>(_ transform: (Element) -> Other) -> MappingTable<Other> {
        MappingTable<Other>(elements.map(transform), descriptorCount: descriptorCount)
    }
}
