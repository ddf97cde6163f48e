import RestwayObjects
import RestwaySQLite
import RestwayText

/// The variables of their routes that objects remember, within one transaction.
struct RememberedVariables {
    private let file: StoreConnection
    /// Whether an object may remember something.
    private var isInUse: Bool
    /// The sets that this transaction has met, with their numbers in the file. The sets are kept
    /// alive, so that no other set has their addresses.
    private var numbers: [ObjectIdentifier: (set: RouteVariables, number: Int64)] = [:]

    init(_ file: StoreConnection) throws(SQLiteError) {
        self.file = file
        isInUse = try file.integer("SELECT EXISTS (SELECT 1 FROM restway_remembered)") == 1
    }

    mutating func remember(_ variables: RouteVariables, _ key: Int64) throws(SQLiteError) {
        isInUse = true
        guard let number = try number(of: variables) else { return }
        try file.run(
            """
            INSERT INTO restway_remembered (key, variables) VALUES (?1, ?2)
            ON CONFLICT (key) DO UPDATE SET variables = excluded.variables
            WHERE variables <> excluded.variables
            """, key, number)
    }

    private mutating func number(of variables: RouteVariables) throws(SQLiteError) -> Int64? {
        if let known = numbers[ObjectIdentifier(variables)] { return known.number }
        let number = try file.number(ofVariables: variables.query)
        if let number { numbers[ObjectIdentifier(variables)] = (variables, number) }
        return number
    }

    func forget(_ key: Int64) throws(SQLiteError) {
        guard isInUse else { return }
        try file.run("DELETE FROM restway_remembered WHERE key = ?1", key)
    }

    /// Lets all objects of a table forget. Called while the table still has them.
    ///
    /// - Parameter tableName: The quoted name of the table.
    func forgetAll(in tableName: String) throws(SQLiteError) {
        guard isInUse else { return }
        try file.run(
            "DELETE FROM restway_remembered WHERE key IN (SELECT _key FROM \(tableName))")
    }
}

/// The form of the variables in the file: the text of a query, which is exact and can be read.
extension RouteVariables {
    convenience init(query: String) {
        var values: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            values[URLText.decoded(String(parts[0]))] = URLText.decoded(String(parts[1]))
        }
        self.init(values)
    }

    fileprivate var query: String {
        URLText.encodedQuery(pairs.map { Pair(name: $0.name, value: $0.value) })
    }
}
