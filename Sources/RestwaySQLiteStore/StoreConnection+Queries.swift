import RestwayObjects
import RestwaySQLite

/// Runs queries in SQL. They find the same objects in the same order as `Query.matches` and
/// `Query.sorts`.
extension StoreConnection {
    func snapshots(_ query: Query) throws(SQLiteError) -> [Snapshot] {
        guard let place = place(query.entity) else { return [] }
        let table = tables[place]
        return try filtering(query, place) { (filter) throws(SQLiteError) in
            let statement = try statement(query, table, filter)
            defer { statement.reset() }
            var found: [Snapshot] = []
            while try statement.step() { found.append(try table.read(statement, query.loading)) }
            return found
        }
    }

    /// Passes the attributes of each object that a query finds, straight from the columns of its
    /// row. The cells are valid until `row` returns.
    func readAttributes(
        _ query: Query, _ row: (UnsafePointer<Cell>) -> Void
    ) throws(SQLiteError) {
        guard let place = place(query.entity) else { return }
        let table = tables[place]
        try filtering(query, place, mayRepeat: false) { (filter) throws(SQLiteError) in
            let statement = try statement(query, table, filter)
            defer { statement.reset() }
            while try statement.step() { table.readAttributes(statement, row) }
        }
    }

    /// Calls `body` with the filter of a query. The filter leaves unloaded and hidden objects out
    /// only if the file may have some, because a longer statement takes longer to prepare.
    ///
    /// - Parameter mayRepeat: Whether `body` may be called a second time.
    private func filtering<Result>(
        _ query: Query, _ place: Int, mayRepeat: Bool = true,
        _ body: (QueryFilter) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let table = tables[place]
        var query = query
        if query.pendingDeletes == .hide, try !mayHaveHidden() { query.pendingDeletes = .show }
        guard query.loading == .loaded, table.layout.unloaded != nil else {
            return try body(QueryFilter(query, self, table))
        }
        return try askingForUnloaded(place, mayRepeat: mayRepeat) {
            [query] (hasUnloaded) throws(SQLiteError) in
            var query = query
            if !hasUnloaded { query.loading = .all }
            return try body(QueryFilter(query, self, table))
        }
    }

    /// Returns the number of loaded objects of a table.
    func loadedCount(_ place: Int) throws(SQLiteError) -> Int {
        let table = tables[place]
        guard table.layout.unloaded != nil else { return try table.count() }
        return try askingForUnloaded(place, table.loadedCount)
    }

    /// Returns the statement that finds the objects of a query, ready for its first step.
    private func statement(
        _ query: Query, _ table: TableAccess, _ filter: QueryFilter
    ) throws(SQLiteError) -> Statement {
        let orders = query.order.map { order in
            "\(table.column(ofAttribute: order.attribute))\(order.isDescending ? " DESC" : "")"
        }
        let statement = try connection.prepare(
            "\(filter.tables)\(table.selection(query.loading))\(filter.sql) ORDER BY "
                + (orders + ["_key"]).joined(separator: ", ")
                + " LIMIT \(query.limit.map { max(0, $0) } ?? -1) OFFSET \(max(0, query.offset))")
        filter.bind(statement)
        return statement
    }

    /// Loaded objects are counted as those that are left of all objects: it is quicker to count the
    /// unloaded objects than to ask for each object whether it is one of them.
    func count(_ query: Query) throws(SQLiteError) -> Int {
        guard let place = place(query.entity) else { return 0 }
        let table = tables[place]
        guard query.loading == .loaded, table.layout.unloaded != nil else {
            return try count(query, table)
        }
        return try askingForUnloaded(place) { (hasUnloaded) throws(SQLiteError) in
            var query = query
            query.loading = .all
            let all = try count(query, table)
            guard hasUnloaded else { return all }
            query.loading = .unloaded
            return all - (try count(query, table))
        }
    }

    private func count(_ query: Query, _ table: TableAccess) throws(SQLiteError) -> Int {
        let filter = QueryFilter(query, self, table)
        let statement = try connection.prepare(
            "\(filter.tables)SELECT count(*) FROM \(table.tableName)\(filter.sql)")
        filter.bind(statement)
        return Int(try statement.firstInteger() ?? 0)
    }

    func groups(_ query: Query, by attribute: Int) throws(SQLiteError) -> [QueryGroup] {
        guard let place = place(query.entity) else { return [] }
        let table = tables[place]
        let column = table.column(ofAttribute: attribute)
        return try filtering(query, place) { (filter) throws(SQLiteError) in
            // SQLite takes the columns beside min() from the row that has the minimum.
            let statement = try connection.prepare(
                "\(filter.tables)SELECT _kinds, \(column), count(*), min(_key) "
                    + "FROM \(table.tableName)\(filter.sql) "
                    + "GROUP BY \(column) ORDER BY \(column)")
            defer { statement.reset() }
            filter.bind(statement)
            var groups: [QueryGroup] = []
            while try statement.step() {
                let cell = table.read(statement, attribute: attribute)
                groups.append(QueryGroup(of: cell, count: Int(statement.integer(2))))
            }
            return groups
        }
    }
}

/// The WHERE clause of a query, and the WITH clause that comes before the statement. The values are
/// parameters, never parts of the text.
///
/// Each condition on a relationship is a table of the WITH clause, so that the text does not nest
/// deeper than SQLite's parser allows. Such a table depends on no row of the query: SQLite makes it
/// once.
private struct QueryFilter {
    private enum Parameter {
        case value(Value)
        case text(String)
    }

    private(set) var sql = ""
    private(set) var tables = ""
    private var tableCount = 0
    private let file: StoreConnection
    private let hides: Bool
    private var parameters: [Parameter] = []

    init(_ query: Query, _ file: StoreConnection, _ table: TableAccess) {
        self.file = file
        hides = query.pendingDeletes == .hide
        let ofShape = table.layout.condition(query.entity)
        let ofLoading = table.layout.condition(query.loading)
        guard !query.findsAll || ofShape != nil || ofLoading != nil || hides else { return }
        var conditions = query.conditions.map { text($0, table) }
        if let ofShape { conditions.append(ofShape) }
        if let ofLoading { conditions.append(ofLoading) }
        if hides { conditions.append(Self.isNotHidden) }
        if let isPending = query.isPending {
            let pending = "(SELECT key FROM restway_layers WHERE active = 1)"
            conditions.append("_key \(isPending ? "IN" : "NOT IN") \(pending)")
        }
        if let isConflicted = query.isConflicted {
            let conflicted = "(SELECT key FROM restway_layers WHERE parked = 1 AND active = 1)"
            conditions.append("_key \(isConflicted ? "IN" : "NOT IN") \(conflicted)")
        }
        switch query.selection {
        case .only(let keys): conditions.append("_key IN \(list(keys))")
        case .without(let keys): conditions.append("_key NOT IN \(list(keys))")
        case nil: break
        }
        sql = " WHERE " + conditions.joined(separator: " AND ")
        if !tables.isEmpty { tables += " " }
    }

    private static let isNotHidden =
        "_key NOT IN (SELECT key FROM restway_layers WHERE \(StoreConnection.isHidden))"

    /// Adds a parameter and returns its place in the text.
    private mutating func place(_ parameter: Parameter) -> String {
        parameters.append(parameter)
        return "?\(parameters.count)"
    }

    private mutating func list(_ keys: Set<Int64>) -> String {
        let list = "[" + keys.map { String($0) }.joined(separator: ",") + "]"
        return "(SELECT json_each.value FROM json_each(\(place(.text(list)))))"
    }

    // MARK: Conditions

    /// Returns an expression that is true if the condition holds, and false or null otherwise.
    private mutating func text(_ condition: Query.Condition, _ table: TableAccess) -> String {
        switch condition {
        case .compares(let attribute, let comparison, let value):
            return text(attribute, comparison, value, table)
        case .isOneOf(let attribute, let values):
            return text(attribute, isOneOf: values, table)
        case .isLike(let attribute, let pattern):
            let column = table.column(ofAttribute: attribute)
            var like = "\(column) LIKE \(place(.text(pattern.text)))"
            if let escape = pattern.escape { like += " ESCAPE \(place(.text(String(escape))))" }
            return "(typeof(\(column)) = 'text' AND \(like))"
        case .hasWords(let pattern):
            guard let index = table.layout.textIndex, !pattern.phrases.isEmpty else { return "0" }
            let expression = place(.text(pattern.expression))
            return "_key IN (SELECT rowid FROM \(index.words) "
                + "WHERE \(index.words) MATCH \(expression))"
        case .hasElement(let attribute, let element):
            return element.sql(table.column(ofAttribute: attribute)) { place(.value($0)) }
        case .leads(let relation):
            return text(relation, table)
        case .all(let conditions):
            return joined(conditions, " AND ", table)
        case .any(let conditions):
            return joined(conditions, " OR ", table)
        case .not(let condition):
            return "(\(text(condition, table)) IS NOT TRUE)"
        }
    }

    private mutating func joined(
        _ conditions: [Query.Condition], _ word: String, _ table: TableAccess
    ) -> String {
        "(" + conditions.map { text($0, table) }.joined(separator: word) + ")"
    }

    private mutating func text(
        _ attribute: Int, _ comparison: Query.Comparison, _ value: Value, _ table: TableAccess
    ) -> String {
        let column = table.column(ofAttribute: attribute, comparedWith: value)
        // A null parameter is only equal to null; every other comparison with null finds no rows.
        let comparison =
            switch comparison {
            case .equal: "IS"
            case .notEqual: "IS NOT"
            case .less: "<"
            case .lessOrEqual: "<="
            case .greater: ">"
            case .greaterOrEqual: ">="
            }
        return "\(column) \(comparison) \(place(.value(value)))"
    }

    private mutating func text(
        _ attribute: Int, isOneOf values: [Value], _ table: TableAccess
    ) -> String {
        var places: [String: [String]] = [:]
        var parts: [String] = []
        for value in values {
            if value.withCell(CellOrder.rank) == 0 {
                parts = ["\(table.column(ofAttribute: attribute)) IS NULL"]
            } else {
                let column = table.column(ofAttribute: attribute, comparedWith: value)
                places[column, default: []].append(place(.value(value)))
            }
        }
        for (column, places) in places {
            parts.append("\(column) IN (\(places.joined(separator: ", ")))")
        }
        return parts.isEmpty ? "0" : "(" + parts.joined(separator: " OR ") + ")"
    }

    private mutating func text(
        _ relation: Query.RelationCondition, _ table: TableAccess
    ) -> String {
        guard let target = file.table(relation.target) else { return "0" }
        var conditions = relation.condition.map { [text($0, target)] } ?? []
        if hides { conditions.append(Self.isNotHidden) }
        let condition =
            conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        if tables.isEmpty {
            // A link may still have the key of an object that became part of another object.
            tables = """
                WITH RECURSIVE restway_moved(older, newer) AS (
                SELECT older, newer FROM restway_redirections UNION
                SELECT moved.older, next.newer FROM restway_moved moved
                JOIN restway_redirections next ON next.older = moved.newer)
                """
        }
        tableCount += 1
        let (met, linked) = ("restway_met_\(tableCount)", "restway_linked_\(tableCount)")
        tables += """
            , \(met)(key) AS (SELECT _key FROM \(target.tableName)\(condition)),
            \(linked)(key) AS (SELECT key FROM \(met) UNION ALL
            SELECT older FROM restway_moved WHERE newer IN (SELECT key FROM \(met)))
            """
        let keys = "(SELECT key FROM \(linked))"
        let cell = table.layout.entity.attributes.count + relation.relationship
        if let column = table.layout.columns.firstIndex(where: { $0.cell == cell }) {
            return "\(table.layout.columnNames[column]) IN \(keys)"
        }
        guard let links = table.layout.links.first(where: { $0.cell == cell }) else { return "0" }
        return "_key IN (SELECT owner FROM \(links.table.quotedForSQL) WHERE target IN \(keys))"
    }

    // MARK: Values

    func bind(_ statement: Statement) {
        for (index, parameter) in parameters.enumerated() {
            let place = Int32(index + 1)
            switch parameter {
            case .text(let text): statement.bind(place, text)
            case .value(let value): bind(value, place, statement)
            }
        }
    }

    private func bind(_ value: Value, _ place: Int32, _ statement: Statement) {
        switch value {
        case .bool(let value): statement.bind(place, value ? 1 : 0 as Int64)
        case .int64(let value), .date(let value): statement.bind(place, value)
        case .double(let value) where !value.isNaN: statement.bind(place, value)
        case .string(let text), .json(let text): statement.bind(place, text)
        case .bytes(let bytes):
            bytes.withUnsafeBytes { statement.bindBytes(place, $0, isCopied: true) }
        // The parameters of these values stay null.
        case .double, .absent, .null, .link, .links: break
        }
    }
}

extension TableAccess {
    /// Returns the column of an attribute. Links have no order: they compare as null.
    fileprivate func column(ofAttribute attribute: Int) -> String {
        attribute < layout.entity.attributes.count ? layout.columnNames[attribute] : "NULL"
    }

    /// Returns the column of an attribute for a comparison.
    ///
    /// Before comparing, SQLite would convert text to a number for a column of numbers, and a
    /// number to text for a column of text. A plus sign before the column prevents that, and also
    /// the use of its index.
    fileprivate func column(ofAttribute attribute: Int, comparedWith value: Value) -> String {
        let column = column(ofAttribute: attribute)
        guard attribute < layout.entity.attributes.count else { return column }
        let rank = value.withCell(CellOrder.rank)
        return switch layout.columns[attribute].coding.affinity {
        case .none: column
        case .integer, .real: rank == 1 ? column : "+" + column
        case .text: rank == 1 ? "+" + column : column
        }
    }
}
