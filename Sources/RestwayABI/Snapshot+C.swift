import CRestway
import RestwayClient
import RestwayObjects

/// Attributes as values of the header: a cell has the same sixteen bytes.
extension Snapshot {
    /// The value of attribute `index`, borrowed from this object.
    func cValue(at index: Int) -> restway_value {
        unsafeBitCast(cell(at: index), to: restway_value.self)
    }

    /// The value of the attribute called `name`; `nil` when there is none.
    func cValue(named name: UnsafePointer<CChar>?) -> restway_value? {
        attributeIndex(name).map(cValue(at:))
    }

    func attributeIndex(_ name: UnsafePointer<CChar>?) -> Int? {
        name.flatMap { entity.attributeIndex(cString: $0) }
    }

    /// The values of `count` attributes: those of `indices`, or the first ones.
    func read(
        _ indices: UnsafePointer<UInt32>?, _ count: Int,
        into outValues: UnsafeMutablePointer<restway_value>
    ) throws(Failure) {
        let attributeCount = entity.attributes.count
        for place in 0..<count {
            let index = indices.map { Int($0[place]) } ?? place
            guard index < attributeCount else {
                throw Failure(
                    .unknownAttribute,
                    "\(entity.name) has \(attributeCount) attributes, none has index \(index)",
                    field: "indices[\(place)]")
            }
            outValues[place] = cValue(at: index)
        }
    }

    /// What a relationship holds, and where its store keys stand: in this object's block.
    func cKeys(
        relationship index: Int
    ) -> (kind: Cell.Kind, keys: UnsafePointer<Int64>?, count: Int) {
        let place = entity.attributes.count + index
        let cell = cell(at: place)
        switch cell.kind {
        case .object:
            let bits = UnsafeRawPointer(cells + place) + MemoryLayout<Cell>.offset(of: \.bits)!
            return (.object, bits.assumingMemoryBound(to: Int64.self), 1)
        case .list:
            return (.list, cell.length == 0 ? nil : cell.keys.baseAddress, Int(cell.length))
        default:
            return (cell.kind, nil, 0)
        }
    }
}
