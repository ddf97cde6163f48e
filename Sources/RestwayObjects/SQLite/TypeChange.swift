/// What becomes of the values of an attribute that gets another type.
struct TypeChange {
    private let old: AttributeType?
    private let new: AttributeType

    /// - Parameter old: As the file names it: maybe a type of a later version.
    init(_ old: String, _ new: AttributeType) {
        self.old = AttributeType(rawValue: old)
        self.new = new
    }

    /// The value for the new column, in SQL: that of `column` where it means the same, else null;
    /// nil when none can. What is lost comes back with the next response.
    func value(of column: String) -> String? {
        let cases = cases(column)
        guard !cases.isEmpty else { return nil }
        return "CASE " + cases.map { "WHEN \($0.when) THEN \($0.then)" }.joined(separator: " ")
            + " END"
    }

    private func cases(_ column: String) -> [(when: String, then: String)] {
        let isInteger = "typeof(\(column)) = 'integer'"
        let isText = "typeof(\(column)) = 'text'"
        let isNumber = "typeof(\(column)) IN ('integer', 'real')"
        let asInteger = "CAST(\(column) AS INTEGER)"
        let asText = "CAST(\(column) AS TEXT)"
        let sameIntegerAsText = "\(isText) AND CAST(\(asInteger) AS TEXT) = \(column)"
        switch (old, new) {
        case (.int, .any), (.bool, .any), (.double, .any), (.string, .any):
            return [("typeof(\(column)) <> 'blob'", column)]
        case (.bytes, .any): return [("1", column)]
        case (.any, .int): return [(isInteger, column), (sameIntegerAsText, asInteger)]
        case (.bool, .int): return [(isInteger, column)]
        case (.string, .int): return [(sameIntegerAsText, asInteger)]
        case (.any, .bool), (.int, .bool): return [("\(isInteger) AND \(column) IN (0, 1)", column)]
        case (.any, .double), (.int, .double): return [(isNumber, "CAST(\(column) AS REAL)")]
        case (.any, .string), (.int, .string):
            return [(isText, column), (isInteger, asText)]
        case (.any, .bytes): return [("typeof(\(column)) = 'blob'", column)]
        default: return []
        }
    }
}
