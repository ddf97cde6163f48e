/// Where the objects of an entity stand in the file.
struct TableLayout: Sendable {
    /// An attribute, or a relationship to one object.
    struct Column: Sendable {
        let name: String
        /// Its place among the cells of a snapshot.
        let cell: Int
        /// Its place among the letters of `_kinds`.
        let number: Int
        /// nil for a relationship.
        let coding: ColumnCoding?
    }

    /// A relationship to many objects.
    struct Links: Sendable {
        let table: String
        let cell: Int
        let number: Int
    }

    let entity: Entity
    let table: String
    /// Attributes in their order, then relationships.
    let columns: [Column]
    let links: [Links]
    /// How many letters a row may have.
    let letterCount: Int
    /// Of what the document no longer has: what these say stays.
    let restingNumbers: [Int]

    var identity: Column? { entity.identityIndex.map { columns[$0] } }
    var identityCoding: ColumnCoding? { identity?.coding }
}

extension String {
    /// As a name in SQL.
    var quotedForSQL: String {
        var text = "\""
        for character in unicodeScalars {
            if character == "\"" { text += "\"" }
            text.unicodeScalars.append(character)
        }
        return text + "\""
    }
}
