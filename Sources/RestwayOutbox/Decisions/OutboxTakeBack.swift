import RestwayObjects

/// Decides what is undone in one object when items are dropped.
///
/// Every item that changed the object is a layer over the earlier values. Dropping an item removes
/// its layer. If it is the topmost layer, the values below it appear again; otherwise the layer
/// above now lies on the values below. A layer is known by the values before and after it. If the
/// layer above does not begin with the value with which the dropped layer ended, somebody else
/// changed the value in between, and that change stays.
struct OutboxTakeBack: Sendable {
    /// The change that one item made to one attribute or relationship.
    struct Layer: Equatable, Sendable {
        let item: Int64
        let name: String
        var before: Value
        let after: Value
    }

    /// One change that the store is to make.
    enum Step: Equatable, Sendable {
        /// Deletes the object, unless a server has answered for it.
        case delete
        /// Replaces `from`, if it is still the value, by `to`. If `needsUnsent` is true, this
        /// happens only in an object that no server has answered for.
        case restore(String, from: Value, to: Value, needsUnsent: Bool)
    }

    /// The changes that the store is to make, newest item first.
    private(set) var steps: [(item: Int64, step: Step)] = []
    /// Layers of items that stay and whose value before the change is now another value.
    private(set) var moved: [Layer] = []
    /// The item that counts from now on as the maker of the object; `nil` if nothing changes.
    private(set) var newMaker: Int64?

    /// - Parameters:
    ///   - layers: All layers of the object that belong to stored items.
    ///   - maker: The item that made the object; `nil` if no item did.
    init(_ layers: [Layer], maker: Int64?, dropping dropped: Set<Int64>) {
        let isOrphan = maker.map { dropped.contains($0) } ?? false
        if isOrphan {
            newMaker = layers.map(\.item).filter { !dropped.contains($0) }.min()
        }
        for name in Set(layers.map(\.name)).sorted() {
            takeBack(
                layers.filter { $0.name == name }.sorted { $0.item < $1.item },
                maker: isOrphan ? maker : nil, dropped)
        }
        if isOrphan, newMaker == nil, let maker { steps.append((maker, .delete)) }
        steps = steps.enumerated().sorted { left, right in
            (left.element.item, right.offset) > (right.element.item, left.offset)
        }.map(\.element)
    }

    /// - Parameter maker: The item that made the object if it is dropped; otherwise `nil`.
    private mutating func takeBack(_ layers: [Layer], maker: Int64?, _ dropped: Set<Int64>) {
        var left = layers
        for index in left.indices.reversed() where dropped.contains(left[index].item) {
            let layer = left.remove(at: index)
            if index < left.count {
                if left[index].before.isSame(as: layer.after) { left[index].before = layer.before }
            } else if layer.item != maker {
                restore(layer, needsUnsent: false)
            } else if newMaker != nil {
                // A server may meanwhile have given the object the same value.
                restore(layer, needsUnsent: true)
            }
        }
        let before = Dictionary(uniqueKeysWithValues: layers.map { ($0.item, $0.before) })
        moved += left.filter { !($0.before.isSame(as: before[$0.item] ?? .absent)) }
    }

    private mutating func restore(_ layer: Layer, needsUnsent: Bool) {
        let step = Step.restore(
            layer.name, from: layer.after, to: layer.before, needsUnsent: needsUnsent)
        steps.append((layer.item, step))
    }
}

/// The changes that storing a request made in the object store: enough to undo them when the
/// request is dropped.
struct OutboxChange: Equatable, Sendable {
    /// An object as the store knows it.
    struct Subject: Hashable, Sendable {
        /// Distinguishes the store keys of one store in memory from the store keys of another
        /// store; `nil` for a store in a file, whose keys stay valid.
        let life: String?
        let entity: String
        let storeKey: Int64
    }

    /// One attribute or relationship of an object.
    struct Cell: Equatable, Sendable {
        let subject: Subject
        let name: String
        let before: Value
        let after: Value
    }

    /// The objects that did not exist before.
    var made: [Subject] = []
    var cells: [Cell] = []

    var isEmpty: Bool { made.isEmpty && cells.isEmpty }
}

/// One step that undoes changes of a dropped item. The journal keeps it until the object store has
/// carried it out.
struct OutboxRestoration: Equatable, Sendable {
    /// The item that was dropped.
    let item: Int64
    let subject: OutboxChange.Subject
    let step: OutboxTakeBack.Step
}
