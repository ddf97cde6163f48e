import Glibc

/// A link of a list that is still being collected.
package struct RowLink: BitwiseCopyable {
    /// A reference to a row, or a store key.
    package let key: Int64
    /// The index of the next link of the list.
    package var next: UInt32

    package init(key: Int64, next: UInt32 = 0) {
        self.key = key
        self.next = next
    }
}

/// Makes blocks. Each block is filled once.
extension Snapshot {
    /// Copies a row, and takes over the caller's reference to the entity. The row has as many cells
    /// as the entity has attributes and relationships. The text of a cell is at an offset in
    /// `bytes`, and the first link of a list is at an index in `links`.
    ///
    /// - Parameter isLoaded: False if the row only names an object.
    package static func make(
        _ entity: consuming Entity, cells: UnsafePointer<Cell>, bytes: UnsafeRawPointer,
        links: UnsafePointer<RowLink>? = nil, isLoaded: Bool = true
    ) -> Snapshot {
        make(entity, isLoaded, { cells[$0].placed(besides: bytes) }, fillList: { cell, keys in
            guard let links else { return }
            var next = Int(truncatingIfNeeded: cell.bits & 0xFFFF_FFFF)
            for index in 0..<Int(cell.length) {
                (keys + index).initialize(to: links[next].key)
                next = Int(links[next].next)
            }
        })
    }

    /// Makes a row from values in the order of the entity's attributes and relationships. Values
    /// that are missing at the end are absent. The entity has brought the row. An identity of
    /// several parts is made from the parts, or gives the row its parts.
    ///
    /// - Parameter isLoaded: False if the row only names an object, or if it only has values for
    ///   another row.
    package static func make(
        _ entity: Entity, _ values: [Value], isLoaded: Bool = true
    ) -> Snapshot {
        var bytes: [UInt8] = []
        var keys: [Int64] = []
        var values = values
        if let parts = entity.identityParts, let index = entity.identityIndex {
            values += Array(repeating: .absent, count: max(0, entity.cellCount - values.count))
            parts.complete(&values, at: index)
        }
        var cells = values.prefix(entity.cellCount).map { $0.cell(appendingTo: &bytes, &keys) }
        while cells.count < entity.cellCount { cells.append(.absent) }
        // An empty array may have no address.
        bytes.append(0)
        keys.append(0)
        return bytes.withUnsafeBytes { bytes in
            keys.withUnsafeBytes { keys in
                make(entity, isLoaded: isLoaded) { index in
                    let cell = cells[index]
                    let offset = Int(truncatingIfNeeded: cell.bits)
                    if cell.isText { return cell.withAddress(bytes.baseAddress! + offset) }
                    guard cell.isList else { return cell }
                    return cell.withAddress(keys.baseAddress! + offset * MemoryLayout<Int64>.size)
                }
            }
        }
    }

    /// Copies cells whose text and keys are at addresses.
    package static func make(
        _ entity: Entity, isLoaded: Bool, _ cell: (Int) -> Cell
    ) -> Snapshot {
        make(entity, isLoaded, cell) { cell, keys in
            keys.initialize(from: cell.keys.baseAddress!, count: cell.keys.count)
        }
    }

    /// Returns a copy of this object, with the same store key, that holds `unkept`.
    func holding(_ unkept: UnkeptObjects) -> Snapshot {
        withExtendedLifetime(self) {
            let copy = Self.make(
                entity, isLoaded, { cells[$0] },
                fillList: { cell, keys in
                    keys.initialize(from: cell.keys.baseAddress!, count: cell.keys.count)
                }, holding: unkept)
            copy.setStoreKey(storeKey)
            return copy
        }
    }

    /// Allocates and fills a block. `cell` returns a cell whose text is at an address; it is called
    /// twice for each index. `fillList` writes the keys of a list that is not empty.
    ///
    /// - Parameter unkept: The objects that the snapshot holds, if it is not kept.
    @inline(__always)
    private static func make(
        _ entity: consuming Entity, _ isLoaded: Bool, _ cell: (Int) -> Cell,
        fillList: (Cell, UnsafeMutablePointer<Int64>) -> Void, holding unkept: UnkeptObjects? = nil
    ) -> Snapshot {
        let count = entity.cellCount
        let (shapesCell, shapes) = (entity.shape.cell, entity.shape.shapes.bits)
        var byteCount = 0
        var keyCount = 0
        for index in 0..<count {
            let cell = cell(index)
            if cell.isText { byteCount += Int(cell.length) + 1 }
            if cell.isList { keyCount += Int(cell.length) }
        }
        byteCount += keyCount * MemoryLayout<Int64>.size
        if unkept != nil { byteCount += MemoryLayout<UnkeptObjects>.size }
        let size = MemoryLayout<Cell>.size
        let capacity = count + (byteCount + size - 1) / size
        let snapshot = allocate(
            SnapshotHeader(
                entity: entity, byteCount: byteCount, hasUnkept: unkept != nil,
                isLoaded: isLoaded),
            capacity)
        let cells = snapshot.unpublishedCells
        var rest = UnsafeMutableRawPointer(cells + count)
        if let unkept {
            snapshot.unkeptPlace.initialize(to: unkept)
            rest += MemoryLayout<UnkeptObjects>.size
        }
        var keys = rest
            .bindMemory(to: Int64.self, capacity: keyCount)
        var text = UnsafeMutableRawPointer(keys + keyCount)
        for index in 0..<count {
            let cell = cell(index)
            if cell.isText {
                let length = Int(cell.length)
                if length > 0 { copy(cell.text.baseAddress!, to: text, length) }
                text.storeBytes(of: 0, toByteOffset: length, as: UInt8.self)
                (cells + index).initialize(to: cell.withAddress(text))
                text += length + 1
            } else if cell.isList {
                if cell.length > 0 { fillList(cell, keys) }
                (cells + index).initialize(to: cell.withAddress(keys))
                keys += Int(cell.length)
            } else {
                (cells + index).initialize(to: cell)
            }
        }
        if let shapesCell, cells[shapesCell].isAbsent { cells[shapesCell] = .int64(shapes) }
        return snapshot
    }

    /// Makes a snapshot whose cells are not initialized yet. This is a function of its own so that
    /// the block is released at once, without a reference count for it while the cells are filled.
    @inline(__always)
    private static func allocate(
        _ header: consuming SnapshotHeader, _ capacity: Int
    ) -> Snapshot {
        let block = Block(bufferClass: Snapshot.self, minimumCapacity: capacity) {
            [header = copy header] _, _ in header
        }
        return unsafeDowncast(block.buffer, to: Snapshot.self)
    }

    /// Most text is short, and calling `memcpy` costs more than copying two words.
    @inline(__always)
    private static func copy(
        _ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ count: Int
    ) {
        if count > 16 {
            memcpy(target, source, count)
        } else if count >= 8 {
            copyEnds(source, to: target, count, as: UInt64.self)
        } else if count >= 4 {
            copyEnds(source, to: target, count, as: UInt32.self)
        } else {
            for index in 0..<count {
                target.storeBytes(of: source.load(fromByteOffset: index, as: UInt8.self),
                    toByteOffset: index, as: UInt8.self)
            }
        }
    }

    /// Copies the first and the last bytes. The two words overlap in the middle.
    @inline(__always)
    private static func copyEnds<Word: FixedWidthInteger & BitwiseCopyable>(
        _ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, _ count: Int,
        as type: Word.Type
    ) {
        let last = count - MemoryLayout<Word>.size
        let words = (
            source.loadUnaligned(as: type), source.loadUnaligned(fromByteOffset: last, as: type)
        )
        target.storeBytes(of: words.0, as: type)
        target.storeBytes(of: words.1, toByteOffset: last, as: type)
    }
}

extension Cell {
    /// Returns whether both hold the same value. Doubles are compared by their bits, so that NaN
    /// equals itself.
    package func isEqual(to other: Cell) -> Bool {
        guard rawKind == other.rawKind, length == other.length else { return false }
        guard length > 0 else { return isText || isList || bits == other.bits }
        if isText { return memcmp(text.baseAddress!, other.text.baseAddress!, Int(length)) == 0 }
        let size = Int(length) * MemoryLayout<Int64>.size
        return memcmp(keys.baseAddress!, other.keys.baseAddress!, size) == 0
    }

    /// Hashes the value. Cells that are equal by `isEqual` have the same hash.
    func hash(into hasher: inout Hasher) {
        hasher.combine(rawKind)
        if isText {
            hasher.combine(bytes: text)
        } else if isList {
            hasher.combine(bytes: UnsafeRawBufferPointer(keys))
        } else {
            hasher.combine(bits)
        }
    }

    package func withAddress(_ address: UnsafeRawPointer) -> Cell {
        with(bits: UInt64(UInt(bitPattern: address)))
    }
}
