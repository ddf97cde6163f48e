import Glibc
import RestwayObjects

/// Objects that a response tells about again and again, at the other ends of relationships: an
/// owner with each company, a tag by its identity. One row of each is enough.
extension MachineCore {
    /// The number of a row that says all that `row` says, of the same object.
    mutating func twin(of row: Row) -> Int? {
        guard let identityIndex = rowKinds[row.mapping].identityIndex, findsTwins else {
            return nil
        }
        let identity = cells[row.firstCell + identityIndex]
        guard identity.isInteger || identity.rawKind == Cell.Kind.string.rawValue else {
            return nil
        }
        let place = twins.place(mapping: row.mapping, identity, text(of: identity))
        if let number = twins.row(at: place), let twin = finished[number],
            twin.entity === entities[row.mapping], isTwin(row, twin)
        {
            return number
        }
        twins.put(row.number, at: place)
        return nil
    }

    /// Whether every present cell of `row` stands in `other`, which is of the same entity.
    private func isTwin(_ row: Row, _ other: Snapshot) -> Bool {
        withExtendedLifetime(other) {
            let others = other.cells
            for index in 0..<rowKinds[row.mapping].cellCount {
                let cell = cells[row.firstCell + index]
                let its = others[index]
                if cell.isAbsent { continue }
                guard cell.rawKind == its.rawKind, cell.length == its.length else { return false }
                if cell.isText {
                    let (text, other) = (text(of: cell), its.text)
                    guard cell.length == 0
                        || memcmp(text.baseAddress!, other.baseAddress!, text.count) == 0
                    else { return false }
                } else if cell.isList {
                    // Links of lists stand elsewhere; to compare them is not worth it.
                    guard cell.length == 0 else { return false }
                } else if cell.bits != its.bits {
                    return false
                }
            }
            return true
        }
    }

    private func text(of cell: Cell) -> UnsafeRawBufferPointer {
        guard cell.isText else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return cell.text(besides: UnsafeRawPointer(bytes.base))
    }
}
