/// A place in the tree of source keys, as the machine reads it. It is plain memory without
/// reference counts.
///
/// Its `PlanTree` owns it and never changes it.
struct PlanNode {
    /// The key that leads here. It is valid as long as the tree.
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var digest = KeyDigest(UnsafeRawBufferPointer(start: nil, count: 0))
    /// The place that was declared next under the same parent. The next key nearly always leads to
    /// it.
    var next: UnsafePointer<PlanNode>?
    /// The places below, in the order of declaration.
    var children = UnsafeBufferPointer<UnsafePointer<PlanNode>>(start: nil, count: 0)
    /// A hash table of the children by key, with open addressing and a power of two of slots.
    var slots: UnsafePointer<PlanSlot>?
    var slotMask = 0
    /// The attributes that take the value here.
    var targets = UnsafeBufferPointer<PlanTarget>(start: nil, count: 0)
    /// The objects that are made from the value here.
    var rows = UnsafeBufferPointer<PlanRow>(start: nil, count: 0)
    /// The relationships that lead to the objects made from the value here.
    var links = UnsafeBufferPointer<PlanLink>(start: nil, count: 0)
    /// Whether one attribute takes the value and nothing else does, which is the most common case.
    var isSimple = false
    /// The cell of the attribute, for a simple place.
    var attribute = 0
    /// The kinds of values that become this cell unchanged, for a simple place, as bits of
    /// `EventRecord.Kind.bit`.
    var directKinds: UInt32 = 0
    /// Whether this is a simple place whose digest decides its key.
    var isQuick = false
    /// Whether there are only places below. An object here opens them.
    var isBranch = false
    /// The row of an object here, if the object becomes this row and nothing else.
    var soleRow: UnsafePointer<PlanRow>?
    /// Whether no attribute takes an object here.
    var takesNoContainer = false

    /// The place that `key` leads to.
    ///
    /// - Parameter last: The place of the key before; nil for the first key.
    @inline(__always)
    func child(
        _ key: UnsafeRawBufferPointer, after last: UnsafePointer<PlanNode>? = nil
    ) -> UnsafePointer<PlanNode>? {
        child(key, guessing: last == nil ? children.first : last?.pointee.next)
    }

    /// The place that `key` leads to.
    ///
    /// - Parameter guess: The child that `key` probably leads to.
    @inline(__always)
    func child(
        _ key: UnsafeRawBufferPointer, guessing guess: UnsafePointer<PlanNode>?
    ) -> UnsafePointer<PlanNode>? {
        guard let slots else { return nil }
        let digest = KeyDigest(key)
        if let guess, digest.decides, guess.pointee.digest == digest { return guess }
        var index = digest.hash & slotMask
        while let node = slots[index].node {
            if slots[index].digest == digest, digest.decides || slots[index].hasKey(key) {
                return node
            }
            index = (index + 1) & slotMask
        }
        return nil
    }
}

/// One slot of a node's hash table. At least one slot of a table is empty.
struct PlanSlot {
    var digest = KeyDigest(UnsafeRawBufferPointer(start: nil, count: 0))
    var node: UnsafePointer<PlanNode>?

    func hasKey(_ key: UnsafeRawBufferPointer) -> Bool {
        node.map { $0.pointee.key.elementsEqual(key) } ?? false
    }
}

/// An object that is made from a value.
struct PlanRow {
    /// The index of the descriptor in its plan, for the results.
    let descriptor: Int
    /// The index into the plan's entity mappings.
    let mapping: Int
}

/// A relationship that leads to objects, or identities of objects.
struct PlanLink {
    /// The index of the relationship's cell in a row.
    let cell: Int
    let isMany: Bool
    /// Whether null leaves the relationship unchanged, so that it is no information about the
    /// object.
    let ignoresNull: Bool
    /// The index of the linked entity in its model.
    let entity: Int
}
