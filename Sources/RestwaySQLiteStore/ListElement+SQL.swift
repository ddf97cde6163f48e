import RestwayObjects

extension ListElement {
    /// Returns an expression that is true if the list in `column` has the element.
    ///
    /// The canonical texts of numbers, booleans, dates and bytes have no comma, so such an element
    /// stands between two commas. A string may have commas, so SQLite reads the list.
    ///
    /// - Parameter place: Adds a parameter and returns its place in the text.
    func sql(_ column: String, _ place: (Value) -> String) -> String {
        guard case .string(let string) = value else {
            let elements = "',' || substr(\(column), 2, length(\(column)) - 2) || ','"
            return "(instr(\(elements), \(place(.string(",\(text),")))) > 0)"
        }
        // SQLite's functions for JSON read strings up to a NUL. The text has the whole string.
        let visible = String(decoding: string.utf8.prefix { $0 != 0 }, as: UTF8.self)
        return """
            (CASE WHEN json_valid(\(column)) THEN instr(\(column), \(place(.string(text)))) > 0 AND
            EXISTS (SELECT 1 FROM json_each(\(column)) WHERE json_each.type = 'text'
            AND json_each.value = \(place(.string(visible)))) ELSE 0 END)
            """
    }
}
