import CRestway
import RestwayObjects
import RestwayOutcome

/// Gives attributes as values of the header, which have the same sixteen bytes as a cell.
extension Snapshot {
    /// Returns the value of attribute `index`, borrowed from this object.
    func cValue(at index: Int) -> restway_value {
        unsafeBitCast(cell(at: index), to: restway_value.self)
    }

    /// Returns the value of the attribute called `name`; `nil` if there is none.
    func cValue(named name: UnsafePointer<CChar>?) -> restway_value? {
        attributeIndex(name).map(cValue(at:))
    }

    func attributeIndex(_ name: UnsafePointer<CChar>?) -> Int? {
        name.flatMap { entity.attributeIndex(cString: $0) }
    }

    /// Reads the values of `count` attributes: the ones at `indices`, or the first ones.
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

    /// Returns the content of a relationship, with its store keys in the memory of this object.
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
