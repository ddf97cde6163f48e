import RestwayObjects

/// Converts the values of an attribute that gets another type.
struct TypeChange {
    /// The rows whose value has a meaning in both types.
    struct Case {
        let condition: String
        /// The value for the new column.
        let value: String
        /// The letter for the new column in `_kinds`; `nil` if it needs none.
        var letter: UInt8?
    }

    private let old: AttributeType?
    private let new: AttributeType

    /// - Parameter old: The type as the file names it. It may be a type of a later version.
    init(_ old: String, _ new: AttributeType) {
        self.old = AttributeType(rawValue: old)
        self.new = new
    }

    /// Returns the cases in SQL. If several conditions hold, the first one counts. Values that are
    /// lost come back with the next response.
    ///
    /// - Parameters:
    ///   - column: The column with the values.
    ///   - letter: The letter in `_kinds`; never null.
    func cases(_ column: String, _ letter: String) -> [Case] {
        typealias Letter = ColumnCoding.Letter
        let null = Case(
            condition: "\(column) IS NULL AND \(letter) = '0'", value: "NULL", letter: Letter.null)
        let isInteger = "typeof(\(column)) = 'integer'"
        let isInt = "\(isInteger) AND \(letter) NOT IN ('b', 't')"
        let isBool = "\(isInteger) AND \(letter) = 'b'"
        let isDate = "\(isInteger) AND \(letter) = 't'"
        let isNumber = "typeof(\(column)) = 'real'"
        let asInteger = "CAST(\(column) AS INTEGER)"
        // Doubles of this size represent every integer exactly.
        let isWhole =
            "\(isNumber) AND abs(\(column)) < 9e15 AND CAST(\(asInteger) AS REAL) = \(column)"
        let isText = "typeof(\(column)) = 'text'"
        let isString = "\(isText) AND \(letter) <> 'j'"
        let isIntegerText = "\(isString) AND CAST(\(asInteger) AS TEXT) = \(column)"
        func same(_ condition: String, _ letter: UInt8? = nil) -> Case {
            Case(condition: condition, value: column, letter: letter)
        }
        func cast(_ condition: String, _ type: String) -> Case {
            Case(condition: condition, value: "CAST(\(column) AS \(type))")
        }
        let values: [Case] =
            switch (old, new) {
            case (.bool, .any): [same(isInteger, Letter.bool)]
            case (.date, .any): [same(isInteger, Letter.date)]
            case (.json, .any): [same("\(isText) AND \(letter) <> 's'", Letter.json), same(isText)]
            case (.int, .any): [same(isInt)]
            case (.double, .any): [same(isNumber)]
            case (.string, .any): [same(isString)]
            case (.bytes, .any), (.any, .bytes): [same("typeof(\(column)) = 'blob'")]
            case (.any, .int): [same(isInt), cast(isIntegerText, "INTEGER")]
            case (.bool, .int): [same(isInteger)]
            case (.double, .int): [cast(isWhole, "INTEGER")]
            case (.string, .int): [cast(isIntegerText, "INTEGER")]
            case (.any, .bool): [same(isBool), same("\(isInt) AND \(column) IN (0, 1)")]
            case (.int, .bool): [same("\(isInt) AND \(column) IN (0, 1)")]
            case (.any, .double), (.int, .double):
                [cast(isInt, "REAL"), same(isNumber)]
            case (.any, .string), (.int, .string): [same(isString), cast(isInt, "TEXT")]
            case (.any, .date): [same(isDate)]
            case (.any, .json): [same("\(isText) AND \(letter) = 'j'")]
            default: []
            }
        return [null] + values
    }
}
