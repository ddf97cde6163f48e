import Glibc
import RestwayObjects

/// Finds objects that a response repeats as the values of relationships, for example an owner in
/// each company or a tag by its identity. One row for each object is enough.
extension MachineCore {
    /// The number of another row that has all values of `row`, for the same object.
    ///
    /// Only the latest row of the object can replace it. If this returns nil, `row` is now the
    /// latest.
    mutating func twin(of row: Row) -> Int? {
        let kind = rowKinds[row.mapping]
        guard findsTwins, kind.isLinked, let identityIndex = kind.identityIndex else { return nil }
        let identity = cells[row.firstCell + identityIndex]
        guard identity.isInteger || identity.rawKind == Cell.Kind.string.rawValue else {
            return nil
        }
        let place = twins.place(entity: kind.entityIndex, identity, text(of: identity))
        // Results always have rows of their own.
        if row.parent >= 0, let number = twins.row(at: place), let twin = finished[number],
            twin.entity === entities[row.mapping], says(twin, allOf: row)
        {
            return number
        }
        twins.put(row.number, at: place)
        return nil
    }

    /// Asks the store for functions that look up its objects.
    mutating func look(with glance: (Entity) -> Glance?) {
        guard findsTwins else { return }
        for (index, entity) in plan.kinds.glanced {
            guard let glance = glance(entity) else { continue }
            while glances.count < index { glances.append(nil) }
            glances.append(glance)
        }
    }

    /// The object in the store, if `row` has all of its values and they are equal.
    ///
    /// A row with absent cells never matches. If the object changed before the commit, the stored
    /// snapshot would bring back old values that the row never had.
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

    /// Whether `other`, of the same entity, has every present cell of `row`.
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
                    // The links of lists are stored elsewhere; comparing them is not worth the
                    // cost.
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
