extension Query {
    /// A condition on an object. It holds or does not hold: there is no third answer as in SQL, so
    /// that `not` selects exactly the other objects.
    package indirect enum Condition: Sendable {
        /// Null equals only null and absent values, and it is never less or greater.
        case compares(attribute: Int, Comparison, Value)
        /// The value of the attribute equals one of these values.
        case isOneOf(attribute: Int, [Value])
        /// The value of the attribute is a text that matches the pattern.
        case isLike(attribute: Int, LikePattern)
        /// The full texts of the object have the words.
        case hasWords(WordPattern)
        /// The value of the attribute is a list that has the element.
        case hasElement(attribute: Int, ListElement)
        case leads(RelationCondition)
        case all([Condition])
        case any([Condition])
        case not(Condition)
    }

    /// A condition on the objects at the other end of a relationship: at least one of them exists
    /// and meets `condition`.
    package final class RelationCondition: Sendable {
        /// The index in the relationships of the entity.
        package let relationship: Int
        /// The entity at the other end.
        package let target: Entity
        /// The condition on an object at the other end; `nil` if every object meets it.
        package let condition: Condition?

        package init(relationship: Int, target: Entity, _ condition: Condition?) {
            self.relationship = relationship
            self.target = target
            self.condition = condition
        }
    }
}

extension Query {
    /// The conditions on relationships, each after the conditions on relationships inside it.
    package var relationConditions: [RelationCondition] {
        var found: [RelationCondition] = []
        for condition in conditions { condition.collect(&found) }
        return found
    }

    /// The entities whose full texts the conditions search.
    package var searchedEntities: [Entity] {
        let own = conditions.contains(where: \.searchesTexts) ? [entity] : []
        let others = relationConditions.filter { $0.condition?.searchesTexts ?? false }
        return own + others.map(\.target)
    }

    /// - Parameter relations: The answers for `relationConditions`.
    package func matches(_ object: Snapshot, _ relations: RelationAnswers) -> Bool {
        if let selection, !selection.holds(object.storeKey) { return false }
        return withExtendedLifetime(object) {
            conditions.allSatisfy { $0.holds(object, relations) }
        }
    }
}

extension Query.Condition {
    /// How many comparisons it has.
    package var comparisonCount: Int {
        switch self {
        case .compares, .isOneOf, .isLike, .hasWords, .hasElement: 1
        case .leads(let relation): 1 + (relation.condition?.comparisonCount ?? 0)
        case .not(let condition): condition.comparisonCount
        case .all(let conditions), .any(let conditions):
            conditions.reduce(0) { $0 + $1.comparisonCount }
        }
    }

    /// How many values the comparisons have.
    package var valueCount: Int {
        switch self {
        case .compares, .hasWords, .hasElement: 1
        case .isLike(_, let pattern): pattern.escape == nil ? 1 : 2
        case .isOneOf(_, let values): values.count
        case .leads(let relation): relation.condition?.valueCount ?? 0
        case .not(let condition): condition.valueCount
        case .all(let conditions), .any(let conditions):
            conditions.reduce(0) { $0 + $1.valueCount }
        }
    }

    /// Whether it searches the full texts of the objects themselves.
    fileprivate var searchesTexts: Bool {
        switch self {
        case .hasWords: true
        case .compares, .isOneOf, .isLike, .hasElement, .leads: false
        case .not(let condition): condition.searchesTexts
        case .all(let conditions), .any(let conditions):
            conditions.contains(where: \.searchesTexts)
        }
    }

    fileprivate func collect(_ found: inout [Query.RelationCondition]) {
        switch self {
        case .compares, .isOneOf, .isLike, .hasWords, .hasElement: break
        case .leads(let relation):
            relation.condition?.collect(&found)
            found.append(relation)
        case .not(let condition): condition.collect(&found)
        case .all(let conditions), .any(let conditions):
            for condition in conditions { condition.collect(&found) }
        }
    }

    fileprivate func holds(_ object: Snapshot, _ relations: RelationAnswers) -> Bool {
        switch self {
        case .compares(let attribute, let comparison, let value):
            let cell = object.cell(at: attribute)
            return value.withCell { comparison.holds(cell, $0) }
        case .isOneOf(let attribute, let values):
            let cell = object.cell(at: attribute)
            return values.contains { $0.withCell { CellOrder.compare(cell, $0) == 0 } }
        case .isLike(let attribute, let pattern):
            let cell = object.cell(at: attribute)
            return CellOrder.isText(cell) && pattern.matches(cell.text)
        case .hasWords(let pattern):
            return pattern.matches(object)
        case .hasElement(let attribute, let element):
            return element.isIn(object.cell(at: attribute))
        case .leads(let relation):
            return relations.holds(relation, object)
        case .all(let conditions):
            return conditions.allSatisfy { $0.holds(object, relations) }
        case .any(let conditions):
            return conditions.contains { $0.holds(object, relations) }
        case .not(let condition):
            return !condition.holds(object, relations)
        }
    }
}

extension Query.Comparison {
    fileprivate func holds(_ cell: Cell, _ wanted: Cell) -> Bool {
        let order = CellOrder.compare(cell, wanted)
        let areValues = CellOrder.rank(cell) != 0 && CellOrder.rank(wanted) != 0
        return switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: areValues && order < 0
        case .lessOrEqual: areValues && order <= 0
        case .greater: areValues && order > 0
        case .greaterOrEqual: areValues && order >= 0
        }
    }
}

/// Which links of objects meet the conditions on relationships of a query. A store in memory finds
/// this out once for each condition, before it looks at the objects of the query.
package struct RelationAnswers {
    /// The store keys whose objects meet a condition.
    private var keys: [ObjectIdentifier: Set<Int64>] = [:]

    package init() {}

    /// Finds the objects that meet `relation`. The conditions inside it have been answered before.
    ///
    /// - Parameters:
    ///   - objects: All objects of its entity.
    ///   - redirections: The keys of objects that became part of another object, with the key of
    ///     that object. A link may still have the older key.
    package mutating func answer(
        _ relation: Query.RelationCondition, _ objects: [Snapshot],
        _ redirections: [Int64: Int64]
    ) {
        var found: Set<Int64> = []
        for object in objects where relation.condition?.holds(object, self) ?? true {
            found.insert(object.storeKey)
        }
        for older in redirections.keys {
            var newest = older
            while let newer = redirections[newest] { newest = newer }
            if found.contains(newest) { found.insert(older) }
        }
        keys[ObjectIdentifier(relation)] = found
    }

    fileprivate func holds(_ relation: Query.RelationCondition, _ object: Snapshot) -> Bool {
        guard let found = keys[ObjectIdentifier(relation)] else {
            preconditionFailure("the condition on a relationship was not answered")
        }
        let cell = object.relationshipCell(at: relation.relationship)
        return switch cell.kind {
        case .object: found.contains(cell.integer)
        case .list: cell.keys.contains { found.contains($0) }
        default: false
        }
    }
}

/// Objects of a query that have equal values of an attribute.
package struct QueryGroup: Sendable {
    /// The value, as the object has it that was stored first; null also stands for absent values.
    package let value: Value
    package let count: Int

    package init(value: Value, count: Int) {
        self.value = value
        self.count = count
    }

    /// Groups objects by an attribute.
    ///
    /// - Parameter sorted: The objects in the order of the attribute, and among equal values in the
    ///   order in which they were stored.
    static func grouping(_ sorted: [Snapshot], by attribute: Int) -> [QueryGroup] {
        withExtendedLifetime(sorted) {
            var groups: [QueryGroup] = []
            var start = 0
            while start < sorted.count {
                let first = sorted[start].cell(at: attribute)
                var end = start + 1
                while end < sorted.count,
                    CellOrder.compare(sorted[end].cell(at: attribute), first) == 0
                { end += 1 }
                groups.append(QueryGroup(of: first, count: end - start))
                start = end
            }
            return groups
        }
    }

    /// - Parameter cell: The value, whose text is valid now.
    package init(of cell: Cell, count: Int) {
        self.init(value: CellOrder.rank(cell) == 0 ? .null : Value(cell), count: count)
    }
}
