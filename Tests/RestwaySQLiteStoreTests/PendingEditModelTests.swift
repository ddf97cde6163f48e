import RestwayObjects
import RestwaySQLiteStore
import RestwayThreads
import XCTest

/// Random schedules of answers, edits and their ends, against a small model.
final class PendingEditModelTests: EditTestCase {
    private struct Layer: Equatable {
        let edit: EditID
        var values: [Int: String]
        var isActive = true
        var hides = false
        var isParked = false

        var isHiding: Bool { hides && isActive && !isParked }
    }

    /// An object of the server with the layers over it. Objects that only the program has are
    /// tested elsewhere.
    private struct Object {
        var server: [Int: String] = [:]
        var version: String?
        var layers: [Layer] = []

        mutating func take(_ values: [Int: String], version: String?) {
            let isOther = values.contains { server[$0.key] != $0.value }
            server.merge(values) { $1 }
            if isOther || version != nil { self.version = version }
        }

        func shown(_ cell: Int) -> String? {
            let values = layers.filter(\.isActive).compactMap { $0.values[cell] }
            return values.last ?? server[cell]
        }

        var pendingCells: [Int] {
            Set(layers.filter(\.isActive).flatMap(\.values.keys)).sorted()
        }
    }

    private struct Model {
        var objects: [Int64: Object] = [:]
        /// All edits that have not ended, also those whose objects were deleted.
        var edits: [EditID] = []
        var suspended: Set<EditID> = []
        var parked: Set<EditID> = []

        /// The objects with a layer of an edit.
        func objects(of edit: EditID) -> [Int64] {
            objects.keys.filter { objects[$0]!.layers.contains { $0.edit == edit } }
        }

        mutating func park(_ edit: EditID) {
            suspended.remove(edit)
            parked.insert(edit)
            changeLayers(edit) { ($0.isActive, $0.isParked) = (true, true) }
        }

        /// Moves cells of an edit of an object to a new edit.
        mutating func split(_ edit: EditID, off new: EditID, _ id: Int64, _ cells: Set<Int>) {
            edits.insert(new, at: edits.firstIndex(of: edit)!)
            if suspended.contains(edit) { suspended.insert(new) }
            let place = objects[id]!.layers.firstIndex { $0.edit == edit }!
            let layer = objects[id]!.layers[place]
            let moved = layer.values.filter { cells.contains($0.key) }
            guard !moved.isEmpty else { return }
            objects[id]!.layers[place].values = layer.values.filter { !cells.contains($0.key) }
            let split = Layer(edit: new, values: moved, isActive: layer.isActive)
            objects[id]!.layers.insert(split, at: place)
        }

        mutating func changeLayers(_ edit: EditID, _ change: (inout Layer) -> Void) {
            for id in objects.keys {
                for index in objects[id]!.layers.indices
                where objects[id]!.layers[index].edit == edit {
                    change(&objects[id]!.layers[index])
                }
            }
        }

        mutating func end(_ edit: EditID, isDelivered: Bool) {
            for id in objects.keys {
                guard let layer = objects[id]!.layers.first(where: { $0.edit == edit }) else {
                    continue
                }
                if isDelivered { objects[id]!.take(layer.values, version: nil) }
                objects[id]!.layers.removeAll { $0.edit == edit }
            }
            edits.removeAll { $0 == edit }
            suspended.remove(edit)
            parked.remove(edit)
        }
    }

    private static let seeds: UInt64 = 200
    private static let ids: ClosedRange<Int64> = 1...4
    private static let cells = [Cell.title, Cell.body]

    func testRandomSchedulesAgreeWithTheModel() throws {
        note = Self.note(.assign, version: VersionRule(.entityTag))
        for seed in 1...Self.seeds {
            _ = try run(seed, [MemoryStore(keyBefore: 0)]) { $0 }
        }
        let file = StoreFile()
        defer { file.remove() }
        let open = { try file.open([self.note, self.comment]) }
        // Two connections take turns, and now and then one of them is opened again.
        var stores: [any ObjectStore] = [try open(), try open()]
        for seed in 1...Self.seeds {
            stores = try run(seed, stores) { _ in try open() }
            let left = try stores[0].edits(ofOutbox: outbox).map { EditStep.takeBack($0.id) }
            try answer(stores[0]) { ($0.editSteps, $0.deletions) = (left, [.everything]) }
            for table in ["edits", "layers", "layer_cells", "base", "versions"] {
                XCTAssertEqual(try file.integer("SELECT count(*) FROM restway_\(table)"), 0)
            }
        }
    }

    /// Returns the stores, some of which were opened again.
    private func run(
        _ seed: UInt64, _ stores: [any ObjectStore],
        reopen: (any ObjectStore) throws -> any ObjectStore
    ) throws -> [any ObjectStore] {
        var random = SeededRandom(seed: seed)
        var stores = stores
        var model = Model()
        for round in 0..<30 {
            let place = Int.random(in: stores.indices, using: &random)
            if Int.random(in: 0..<100, using: &random) == 0 {
                stores[place] = try reopen(stores[place])
            }
            try take(stores[place], &model, &random)
            try check(stores[place], model, "seed \(seed)")
            if round.isMultiple(of: 5) {
                for store in stores { try checkQueries(store, model, "seed \(seed)") }
            }
        }
        return stores
    }

    /// Takes one random step.
    private func take(
        _ store: any ObjectStore, _ model: inout Model, _ random: inout SeededRandom
    ) throws {
        let id = Int64.random(in: Self.ids, using: &random)
        let edit = model.edits.randomElement(using: &random)
        switch Int.random(in: 0..<13, using: &random) {
        case 0..<3:
            let (row, values) = randomRow(id, &random)
            let version = randomVersion(&random)
            try answer(store, row) { $0.versions = version.map { [0: ObjectVersion($0)] } ?? [:] }
            model.objects[id, default: Object()].take(values, version: version)
        case 3..<6:
            guard model.objects[id] != nil else { return }
            var values = randomValues(&random)
            values[Cell.title] = values[Cell.title] ?? "t"
            let object = try object(store, id)
            let draft = Draft(copying: object)
            for (cell, value) in values { try draft.set(.string(value), attribute: cell) }
            let (edit, commit) = try lay(store, draft)
            // A draft has only what differs from its object.
            let laid = commit.laid?.objects.first?.cells.map(\.index) ?? []
            let layer = Layer(edit: edit, values: values.filter { laid.contains($0.key) })
            if !laid.isEmpty { model.objects[id]!.layers.append(layer) }
            model.edits.append(edit)
        case 6:
            guard model.objects[id] != nil else { return }
            let (edit, _) = try hide(store, object(store, id))
            model.objects[id]!.layers.append(Layer(edit: edit, values: [:], hides: true))
            model.edits.append(edit)
        case 7:
            guard let edit else { return }
            // The commit that delivers the edit may bring an answer, too.
            if Bool.random(using: &random) {
                let (row, values) = randomRow(id, &random)
                let version = randomVersion(&random)
                try answer(store, row, steps: .deliver(edit)) {
                    $0.versions = version.map { [0: ObjectVersion($0)] } ?? [:]
                }
                model.end(edit, isDelivered: true)
                model.objects[id, default: Object()].take(values, version: version)
            } else {
                try step(store, .deliver(edit))
                model.end(edit, isDelivered: true)
            }
        case 8:
            guard let edit else { return }
            if Bool.random(using: &random) {
                try step(store, .takeBack(edit))
                model.end(edit, isDelivered: false)
            } else if model.suspended.contains(edit) || model.parked.contains(edit) {
                try step(store, .resume(edit))
                model.suspended.remove(edit)
                model.parked.remove(edit)
                model.changeLayers(edit) { ($0.isActive, $0.isParked) = (true, false) }
            } else {
                try suspend(edit, store, &model)
            }
        case 9:
            guard let edit else { return }
            if model.parked.contains(edit), Bool.random(using: &random) {
                try suspend(edit, store, &model)
            } else {
                try step(store, .park(edit))
                model.park(edit)
            }
        case 10:
            guard let edit, let id = model.objects(of: edit).first else { return }
            let values = randomValues(&random)
            let cells = values.map { cell, value in
                PendingEdit.Cell(cell, before: .string("before"), after: .string(value))
            }
            try step(store, .rebase(edit, storeKey: key(store, id), cells))
            model.changeLayers(edit) { $0.values = values }
        case 11:
            guard let edit, let id = model.objects(of: edit).first else { return }
            let off = EditID.random(outbox: outbox)
            let cells = Set(randomValues(&random).keys)
            try step(
                store, .split(edit, off: off, storeKey: key(store, id), cells: cells))
            model.split(edit, off: off, id, cells)
        default:
            guard Int.random(in: 0..<3, using: &random) == 0 else { return }
            try answer(store) { $0.deletions = [.identity(self.note, .integer(id))] }
            model.objects[id] = nil
        }
    }

    private func suspend(
        _ edit: EditID, _ store: any ObjectStore, _ model: inout Model
    ) throws {
        try step(store, .suspend(edit))
        model.suspended.insert(edit)
        model.parked.remove(edit)
        model.changeLayers(edit) { ($0.isActive, $0.isParked) = (false, false) }
    }

    private func randomVersion(_ random: inout SeededRandom) -> String? {
        Bool.random(using: &random) ? "\(Int.random(in: 0..<3, using: &random))" : nil
    }

    private func randomValues(_ random: inout SeededRandom) -> [Int: String] {
        var values: [Int: String] = [:]
        for cell in Self.cells where Bool.random(using: &random) {
            values[cell] = "v\(Int.random(in: 0..<4, using: &random))"
        }
        return values
    }

    private func randomRow(
        _ id: Int64, _ random: inout SeededRandom
    ) -> (row: Snapshot, values: [Int: String]) {
        let values = randomValues(&random)
        let row = row(
            id, title: values[Cell.title].map { .string($0) } ?? .absent,
            body: values[Cell.body].map { .string($0) } ?? .absent)
        return (row, values)
    }

    private func check(_ store: any ObjectStore, _ model: Model, _ label: String) throws {
        XCTAssertEqual(try store.edits(ofOutbox: outbox).map(\.id), model.edits, label)
        XCTAssertEqual(
            Set(try store.edits(ofOutbox: outbox).filter(\.isSuspended).map(\.id)),
            model.suspended, label)
        XCTAssertEqual(
            Set(try store.edits(ofOutbox: outbox).filter(\.isParked).map(\.id)), model.parked,
            label)
        for id in Self.ids {
            guard let wanted = model.objects[id] else {
                XCTAssertNil(try store.object(note, .integer(id)), label)
                continue
            }
            let object = try object(store, id)
            let confirmed = try XCTUnwrap(store.confirmed(note, storeKey: object.storeKey))
            for cell in Self.cells {
                XCTAssertEqual(object.string(at: cell), wanted.shown(cell), label)
                XCTAssertEqual(confirmed.string(at: cell), wanted.server[cell], label)
            }
            XCTAssertEqual(
                try store.pendingCells(note, storeKey: object.storeKey).map(\.index),
                wanted.pendingCells, label)
            XCTAssertEqual(
                try store.version(note, storeKey: object.storeKey)?.text, wanted.version, label)
            let isHidden = wanted.layers.contains(where: \.isHiding)
            XCTAssertEqual(try store.hiddenKeys().contains(object.storeKey), isHidden, label)
        }
    }

    private func checkQueries(
        _ store: any ObjectStore, _ model: Model, _ label: String
    ) throws {
        let objects = model.objects.values
        let pendingCount = objects.count { $0.layers.contains(where: \.isActive) }
        let shownCount = objects.count { !$0.layers.contains(where: \.isHiding) }
        let conflictedCount = objects.count { $0.layers.contains(where: \.isParked) }
        var query = Query(note, .all)
        query.isPending = true
        XCTAssertEqual(try store.count(query), pendingCount, label)
        query.isPending = false
        XCTAssertEqual(try store.count(query), model.objects.count - pendingCount, label)
        query.isPending = nil
        query.isConflicted = true
        XCTAssertEqual(try store.count(query), conflictedCount, label)
        query.isConflicted = nil
        query.pendingDeletes = .hide
        XCTAssertEqual(try store.count(query), shownCount, label)
    }
}
