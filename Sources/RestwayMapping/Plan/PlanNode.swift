/// A place in the tree of source keys, as the machine reads it: plain memory, no reference counts.
///
/// Owned by its `PlanTree`, which never changes it.
struct PlanNode {
    /// The key that leads here; valid as long as the tree.
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var digest = KeyDigest(UnsafeRawBufferPointer(start: nil, count: 0))
    /// The place that was declared behind this one, below the same node: nearly always where the
    /// next key leads to.
    var next: UnsafePointer<PlanNode>?
    /// The places below in the order of declaration.
    var children = UnsafeBufferPointer<UnsafePointer<PlanNode>>(start: nil, count: 0)
    /// The children again, by their key: open addressing in a power of two of slots.
    var slots: UnsafePointer<PlanSlot>?
    var slotMask = 0
    /// Attributes that take the value here.
    var targets = UnsafeBufferPointer<PlanTarget>(start: nil, count: 0)
    /// Objects that are made of the value here.
    var rows = UnsafeBufferPointer<PlanRow>(start: nil, count: 0)
    /// Relationships that lead to what is made of the value here.
    var links = UnsafeBufferPointer<PlanLink>(start: nil, count: 0)
    /// One attribute and nothing else: what most values meet.
    var isSimple = false
    /// Of a simple place: the cell of its attribute.
    var attribute = 0
    /// Of a simple place: the kinds of values that become that cell as they are, by
    /// `EventRecord.Kind.bit`.
    var directKinds: UInt32 = 0
    /// A simple place whose key is known by its digest.
    var isQuick = false
    /// Places below and nothing else: an object here opens them.
    var isBranch = false
    /// The one row that an object here becomes, where it becomes nothing else.
    var soleRow: UnsafePointer<PlanRow>?
    /// An object here is nobody's value.
    var takesNoContainer = false

    /// The place that `key` leads to.
    ///
    /// - Parameter last: Where the key before it led to; nil for the first.
    @inline(__always)
    func child(
        _ key: UnsafeRawBufferPointer, after last: UnsafePointer<PlanNode>? = nil
    ) -> UnsafePointer<PlanNode>? {
        child(key, guessing: last == nil ? children.first : last?.pointee.next)
    }

    /// The same.
    ///
    /// - Parameter guess: A child that is likely to be it.
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

/// One place of a node's table; at least one of them is empty.
struct PlanSlot {
    var digest = KeyDigest(UnsafeRawBufferPointer(start: nil, count: 0))
    var node: UnsafePointer<PlanNode>?

    func hasKey(_ key: UnsafeRawBufferPointer) -> Bool {
        node.map { $0.pointee.key.elementsEqual(key) } ?? false
    }
}

/// An object that is made of a value.
struct PlanRow {
    /// Index of the descriptor in its plan, for the results.
    let descriptor: Int
    /// Index into the plan's entity mappings.
    let mapping: Int
}

/// A relationship that leads to objects, or identities of objects.
struct PlanLink {
    /// The cell of the relationship in a row.
    let cell: Int
    let isMany: Bool
    /// Null changes nothing, so it says nothing of the object that it belongs to.
    let ignoresNull: Bool
    /// The index, within its model, of the entity at the other end.
    let entity: Int
}
