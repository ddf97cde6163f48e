import RestwayObjects

/// The values of a row that is complete, before it becomes a snapshot.
struct RowContent {
    let kind: MappingPlan.Kind
    let cells: UnsafePointer<Cell>
    let bytes: UnsafePointer<UInt8>

    /// Whether `other`, of the same entity, has every present cell of the row.
    func isPart(of other: Snapshot) -> Bool {
        withExtendedLifetime(other) {
            let others = other.cells
            return (0..<kind.cellCount).allSatisfy { index in
                cells[index].isAbsent || isEqual(cells[index], others[index])
            }
        }
    }

    private func isEqual(_ cell: Cell, _ other: Cell) -> Bool {
        // The links of lists are stored elsewhere; comparing them is not worth the cost.
        if cell.isList, cell.length > 0 { return false }
        return cell.placed(besides: bytes).isEqual(to: other)
    }
}

/// Finds objects that a response repeats as the values of relationships, for example an owner in
/// each company or a tag by its identity. One row for each object is enough.
///
/// It keeps the newest row of each identity. The index is only a hint. If a search fails or finds
/// the row of another identity, the result has one redundant row. So each slot holds one row, and a
/// later row replaces it.
struct RepeatedRows {
    /// These are arbitrary odd numbers with many bits. They are not secret: a server that provokes
    /// collisions only causes redundant rows.
    private static let multipliers: (UInt64, UInt64) = (
        0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB
    )
    /// A place for one row of the change set, or a free place. Numbers of rows begin at 1 in it.
    private struct Slot: BitwiseCopyable {
        private let numberFrom1: UInt32

        static var free: Slot { Slot() }

        private init() { numberFrom1 = 0 }

        /// Returns nil for a row whose number is too large for a slot.
        init?(_ row: Int) {
            guard row < UInt32.max else { return nil }
            numberFrom1 = UInt32(row + 1)
        }

        var row: Int? { numberFrom1 == 0 ? nil : Int(numberFrom1) - 1 }
    }

    private static let slotsMin = 256
    private static let slotsMax = 1 << 18

    /// Whether repeated objects share a row.
    private let isOn: Bool
    private var slots = ScratchStack<Slot>()
    private var taken = 0

    init(isOn: Bool) {
        self.isOn = isOn
    }

    func destroy() {
        slots.destroy()
    }

    /// The number of another row that has all values of the row `number`, for the same object.
    ///
    /// Only the latest row of the object can replace it. If this returns nil, `number` is now the
    /// latest.
    ///
    /// - Parameter isLinked: Whether a relationship leads to the row. Results always have rows of
    ///   their own.
    @inline(__always)
    mutating func earlier(
        _ row: RowContent, _ number: Int, isLinked: Bool, among finished: [Snapshot?]
    ) -> Int? {
        guard isOn, row.kind.isLinked else { return nil }
        return find(row, number, isLinked: isLinked, among: finished)
    }

    private mutating func find(
        _ row: RowContent, _ number: Int, isLinked: Bool, among finished: [Snapshot?]
    ) -> Int? {
        guard let identityIndex = row.kind.identityIndex else { return nil }
        let identity = row.cells[identityIndex].placed(besides: row.bytes)
        guard identity.isInteger || identity.rawKind == Cell.Kind.string.rawValue else {
            return nil
        }
        let hash = hash(entity: row.kind.entityIndex, identity)
        if isLinked, let found = self.row(at: hash), let other = finished[found],
            other.entity === row.kind.entity, row.isPart(of: other)
        {
            return found
        }
        put(number, at: hash)
        return nil
    }

    private func hash(entity: Int, _ cell: Cell) -> UInt64 {
        let start = UInt64(truncatingIfNeeded: entity) << 8 | UInt64(cell.rawKind)
        guard cell.isText else { return mix(start, cell.bits) }
        let text = cell.text
        var hash = mix(start, UInt64(cell.length))
        var index = 0
        while index + 8 <= text.count {
            hash = mix(hash, text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest: UInt64 = 0
        while index < text.count {
            rest = rest << 8 | UInt64(text[index])
            index += 1
        }
        return mix(hash, rest)
    }

    private func row(at hash: UInt64) -> Int? {
        guard slots.count > 0 else { return nil }
        return slots[Int(truncatingIfNeeded: hash) & (slots.count - 1)].row
    }

    private mutating func put(_ row: Int, at hash: UInt64) {
        guard let slot = Slot(row) else { return }
        if taken * 4 >= slots.count, slots.count < Self.slotsMax { grow() }
        let index = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        if slots[index].row == nil { taken += 1 }
        slots[index] = slot
    }

    /// Forgets all entries: their new slots are not known.
    private mutating func grow() {
        let size = max(Self.slotsMin, slots.count * 8)
        slots.pop(to: 0)
        slots.push(repeating: .free, size)
        taken = 0
    }

    @inline(__always)
    private func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = (left ^ Self.multipliers.0)
            .multipliedFullWidth(by: right ^ Self.multipliers.1)
        return product.high ^ product.low
    }
}
