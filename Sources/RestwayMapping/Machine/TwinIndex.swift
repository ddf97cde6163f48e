import RestwayObjects

/// Finds the newest row of each identity, for entities that relationships lead to.
///
/// The index is only a hint. If a search fails or finds the row of another identity, the result has
/// one redundant row. So each slot holds one row, and a later row replaces it.
struct TwinIndex {
    /// These are arbitrary odd numbers with many bits. They are not secret: a server that provokes
    /// collisions only causes redundant rows.
    private static let multipliers: (UInt64, UInt64) = (
        0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB
    )
    private static let placesMin = 256
    private static let placesMax = 1 << 18

    /// Row numbers, from 1; 0 is a free slot.
    private var places = ScratchStack<UInt32>()
    private var taken = 0

    func destroy() {
        places.destroy()
    }

    /// The slot of an identity.
    ///
    /// - Parameter text: The text of the identity, if it is a string.
    func place(entity: Int, _ cell: Cell, _ text: UnsafeRawBufferPointer) -> UInt64 {
        let start = UInt64(truncatingIfNeeded: entity) << 8 | UInt64(cell.rawKind)
        guard cell.isText else { return mix(start, cell.bits) }
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

    func row(at place: UInt64) -> Int? {
        guard places.count > 0 else { return nil }
        let row = places[Int(truncatingIfNeeded: place) & (places.count - 1)]
        return row == 0 ? nil : Int(row) - 1
    }

    mutating func put(_ row: Int, at place: UInt64) {
        guard let number = UInt32(exactly: row + 1) else { return }
        if taken * 4 >= places.count, places.count < Self.placesMax { grow() }
        let index = Int(truncatingIfNeeded: place) & (places.count - 1)
        if places[index] == 0 { taken += 1 }
        places[index] = number
    }

    /// Forgets all entries: their new slots are not known.
    private mutating func grow() {
        let size = max(Self.placesMin, places.count * 8)
        places.pop(to: 0)
        places.push(repeating: 0, size)
        taken = 0
    }

    @inline(__always)
    private func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = (left ^ Self.multipliers.0)
            .multipliedFullWidth(by: right ^ Self.multipliers.1)
        return product.high ^ product.low
    }
}
