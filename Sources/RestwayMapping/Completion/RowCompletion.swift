package import RestwayObjects
import RestwayText

/// Gives the rows of an answer the values that do not stand in the JSON of their objects: variables
/// of the request's path, headers of the answer, and attributes of the objects in which they are
/// nested.
///
/// The pass follows the mapping machine and comes before hooks. A row precedes the rows that it
/// links to, so that it is complete before it gives them values. A value that a row has already
/// stays as it is. A value that does not fit its attribute is an issue, and is left out.
package struct RowCompletion {
    /// Values by the indices of their cells.
    private typealias Values = [Int: Value]

    private let source: AnswerSource
    /// The rows that have values from the headers of the answer.
    private let headed: Set<Int>
    /// The rows whose objects are identified by the path of the request.
    private var atPath: Set<Int> = []
    /// The values from the path of the request, by entity. Each entity is asked once.
    private var ofRequest: [ObjectIdentifier: Values] = [:]
    /// The values that rows have from the rows that link to them, by the number of the row.
    private var given: [Int: Values] = [:]
    private var issues: [MappingIssue] = []

    private init(_ source: AnswerSource, headed: Set<Int>) {
        self.source = source
        self.headed = headed
    }

    /// Completes the rows of an answer.
    package static func complete(
        _ result: inout MappingResult, of plan: MappingPlan, from source: AnswerSource
    ) {
        guard plan.completesRows else { return }
        var completion = RowCompletion(source, headed: result.loneResults)
        completion.findSingletons(result, plan)
        var links = IdentityLinks(plan)
        var number = 0
        // Links by attributes add rows for the objects that they lead to.
        while number < result.changeSet.rows.count {
            completion.complete(number, &result.changeSet.rows)
            completion.give(from: number, result.changeSet.rows)
            links.complete(number, &result.changeSet) { linked, values in
                completion.given[linked, default: [:]].merge(values) { first, _ in first }
            }
            number += 1
        }
        result.add(completion.issues)
    }

    /// Completes the rows that put new drafts into a store.
    ///
    /// - Parameters:
    ///   - edits: The rows by the member of the draft.
    ///   - isHeaded: Whether the headers of the answer are about the draft itself, because the
    ///     answer has no object.
    package static func complete(
        _ rows: inout [Snapshot], edits: [Int: Int], of draft: DraftCapture,
        from source: AnswerSource, isHeaded: Bool = false
    ) {
        guard draft.members.contains(where: { $0.entity.needsCompletion }) else { return }
        var completion = RowCompletion(
            source, headed: isHeaded ? Set([edits[0]].compactMap { $0 }) : [])
        if let row = edits[0], draft.root.entity.isSingleton { completion.atPath = [row] }
        for (member, row) in edits.sorted(by: { $0.value < $1.value }) {
            let values = draft.members[member].values
            // An object that the store has is complete, except for what an answer says.
            completion.complete(row, &rows, isKnown: draft.members[member].storeKey != 0)
            completion.give(from: row, rows, otherwise: values)
        }
    }

    // MARK: Rows

    /// Finds the results of which there is one object at each path. Several of them in one answer
    /// are an issue, and stay without an identity.
    private mutating func findSingletons(_ result: MappingResult, _ plan: MappingPlan) {
        guard source.path != nil else { return }
        for (index, rows) in result.results.enumerated() {
            let found = rows.filter { result.changeSet.rows[$0].entity.isSingleton }
            guard let first = found.first else { continue }
            if found.count == 1 || source.isStream {
                atPath.formUnion(found)
            } else {
                let name = result.changeSet.rows[first].entity.name
                issues.append(
                    MappingIssue(
                        keyPath: plan.descriptors[index].keyPath.joined(separator: "."),
                        reason: "expected one object of \(name), which has the path as its "
                            + "identity, found \(found.count)"))
            }
        }
    }

    /// - Parameter isKnown: Whether only the headers of the answer have values for the row.
    private mutating func complete(
        _ number: Int, _ rows: inout [Snapshot], isKnown: Bool = false
    ) {
        let row = rows[number]
        let entity = row.entity
        guard entity.needsCompletion || given[number] != nil else { return }
        var values = given.removeValue(forKey: number) ?? [:]
        if isKnown {
            values = [:]
        } else {
            values.merge(valuesOfRequest(for: entity)) { given, _ in given }
        }
        if headed.contains(number) { values.merge(valuesOfHeaders(for: entity)) { $1 } }
        values = values.filter { row.cell(at: $0.key).isAbsent && entity.owns(cell: $0.key) }
        if atPath.contains(number), !isKnown, let index = entity.identityIndex,
            let path = source.path
        {
            values[index] = .string(AnswerSource.identity(ofPath: path))
        }
        if !values.isEmpty { rows[number] = row.completed(with: values) }
    }

    /// Gives the rows that a complete row links to the values that they have from it.
    ///
    /// - Parameter others: The values of the attributes that the row itself does not say.
    private mutating func give(
        from number: Int, _ rows: [Snapshot], otherwise others: [Value] = []
    ) {
        let row = rows[number]
        for index in row.entity.relationships.indices {
            for key in row.relatedKeys(at: index) {
                // A row that came earlier is complete.
                guard let linked = Cell.row(ofReference: key), linked > number,
                    rows[linked].entity.needsCompletion
                else { continue }
                let values = values(for: rows[linked].entity, ofParent: row, otherwise: others)
                given[linked, default: [:]].merge(values) { first, _ in first }
            }
        }
    }

    // MARK: Values

    private mutating func valuesOfRequest(for entity: Entity) -> Values {
        if let known = ofRequest[ObjectIdentifier(entity)] { return known }
        var values: Values = [:]
        for index in entity.elsewhere {
            guard case .variable(let name)? = entity.attributes[index].origin,
                let text = source.variables?[name]
            else { continue }
            values[index] = value(text, of: entity, index, "the variable \"\(name)\" of the path")
        }
        ofRequest[ObjectIdentifier(entity)] = values
        return values
    }

    private mutating func valuesOfHeaders(for entity: Entity) -> Values {
        var values: Values = [:]
        for index in entity.elsewhere {
            guard case .header(let name)? = entity.attributes[index].origin,
                let text = source.header(name)
            else { continue }
            values[index] = value(text, of: entity, index, "the header \(name)")
        }
        return values
    }

    private mutating func values(
        for entity: Entity, ofParent parent: Snapshot, otherwise others: [Value]
    ) -> Values {
        var values: Values = [:]
        for index in entity.elsewhere {
            guard case .parent(let name)? = entity.attributes[index].origin,
                let place = parent.entity.attributeIndex(named: name)
            else { continue }
            var found = parent.value(at: place)
            if found == .absent, others.indices.contains(place) { found = others[place] }
            guard found != .absent, found != .null else { continue }
            let attribute = entity.attributes[index]
            guard let value = attribute.type.fit(found), attribute.rules.accepts(value) else {
                let owner = parent.entity.name
                report(entity, index, "\(name) of \(owner), which is \(found.withArticle)")
                continue
            }
            values[index] = value
        }
        return values
    }

    /// Returns a text of the request or the answer as the value of an attribute.
    ///
    /// - Parameter place: The place of the text, for messages.
    private mutating func value(
        _ text: String, of entity: Entity, _ index: Int, _ place: String
    ) -> Value? {
        let attribute = entity.attributes[index]
        guard let value = attribute.type.value(of: text), attribute.rules.accepts(value) else {
            report(entity, index, "another text in \(place)")
            return nil
        }
        return value
    }

    private mutating func report(_ entity: Entity, _ index: Int, _ found: String) {
        let attribute = entity.attributes[index]
        let accepted = attribute.rules.accepted?.alternatives
        issues.append(
            MappingIssue(
                keyPath: attribute.name,
                reason: "expected \(accepted ?? attribute.type.withArticle), found \(found)"))
    }
}

extension AttributeType {
    /// Whether a text in a path or a header can be a value of this type.
    package var hasValuesOfTexts: Bool {
        switch self {
        case .any, .bool, .int, .double, .string, .date: true
        case .bytes, .json: false
        }
    }

    /// A moment of 2026, as seconds since 1970, for the years of two digits in old dates.
    private static var secondsForYears: Int64 { 1_780_000_000 }

    /// Returns a text of a path or a header as a value; nil if it is not of this type. A date is
    /// ISO 8601, or a date as headers write it (RFC 9110, section 5.6.7).
    fileprivate func value(of text: String) -> Value? {
        switch self {
        case .any, .string: .string(text)
        case .int: text.withBytes(NumberText.integer).map(Value.int64)
        case .double: text.withBytes(NumberText.double).map(Value.double)
        case .bool: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
        case .date:
            (text.withBytes { DateFormat.iso8601.parse($0.bindMemory(to: UInt8.self)) }
                ?? HTTPDate.seconds(text, now: Self.secondsForYears).map { $0 * 1_000_000 })
                .map(Value.date)
        case .bytes, .json: nil
        }
    }
}

extension Snapshot {
    /// Returns a row with the cells of this one, and with `values` where they are absent.
    func completed(with values: [Int: Value]) -> Snapshot {
        var all = [Value](repeating: .absent, count: (values.keys.max() ?? -1) + 1)
        for (index, value) in values { all[index] = value }
        return completed(from: Snapshot.make(entity, all, isLoaded: false))
    }
}
