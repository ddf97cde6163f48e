package import RestwayObjects

/// Decides what is undone in one object when items are dropped.
///
/// Every item that changed the object is a layer over the earlier values. Dropping an item removes
/// its layer. If it is the topmost layer, the values below it appear again; otherwise the layer
/// above now lies on the values below. A layer is known by the values before and after it. If the
/// layer above does not begin with the value with which the dropped one ended, somebody else
/// changed the value in between, and that change stays.
package struct OutboxTakeBack: Equatable, Sendable {
    /// The change that one item made to one attribute or relationship.
    package struct Layer: Equatable, Sendable {
        package let item: Int64
        package let name: String
        package var before: Value
        package let after: Value

        package init(item: Int64, _ name: String, before: Value, after: Value) {
            (self.item, self.name) = (item, name)
            (self.before, self.after) = (before, after)
        }
    }

    /// One change that the store is to make.
    package enum Step: Equatable, Sendable {
        /// Deletes the object, unless a server has answered for it.
        case delete
        /// Replaces `from`, if it is still the value, by `to`. If `needsUnsent` is true, this
        /// happens only in an object that no server has answered for.
        case restore(String, from: Value, to: Value, needsUnsent: Bool)
    }

    /// The changes that the store is to make, newest item first.
    package private(set) var steps: [(item: Int64, step: Step)] = []
    /// Layers of items that stay, whose value before the change is now another one.
    package private(set) var moved: [Layer] = []
    /// The item that counts from now on as the one that made the object; `nil` if nothing changes.
    package private(set) var newMaker: Int64?

    /// - Parameters:
    ///   - layers: All layers of the object that belong to stored items.
    ///   - maker: The item that made the object; `nil` if no item did.
    package init(_ layers: [Layer], maker: Int64?, dropping dropped: Set<Int64>) {
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
                steps.append((layer.item, .step(layer, needsUnsent: false)))
            } else if newMaker != nil {
                // A server may meanwhile have given the object the same value.
                steps.append((layer.item, .step(layer, needsUnsent: true)))
            }
        }
        let before = Dictionary(uniqueKeysWithValues: layers.map { ($0.item, $0.before) })
        moved += left.filter { !($0.before.isSame(as: before[$0.item] ?? .absent)) }
    }

    package static func == (left: OutboxTakeBack, right: OutboxTakeBack) -> Bool {
        left.moved == right.moved && left.newMaker == right.newMaker
            && left.steps.elementsEqual(right.steps) { $0.item == $1.item && $0.step == $1.step }
    }
}

extension OutboxTakeBack.Step {
    fileprivate static func step(_ layer: OutboxTakeBack.Layer, needsUnsent: Bool) -> Self {
        .restore(layer.name, from: layer.after, to: layer.before, needsUnsent: needsUnsent)
    }
}

/// The changes that storing a request made in the object store: enough to undo them when the
/// request is dropped.
package struct OutboxChange: Equatable, Sendable {
    /// An object as the store knows it.
    package struct Subject: Hashable, Sendable {
        package let entity: String
        package let storeKey: Int64

        package init(entity: String, storeKey: Int64) {
            (self.entity, self.storeKey) = (entity, storeKey)
        }
    }

    /// One attribute or relationship of an object.
    package struct Cell: Equatable, Sendable {
        package let subject: Subject
        package let name: String
        package let before: Value
        package let after: Value

        package init(_ subject: Subject, _ name: String, before: Value, after: Value) {
            (self.subject, self.name) = (subject, name)
            (self.before, self.after) = (before, after)
        }
    }

    /// Distinguishes the store keys of one store in memory from those of another; `nil` for a store
    /// in a file, whose keys stay valid.
    package var life: String?
    /// The objects that did not exist before.
    package var made: [Subject] = []
    package var cells: [Cell] = []

    package init(life: String?) {
        self.life = life
    }

    package var isEmpty: Bool { made.isEmpty && cells.isEmpty }
}

/// One step that undoes changes of a dropped item. The journal keeps it until the object store has
/// carried it out.
package struct OutboxRestoration: Equatable, Sendable {
    /// The item that was dropped.
    package let item: Int64
    package let life: String?
    package let subject: OutboxChange.Subject
    package let step: OutboxTakeBack.Step

    package init(
        item: Int64, life: String?, _ subject: OutboxChange.Subject, _ step: OutboxTakeBack.Step
    ) {
        (self.item, self.life, self.subject, self.step) = (item, life, subject, step)
    }
}
