/// The header in front of a snapshot's cells.
package struct SnapshotHeader: Sendable {
    package let entity: Entity
    /// The store key; 0 until the commit that publishes the snapshot.
    package fileprivate(set) var storeKey: Int64 = 0
    /// The size of the memory behind the cells, above two bits: `hasUnkept` and `isLoaded`. A field
    /// for each would make every snapshot larger.
    private var packed: Int

    private static let unkeptBit = 1
    private static let loadedBit = 2
    private static let bitCount = 2

    /// - Parameters:
    ///   - byteCount: The size of the memory behind the cells.
    ///   - hasUnkept: Whether this memory begins with a reference to `UnkeptObjects`.
    ///   - isLoaded: Whether an answer or a draft has brought the object.
    init(entity: consuming Entity, byteCount: Int, hasUnkept: Bool, isLoaded: Bool) {
        self.entity = entity
        packed = byteCount << Self.bitCount
        if hasUnkept { packed |= Self.unkeptBit }
        if isLoaded { packed |= Self.loadedBit }
    }

    /// The size of the store keys and the text behind the cells, including NULs.
    package var byteCount: Int { packed >> Self.bitCount }

    /// Whether the object holds `UnkeptObjects`.
    var hasUnkept: Bool { packed & Self.unkeptBit != 0 }

    /// Whether an answer or a draft has brought the object.
    var isLoaded: Bool { packed & Self.loadedBit != 0 }

    fileprivate mutating func load() { packed |= Self.loadedBit }
}

/// An object as it was at one moment: header, cells and text in one block.
///
/// The block is part of the object itself, which therefore has no stored properties. Only `make`
/// and `merged` create snapshots.
///
/// `@unchecked Sendable`: nothing changes after a snapshot is published; before that, one thread
/// has it.
package final class Snapshot: @unchecked Sendable {
    typealias Block = ManagedBufferPointer<SnapshotHeader, Cell>

    private init() {}

    deinit {
        if header.pointee.hasUnkept { unkeptPlace.deinitialize(count: 1) }
        _ = block.withUnsafeMutablePointerToHeader { $0.deinitialize(count: 1) }
    }

    private var block: Block { Block(unsafeBufferObject: self) }

    private var header: UnsafeMutablePointer<SnapshotHeader> {
        block.withUnsafeMutablePointerToHeader { $0 }
    }

    package var entity: Entity { header.pointee.entity }

    /// Returns whether this is an object of `entity`, without retaining the entity.
    @inline(__always)
    func isOf(_ entity: Entity) -> Bool { header.pointee.entity === entity }

    /// The `ProcessGeneration.current` of the process that made the object. That process also
    /// loaded its entity: a forked child does not get the parent's entities.
    package var generation: Int { header.pointee.entity.generation }

    /// The positive number that its store gave to the object; 0 as long as no store knows it.
    package var storeKey: Int64 { header.pointee.storeKey }

    /// Whether a store has, or may take, the object. An object that is not kept belongs to the
    /// program: no store has it, and it lasts as long as a reference to it, or to an object of the
    /// same answer that links to it.
    package var isKept: Bool { UnkeptObjects.isKept(storeKey) }

    /// The store key under which a store may have the object; 0 if no store has it.
    package var keyInStore: Int64 { isKept ? storeKey : 0 }

    /// Whether an answer or a draft has brought the object, whatever values it has. An object that
    /// only links have named is not loaded: it is known by its identity alone.
    package var isLoaded: Bool { header.pointee.isLoaded }

    /// The objects of the same answer that no store keeps and that this object leads to; `nil` if
    /// it leads to no such object.
    package var unkeptObjects: UnkeptObjects? {
        guard header.pointee.hasUnkept else { return nil }
        return withExtendedLifetime(self) { unkeptPlace.pointee }
    }

    /// The place behind the cells where the reference to the `UnkeptObjects` is, if there are any.
    var unkeptPlace: UnsafeMutablePointer<UnkeptObjects> {
        block.withUnsafeMutablePointerToElements {
            UnsafeMutableRawPointer($0 + cellCount)
                .bindMemory(to: UnkeptObjects.self, capacity: 1)
        }
    }

    package var cellCount: Int { header.pointee.entity.cellCount }

    /// The size of the block in memory.
    package var blockByteCount: Int {
        MemoryLayout<SnapshotHeader>.size + cellCount * MemoryLayout<Cell>.size
            + header.pointee.byteCount
    }

    /// The `cellCount` cells: first the cells of the entity's attributes, then the cells of its
    /// relationships. They are valid while the snapshot lives.
    package var cells: UnsafePointer<Cell> {
        block.withUnsafeMutablePointerToElements { UnsafePointer($0) }
    }

    /// Returns the cell of an attribute. Its text is valid while the snapshot lives.
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

    /// Returns the text of a string; `nil` for every other kind.
    package func string(at index: Int) -> String? {
        guard case .string(let text) = value(at: index) else { return nil }
        return text
    }

    /// The cell of the identity: an int64, a string, or null if there is no identity.
    package var identityCell: Cell {
        guard let index = header.pointee.entity.identityIndex else { return .null }
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

    /// Returns whether this is an object of the family of `entity`.
    @inline(__always)
    func isOfFamily(of entity: Entity) -> Bool {
        isOf(entity) || header.pointee.entity.family === entity.family
    }

    /// Returns whether both show the same instance: the same family and the same store key. The
    /// keys of different stores differ.
    package func isSame(as other: Snapshot) -> Bool {
        guard isOfFamily(of: other.entity) else { return false }
        return self === other || storeKey != 0 && storeKey == other.storeKey
    }

    /// Returns whether both are of one entity and all cells hold the same values.
    package func isEqual(to other: Snapshot) -> Bool {
        if self === other { return true }
        guard entity === other.entity else { return false }
        return withExtendedLifetime((self, other)) {
            (0..<cellCount).allSatisfy { cells[$0].isEqual(to: other.cells[$0]) }
        }
    }

    /// The hash, which is the same for equal snapshots.
    package var hash: UInt64 {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(entity))
        withExtendedLifetime(self) {
            for index in 0..<cellCount { cells[index].hash(into: &hasher) }
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Returns the cell of the relationship at `index`: a link, a list, null or absent.
    package func relationshipCell(at index: Int) -> Cell {
        cell(at: entity.attributes.count + index)
    }

    /// Returns the store keys at the other end of the relationship at `index`, in order.
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

    /// The cells of a row that no store has seen. Its maker may change them in place.
    var unpublishedCells: UnsafeMutablePointer<Cell> {
        precondition(storeKey == 0)
        return block.withUnsafeMutablePointerToElements { $0 }
    }

    /// Makes this the row of a loaded object. Called before anything else sees the row.
    package func load() {
        precondition(storeKey == 0)
        header.pointee.load()
    }

    /// Sets the store key. A store calls this once, before anything else sees the snapshot.
    package func setStoreKey(_ key: Int64) {
        precondition(storeKey == 0 && key > 0)
        header.pointee.storeKey = key
    }
}
