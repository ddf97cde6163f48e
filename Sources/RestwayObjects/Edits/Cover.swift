/// The pending edits of one object, and the server's values under them.
///
/// The row of the object, which readers see, has the values of the edits. A cell with an edit that
/// is seen is *covered*: a value of the server goes under the edit, into `base`.
package struct Cover: Equatable, Sendable {
    /// The edit of the object by one request.
    package struct Layer: Equatable, Sendable {
        package let edit: EditID
        /// The place of the edit among all edits of the store. A later edit has a higher place.
        package let place: Int64
        /// Whether the edit made the object.
        package var made = false
        /// Whether the edit hides the object, because it is to be deleted.
        package var hides = false
        /// Whether the edit is seen. A suspended edit is not.
        package var isActive = true
        /// Whether the edit waits for a decision of the program.
        package var isParked = false
        /// The values that the edit was made on, and those that it gives, by their cells.
        package var cells: [Int: Values] = [:]

        package init(_ edit: EditID, place: Int64) {
            self.edit = edit
            self.place = place
        }

        package var pendingCells: [PendingEdit.Cell] {
            cells.keys.sorted().compactMap { index in
                cells[index].map {
                    PendingEdit.Cell(index, before: $0.before, after: $0.after)
                }
            }
        }
    }

    package struct Values: Equatable, Sendable {
        package var before: Value
        package var after: Value

        package static func == (left: Values, right: Values) -> Bool {
            left.before.isIdentical(to: right.before) && left.after.isIdentical(to: right.after)
        }

        package init(before: Value, after: Value) {
            self.before = before
            self.after = after
        }
    }

    /// The part of the cover that observers are told of.
    struct Mark: Equatable {
        var cells: Set<Int> = []
        var isPending = false
        var isHidden = false
        var isConflicted = false
    }

    /// The server's newest values of the covered cells.
    package var base: [Int: Value] = [:]
    /// The edits in their order.
    package private(set) var layers: [Layer] = []

    package init() {}

    /// Makes a cover of what a file has.
    package init(base: [Int: Value], layers: [Layer]) {
        self.layers = layers.sorted(by: Self.isBefore)
        for (cell, value) in base where covers(cell) { self.base[cell] = value }
    }

    package var isEmpty: Bool { layers.isEmpty }

    /// Whether an edit of the object is seen.
    package var isPending: Bool { layers.contains(where: \.isActive) }

    /// Whether a waiting deletion hides the object.
    package var isHidden: Bool {
        layers.contains { $0.isActive && $0.hides && !$0.isParked }
    }

    /// Whether an edit of the object waits for a decision of the program.
    package var isConflicted: Bool { layers.contains { $0.isActive && $0.isParked } }

    var mark: Mark {
        Mark(
            cells: Set(layers.filter(\.isActive).flatMap(\.cells.keys)), isPending: isPending,
            isHidden: isHidden, isConflicted: isConflicted)
    }

    package func layer(_ edit: EditID) -> Layer? { layers.first { $0.edit == edit } }

    package func covers(_ cell: Int) -> Bool {
        layers.contains { $0.isActive && $0.cells[cell] != nil }
    }

    /// The covered cells, each with the value that the first edit was made on and the value that
    /// the last edit gives.
    package var pendingCells: [PendingEdit.Cell] {
        mark.cells.sorted().compactMap { cell in
            let values = layers.filter(\.isActive).compactMap { $0.cells[cell] }
            guard let first = values.first, let last = values.last else { return nil }
            return PendingEdit.Cell(cell, before: first.before, after: last.after)
        }
    }

    /// Returns the object with the server's values.
    package func confirmed(_ object: Snapshot) -> Snapshot {
        guard !base.isEmpty else { return object }
        let confirmed = object.replacing(base)
        confirmed.setStoreKey(object.storeKey)
        return confirmed
    }

    package static func == (left: Cover, right: Cover) -> Bool {
        left.layers == right.layers && left.base.count == right.base.count
            && left.base.allSatisfy { right.base[$0.key]?.isIdentical(to: $0.value) ?? false }
    }

    private static func isBefore(_ left: Layer, _ right: Layer) -> Bool {
        (left.place, left.edit.number) < (right.place, right.edit.number)
    }
}

/// The steps of an edit. Each of them returns the values that the row of the object gets.
extension Cover {
    /// Adds the cells of a layer to the cover. If the edit already has a layer here, that layer
    /// gets the cells; otherwise the new layer is added.
    ///
    /// - Parameter object: The object before the edit.
    mutating func lay(
        _ new: Layer, over object: Snapshot?
    ) -> [Int: Value] {
        let value = { (cell: Int) in object?.value(at: cell) ?? .absent }
        for cell in new.cells.keys where !covers(cell) { base[cell] = value(cell) }
        if let index = layers.firstIndex(where: { $0.edit == new.edit }) {
            layers[index].hides = layers[index].hides || new.hides
            layers[index].cells.merge(new.cells) { Values(before: $0.before, after: $1.after) }
        } else {
            layers.append(new)
            layers.sort(by: Self.isBefore)
        }
        return settle(new.cells.keys)
    }

    /// Ends an edit that the server has accepted.
    mutating func deliver(_ edit: EditID) -> [Int: Value] {
        guard let layer = remove(edit) else { return [:] }
        for (cell, values) in layer.cells { base[cell] = values.after }
        return settle(layer.cells.keys)
    }

    /// Ends an edit as if it had not been made.
    ///
    /// - Parameter isUnsent: Whether no server has answered for the object. The next edit then
    ///   counts as the one that made the object.
    mutating func takeBack(_ edit: EditID, isUnsent: Bool) -> [Int: Value] {
        guard let place = layers.firstIndex(where: { $0.edit == edit }) else { return [:] }
        let layer = layers.remove(at: place)
        if layer.made, isUnsent, !layers.isEmpty { layers[0].made = true }
        guard layer.isActive else { return [:] }
        uncover(layer, from: place)
        return settle(layer.cells.keys)
    }

    mutating func suspend(_ edit: EditID) -> [Int: Value] {
        guard let place = layers.firstIndex(where: { $0.edit == edit }) else { return [:] }
        layers[place].isParked = false
        guard layers[place].isActive, !layers[place].made else { return [:] }
        layers[place].isActive = false
        uncover(layers[place], from: place + 1)
        return settle(layers[place].cells.keys)
    }

    /// Lets an edit wait again that was suspended or parked.
    ///
    /// - Parameter object: The object before the step. If it has a version, the edit keeps the
    ///   values that it was made on, so that a value that the server has changed is in conflict.
    mutating func resume(_ edit: EditID, over object: Snapshot) -> [Int: Value] {
        guard let place = layers.firstIndex(where: { $0.edit == edit }) else { return [:] }
        layers[place].isParked = false
        guard !layers[place].isActive else { return [:] }
        for (cell, values) in layers[place].cells {
            if !covers(cell) { base[cell] = object.value(at: cell) }
            let under = below(place, cell)
            if under != nil || !object.entity.isVersioned {
                layers[place].cells[cell]?.before = under ?? base[cell] ?? .absent
            }
            rebase(cell, from: under ?? base[cell] ?? .absent, to: values.after, above: place + 1)
        }
        layers[place].isActive = true
        return settle(layers[place].cells.keys)
    }

    /// Lets an edit wait for a decision of the program.
    ///
    /// - Parameter object: The object before the step.
    mutating func park(_ edit: EditID, over object: Snapshot) -> [Int: Value] {
        let values = resume(edit, over: object)
        if let place = layers.firstIndex(where: { $0.edit == edit }) {
            layers[place].isParked = true
        }
        return values
    }

    /// Gives an edit other cells, in place of those that it has.
    ///
    /// - Parameter object: The object before the step.
    mutating func rebase(
        _ edit: EditID, to cells: [PendingEdit.Cell], over object: Snapshot
    ) -> [Int: Value] {
        guard let place = layers.firstIndex(where: { $0.edit == edit }) else { return [:] }
        let older = layers[place].cells
        var newer: [Int: Values] = [:]
        for cell in cells { newer[cell.index] = Values(before: cell.before, after: cell.after) }
        guard layers[place].isActive else {
            layers[place].cells = newer
            return [:]
        }
        for cell in newer.keys where !covers(cell) { base[cell] = object.value(at: cell) }
        layers[place].cells = newer
        for (cell, values) in older where newer[cell] == nil {
            // The next edit was made on the value that leaves. If that is not what is under it, the
            // next edit takes over what the value was made on.
            let under = below(place, cell) ?? base[cell] ?? .absent
            guard !under.hasSameContent(as: values.after) else { continue }
            rebase(cell, from: values.after, to: values.before, above: place + 1)
        }
        return settle(Set(older.keys).union(newer.keys))
    }

    /// Moves cells of an edit to a new edit, which is as visible as the edit.
    mutating func split(_ edit: EditID, off new: Layer, cells: Set<Int>) {
        guard let index = layers.firstIndex(where: { $0.edit == edit }) else { return }
        var split = new
        split.isActive = layers[index].isActive
        for cell in cells {
            split.cells[cell] = layers[index].cells.removeValue(forKey: cell)
        }
        guard !split.cells.isEmpty else { return }
        layers.append(split)
        layers.sort(by: Self.isBefore)
    }

    /// Takes over the edits of another object that is the same object.
    ///
    /// - Parameter confirmed: The one object, with the server's values of both.
    mutating func join(_ other: Cover, confirmed: Snapshot) -> [Int: Value] {
        for layer in other.layers {
            if let index = layers.firstIndex(where: { $0.edit == layer.edit }) {
                layers[index].cells.merge(layer.cells) { own, _ in own }
                layers[index].hides = layers[index].hides || layer.hides
            } else {
                layers.append(layer)
            }
        }
        layers.sort(by: Self.isBefore)
        base = [:]
        for cell in mark.cells { base[cell] = confirmed.value(at: cell) }
        return settle(mark.cells)
    }

    /// Notes the server's values of the covered cells.
    mutating func take(confirmed: Snapshot) {
        for cell in base.keys { base[cell] = confirmed.value(at: cell) }
    }

    private mutating func remove(_ edit: EditID) -> Layer? {
        layers.firstIndex { $0.edit == edit }.map { layers.remove(at: $0) }
    }

    /// The value that the edits under a layer give a cell; `nil` if no edit under the
    /// layer changes the cell.
    private func below(_ place: Int, _ cell: Int) -> Value? {
        layers[..<place].last { $0.isActive && $0.cells[cell] != nil }?.cells[cell]?.after
    }

    /// Lets the edits over a layer that ends lie on the values that were under it.
    private mutating func uncover(_ layer: Layer, from place: Int) {
        for (cell, values) in layer.cells {
            if !SyncRules.dropToServer, !covers(cell) { base[cell] = values.before }
            rebase(cell, from: values.after, to: values.before, above: place)
        }
    }

    /// Changes the value that the next edit of a cell was made on, if it is `old`.
    private mutating func rebase(_ cell: Int, from old: Value, to new: Value, above place: Int) {
        let next = layers[place...].firstIndex { $0.isActive && $0.cells[cell] != nil }
        guard let next, layers[next].cells[cell]?.before.isSame(as: old) ?? false else { return }
        layers[next].cells[cell]?.before = new
    }

    /// Returns the values of cells that are seen. The server's value of a cell that is no longer
    /// covered is in the row only.
    private mutating func settle(_ cells: some Sequence<Int>) -> [Int: Value] {
        var values: [Int: Value] = [:]
        for cell in cells {
            if let last = layers.last(where: { $0.isActive && $0.cells[cell] != nil }) {
                values[cell] = last.cells[cell]?.after
            } else {
                values[cell] = base.removeValue(forKey: cell)
            }
        }
        return values
    }
}
