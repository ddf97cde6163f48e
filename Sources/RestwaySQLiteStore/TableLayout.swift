import RestwayObjects

/// The places in the file where the objects of an entity are stored.
struct TableLayout: Sendable {
    /// The column of an attribute or of a relationship to one object.
    struct Column: Sendable {
        let name: String
        /// Its place among the cells of a snapshot.
        let cell: Int
        /// Its place among the letters of `_kinds`.
        let number: Int
        /// The coding of an attribute; `nil` for a relationship.
        let coding: ColumnCoding?
    }

    /// The table of a relationship to many objects.
    struct Links: Sendable {
        let table: String
        let cell: Int
        let number: Int
    }

    let entity: Entity
    let table: String
    /// The columns of the attributes in their order, then those of relationships.
    let columns: [Column]
    let links: [Links]
    /// The most letters that a row may have.
    let letterCount: Int
    /// The numbers of attributes and relationships that the document no longer has. Their letters
    /// stay.
    let restingNumbers: [Int]

    var identity: Column? { entity.identityIndex.map { columns[$0] } }
    var identityCoding: ColumnCoding? { identity?.coding }
}

extension String {
    /// The text as a quoted name in SQL.
    var quotedForSQL: String {
        var text = "\""
        for character in unicodeScalars {
            if character == "\"" { text += "\"" }
            text.unicodeScalars.append(character)
        }
        return text + "\""
    }
}
