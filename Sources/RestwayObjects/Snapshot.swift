/// What stands in front of a snapshot's cells.
package struct SnapshotHeader: Sendable {
    package let entity: Entity
    /// 0 until the commit that publishes the snapshot.
    package fileprivate(set) var storeKey: Int64
    package let cellCount: Int
    /// Of the store keys and the text behind the cells, NULs included.
    package let byteCount: Int

    init(entity: Entity, cellCount: Int, byteCount: Int) {
        self.entity = entity
        storeKey = 0
        self.cellCount = cellCount
        self.byteCount = byteCount
    }
}

/// An object as it was at one moment: header, cells and text in one block.
///
/// The block hangs on the object itself, which therefore has no stored properties: `make` and
/// `merged` make it, and nothing else can.
///
/// `@unchecked Sendable`: nothing changes once a snapshot is published; before, one thread has it.
package final class Snapshot: @unchecked Sendable {
    typealias Block = ManagedBufferPointer<SnapshotHeader, Cell>

    private init() {}

    deinit {
        _ = block.withUnsafeMutablePointerToHeader { $0.deinitialize(count: 1) }
    }

    private var block: Block { Block(unsafeBufferObject: self) }

    private var header: UnsafeMutablePointer<SnapshotHeader> {
        block.withUnsafeMutablePointerToHeader { $0 }
    }

    package var entity: Entity { header.pointee.entity }

    /// Whether it is an object of `entity`, without counting a reference to it.
    @inline(__always)
    func isOf(_ entity: Entity) -> Bool { header.pointee.entity === entity }

    /// The number that its store gave to the object: positive; 0 as long as no store knows it.
    package var storeKey: Int64 { header.pointee.storeKey }

    package var cellCount: Int { header.pointee.cellCount }

    /// How much memory the block holds.
    package var blockByteCount: Int {
        MemoryLayout<SnapshotHeader>.size + cellCount * MemoryLayout<Cell>.size
            + header.pointee.byteCount
    }

    /// `cellCount` cells in the order of the entity's attributes, then of its relationships; valid
    /// while the snapshot lives.
    package var cells: UnsafePointer<Cell> {
        block.withUnsafeMutablePointerToElements { UnsafePointer($0) }
    }

    /// The cell of an attribute; its text is valid while the snapshot lives.
    package func cell(at index: Int) -> Cell {
        precondition(index >= 0 && index < cellCount)
        return cells[index]
    }

    package func value(at index: Int) -> Value {
        withExtendedLifetime(self) { Value(cell(at: index)) }
    }

    package func value(named name: String) -> Value? {
        entity.attributeIndex(named: name).map(value(at:))
    }

    /// The text of a string; nil for every other kind.
    package func string(at index: Int) -> String? {
        guard case .string(let text) = value(at: index) else { return nil }
        return text
    }

    /// The cell of the identity: an int64, a string, or null when there is none.
    package var identityCell: Cell {
        guard let index = entity.identityIndex else { return .null }
        let cell = cells[index]
        return cell.kind == .int64 || cell.kind == .string ? cell : .null
    }

    package var identity: Identity? {
        withExtendedLifetime(self) {
            let cell = identityCell
            return switch cell.kind {
            case .int64: .integer(cell.integer)
            case .string: .string(String(decoding: cell.text, as: UTF8.self))
            default: nil
            }
        }
    }

    /// Whether both show the same object: of one entity, with one identity, or without one under
    /// the same key of the same store.
    ///
    /// The caller sees to it that objects without identity come from one store.
    package func isSame(as other: Snapshot) -> Bool {
        guard entity === other.entity else { return false }
        switch (identity, other.identity) {
        case (nil, nil): return self === other || storeKey != 0 && storeKey == other.storeKey
        case (let own, let its): return own == its
        }
    }

    /// The cell of relationship `index`: a link, a list, null or absent.
    package func relationshipCell(at index: Int) -> Cell {
        cell(at: entity.attributes.count + index)
    }

    /// The store keys at the other end of relationship `index`, in order.
    package func relatedKeys(at index: Int) -> [Int64] {
        withExtendedLifetime(self) {
            let cell = relationshipCell(at: index)
            return switch cell.kind {
            case .object: [cell.integer]
            case .list: Array(cell.keys)
            default: []
            }
        }
    }

    /// The cells of a row that no store has seen, to be changed in place by who has made it.
    var unpublishedCells: UnsafeMutablePointer<Cell> {
        precondition(storeKey == 0)
        return block.withUnsafeMutablePointerToElements { $0 }
    }

    /// Called by a store, once, before anyone else sees the snapshot.
    package func setStoreKey(_ key: Int64) {
        precondition(storeKey == 0 && key > 0)
        header.pointee.storeKey = key
    }
}
