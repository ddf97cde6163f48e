import Glibc
import RestwayObjects

/// Objects that a response tells about again and again, at the other ends of relationships: an
/// owner with each company, a tag by its identity. One row of each is enough.
extension MachineCore {
    /// The number of a row that says all that `row` says, of the same object.
    ///
    /// Only the row that spoke last of the object can stand for it; from now on that is this one,
    /// unless another is answered.
    mutating func twin(of row: Row) -> Int? {
        let kind = rowKinds[row.mapping]
        guard findsTwins, kind.isLinked, let identityIndex = kind.identityIndex else { return nil }
        let identity = cells[row.firstCell + identityIndex]
        guard identity.isInteger || identity.rawKind == Cell.Kind.string.rawValue else {
            return nil
        }
        let place = twins.place(entity: kind.entityIndex, identity, text(of: identity))
        // Results have rows of their own.
        if row.parent >= 0, let number = twins.row(at: place), let twin = finished[number],
            twin.entity === entities[row.mapping], says(twin, allOf: row)
        {
            return number
        }
        twins.put(row.number, at: place)
        return nil
    }

    /// Asks the store how to look at what it has.
    mutating func look(with glance: (Entity) -> Glance?) {
        guard findsTwins else { return }
        for (index, entity) in plan.kinds.glanced {
            guard let glance = glance(entity) else { continue }
            while glances.count < index { glances.append(nil) }
            glances.append(glance)
        }
    }

    /// What the store has, when `row` says all of it and nothing else.
    ///
    /// A row with absent cells is not taken for it: should the object change before the commit, it
    /// must not bring back what it never said.
    mutating func known(_ row: Row) -> Snapshot? {
        guard row.mapping < glances.count, let glance = glances[row.mapping],
            let identityIndex = rowKinds[row.mapping].identityIndex
        else { return nil }
        let identity = cells[row.firstCell + identityIndex]
        guard identity.isInteger, let newest = glance(identity.integer) else { return nil }
        for index in 0..<rowKinds[row.mapping].cellCount
        where cells[row.firstCell + index].isAbsent {
            return nil
        }
        guard says(newest, allOf: row) else { return nil }
        holdsKnown = true
        return newest
    }

    /// Whether every present cell of `row` stands in `other`, which is of the same entity.
    private func says(_ other: Snapshot, allOf row: Row) -> Bool {
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
