/// The lists of relationships, and the objects with free keys that stand in their place.
extension OpenRows {
    /// Settles the relationships of a list that has ended. Relationships to one take null from an
    /// empty list.
    mutating func endLists(_ frame: OpenPlaces.Frame, _ places: borrowing OpenPlaces) {
        for index in frame.firstPosition..<places.positions.count {
            let position = places.positions[index]
            guard let row = position.row else { continue }
            for link in position.node.pointee.links {
                if link.isMany {
                    settleList(link, row)
                } else if !frame.hasContent {
                    putNull(link, row)
                }
            }
        }
    }

    /// Begins the lists of the relationships that take the free keys of an object.
    mutating func beginMap(_ position: OpenPlaces.Position) {
        guard let place = position.node.pointee.wildcard, let row = position.row else { return }
        for link in place.pointee.links { beginList(link, row) }
    }

    /// Settles the relationships that took the free keys of an object that has ended.
    mutating func endMaps(_ frame: OpenPlaces.Frame, _ places: borrowing OpenPlaces) {
        for index in frame.firstPosition..<places.positions.count {
            let position = places.positions[index]
            guard let place = position.node.pointee.wildcard, let row = position.row else {
                continue
            }
            for link in place.pointee.links { settleList(link, row) }
        }
    }
}
