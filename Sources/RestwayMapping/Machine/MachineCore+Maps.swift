import RestwayObjects

/// The lists of relationships, and the objects with free keys that stand in their place.
extension MachineCore {
    /// Settles the relationships of a list that has ended. Relationships to one take null from an
    /// empty list.
    mutating func endLists(_ frame: OpenPlaces.Frame) {
        for index in frame.firstPosition..<places.positions.count {
            let position = places.positions[index]
            for link in position.node.pointee.links {
                if link.isMany {
                    rows.settleList(link, position.row)
                } else if !frame.hasContent {
                    rows.putNull(link, position.row)
                }
            }
        }
    }

    /// Begins the lists of the relationships that take the free keys of an object.
    mutating func beginMap(_ position: OpenPlaces.Position) {
        guard let place = position.node.pointee.wildcard, position.row >= 0 else { return }
        for link in place.pointee.links { rows.beginList(link, position.row) }
    }

    /// Settles the relationships that took the free keys of an object that has ended.
    mutating func endMaps(_ frame: OpenPlaces.Frame) {
        guard plan.hasMaps else { return }
        for index in frame.firstPosition..<places.positions.count {
            let position = places.positions[index]
            guard let place = position.node.pointee.wildcard, position.row >= 0 else { continue }
            for link in place.pointee.links { rows.settleList(link, position.row) }
        }
    }

    /// Gives a linked row its key in a map, if the link has keys.
    mutating func putKey(_ link: PlanLink, _ row: Int) {
        guard let target = link.key else { return }
        let key = places.freeKey
        do throws(Misfit) {
            let cell: Result<Cell, Misfit> = key.withBytes { key in
                Result { () throws(Misfit) in
                    try values.cell(.string(key), target, rows.mapping(of: row))
                }
            }
            rows.put(try cell.get(), target.attribute, row)
        } catch {
            report(error, row)
        }
    }
}
