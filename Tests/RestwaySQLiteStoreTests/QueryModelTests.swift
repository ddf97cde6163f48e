import RandomRounds
import RestwayObjects
import RestwaySQLiteStore
import RestwayThreads
import XCTest

/// Random conditions on random objects: both stores find what a naive model finds.
final class QueryModelTests: SQLiteTestCase {
    private let model = EntityModel()
    private lazy var person = Entity(
        name: "Person", index: 0,
        attributes: [
            Attribute(name: "id"), Attribute(name: "any"),
            Attribute(name: "count", type: .int), Attribute(name: "size", type: .double),
            Attribute(name: "name", type: .string), Attribute(name: "tags", type: .json),
            Attribute(name: "flag", type: .bool),
            Attribute(name: "words", shape: .list(.one(.string))),
            Attribute(name: "numbers", shape: .list(.one(.int))),
        ],
        relationships: [
            Relationship(name: "boss", targetName: "Person", targetIndex: 0),
            Relationship(name: "friends", targetName: "Person", targetIndex: 0, isMany: true),
            Relationship(name: "team", targetName: "restway_met", targetIndex: 1),
        ], identityIndex: 0, fullText: [1, 4], model: model)
    /// It has the name of a table that a query makes for itself.
    private lazy var team = Entity(
        name: "restway_met", index: 1,
        attributes: [Attribute(name: "id"), Attribute(name: "name", type: .string)],
        relationships: [
            Relationship(name: "members", targetName: "Person", targetIndex: 0, isMany: true)
        ], identityIndex: 0, fullText: [1], model: model)

    private static let texts = ["", "a", "A", "ab", "aXb", "é", "_", "%", "a\u{0}b", "1", "ba%"]
    /// Elements of lists, each with its canonical text. Some texts contain others.
    private static let words: [(value: Value, text: String)] = [
        (.string("a"), #""a""#), (.string(","), #"",""#), (.string("a,"), #""a,""#),
        (.string(",\"a\","), #"",\"a\",""#), (.string("a\u{0}b"), #""a\u0000b""#),
        (.string("]"), #""]""#), (.string("\\"), #""\\""#), (.null, "null"), (.string(""), "\"\""),
    ]
    private static let numbers: [(value: Value, text: String)] = [
        (.int64(1), "1"), (.int64(11), "11"), (.int64(-1), "-1"), (.null, "null"),
    ]

    private static let patterns = [
        "", "%", "_", "a%", "%B", "_%b", "a_b", "É", "é", "1", "%%a", "a%\u{0}", "%é%", "é_",
        "ba%%", "%a_",
    ]
    private static let searches = ["a", "A b", "ab*", "\"a b\"", "É", "1 a*", "x", "\"", "2"]
    private static let escapes: [Unicode.Scalar?] = [nil, nil, nil, "%", "_", "a", "é", "A", "!"]

    private func value(_ type: AttributeType, _ random: inout SeededRandom) -> Value {
        let number = Int64.random(in: -2...2, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .absent
        case 1: return .null
        default: break
        }
        switch type {
        case .bool: return .bool(number > 0)
        case .int: return .int64(number)
        case .double: return .double(Double(number) / 2)
        case .string: return .string(Self.texts.randomElement(using: &random)!)
        case .json: return .json("[\(number)]")
        case .bytes: return .bytes([UInt8](repeating: 97, count: Int(abs(number))))
        case .date: return .date(number)
        case .any: return value(AttributeType.allCases.randomElement(using: &random)!, &random)
        }
    }

    // MARK: Objects

    private func fill(_ stores: [any ObjectStore], _ random: inout SeededRandom) throws {
        for _ in 0..<4 {
            let count = Int.random(in: 1...8, using: &random)
            let rows = (0..<count).map { row(random: &random, $0) }
            // Objects without an identity get the one of another object, which they take over.
            let answers = (0..<2).map { _ in
                ChangeSet.Answer(
                    storeKey: Int64.random(in: 1...20, using: &random), entity: person,
                    row: rows.indices.randomElement(using: &random))
            }
            let deleted = Int64.random(in: 1...20, using: &random)
            for store in stores {
                var changes = ChangeSet(
                    rows: rows.map {
                        Snapshot.make($0.entity, $0.values, isLoaded: $0.isLoaded)
                    })
                changes.answers = answers
                changes.deletions = [.object(person, storeKey: deleted)]
                _ = try store.commit(changes)
            }
        }
    }

    private func row(random: inout SeededRandom, _ place: Int) -> Snapshot {
        let entity = Int.random(in: 0..<4, using: &random) == 0 ? team : person
        var values = entity.attributes.map { attribute in
            Self.elements(attribute).map { list($0, &random) } ?? value(attribute.type, &random)
        }
        values[0] =
            Int.random(in: 0..<3, using: &random) == 0
            ? .absent : .int64(Int64.random(in: 0...8, using: &random))
        for relationship in entity.relationships {
            let links = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                Int64.random(in: 1...20, using: &random)
            }
            let link: Value = relationship.isMany ? .links(links) : .link(links.first ?? 1)
            values.append([.absent, .null, link, link].randomElement(using: &random)!)
        }
        return Snapshot.make(entity, values, isLoaded: Bool.random(using: &random))
    }

    private static func elements(_ attribute: Attribute) -> [(value: Value, text: String)]? {
        switch attribute.name {
        case "words": words
        case "numbers": numbers
        default: nil
        }
    }

    private func list(
        _ elements: [(value: Value, text: String)], _ random: inout SeededRandom
    ) -> Value {
        let count = Int.random(in: 0...4, using: &random)
        let texts = (0..<count).map { _ in elements.randomElement(using: &random)!.text }
        return [.absent, .null, .json("[\(texts.joined(separator: ","))]")].randomElement(
            using: &random)!
    }

    // MARK: Conditions

    private func condition(
        _ entity: Entity, depth: Int, _ random: inout SeededRandom
    ) -> Query.Condition {
        let attribute = Int.random(in: 0..<entity.attributes.count, using: &random)
        let type = entity.attributes[attribute].type
        func wanted(_ random: inout SeededRandom) -> Value {
            value(Bool.random(using: &random) ? type : .any, &random)
        }
        func inner(_ random: inout SeededRandom) -> [Query.Condition] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in
                condition(entity, depth: depth - 1, &random)
            }
        }
        if let elements = Self.elements(entity.attributes[attribute]), Bool.random(using: &random) {
            let element = elements.randomElement(using: &random)!
            return .hasElement(
                attribute: attribute, ListElement(text: element.text, value: element.value))
        }
        switch Int.random(in: depth > 0 ? -1..<10 : -1..<4, using: &random) {
        case -1:
            return .hasWords(WordPattern(Self.searches.randomElement(using: &random)!))
        case 0, 1:
            let comparison = Query.Comparison.allCases.randomElement(using: &random)!
            return .compares(attribute: attribute, comparison, wanted(&random))
        case 2:
            let count = Int.random(in: 0...4, using: &random)
            return .isOneOf(attribute: attribute, (0..<count).map { _ in wanted(&random) })
        case 3:
            let pattern = Self.patterns.randomElement(using: &random)!
            let escape = Self.escapes.randomElement(using: &random)!
            return .isLike(attribute: attribute, LikePattern(pattern, escape: escape))
        case 4: return .all(inner(&random) + [condition(entity, depth: 0, &random)])
        case 5: return .any(inner(&random) + [condition(entity, depth: 0, &random)])
        case 6: return .not(condition(entity, depth: depth - 1, &random))
        default:
            let index = Int.random(in: 0..<entity.relationships.count, using: &random)
            let target = entity.relationships[index].targets == [0] ? person : team
            let isOpen = Int.random(in: 0..<4, using: &random) == 0
            return .leads(
                .init(
                    relationship: index, target: target,
                    isOpen ? nil : condition(target, depth: depth - 1, &random)))
        }
    }

    // MARK: The model

    /// A value as the model compares it: the number of its kind, and what is compared within it.
    private struct Rank: Comparable {
        let kind: Int
        var number = 0.0
        var bytes: [UInt8] = []

        init(_ value: Value) {
            switch value {
            case .absent, .null, .link, .links: kind = 0
            case .bool(let truth): (kind, number) = (1, truth ? 1 : 0)
            case .int64(let integer), .date(let integer): (kind, number) = (1, Double(integer))
            case .double(let double): (kind, number) = (1, double)
            case .string(let text), .json(let text): (kind, bytes) = (2, Array(text.utf8))
            case .bytes(let content): (kind, bytes) = (3, content)
            }
        }

        static func < (left: Rank, right: Rank) -> Bool {
            if left.kind != right.kind { return left.kind < right.kind }
            if left.number != right.number { return left.number < right.number }
            return left.bytes.lexicographicallyPrecedes(right.bytes)
        }
    }

    private func holds(
        _ condition: Query.Condition, _ object: Snapshot, _ store: any ObjectStore
    ) throws -> Bool {
        switch condition {
        case .compares(let attribute, let comparison, let value):
            let (own, other) = (Rank(object.value(at: attribute)), Rank(value))
            let areValues = own.kind != 0 && other.kind != 0
            switch comparison {
            case .equal: return own == other
            case .notEqual: return own != other
            case .less: return areValues && own < other
            case .lessOrEqual: return areValues && own <= other
            case .greater: return areValues && own > other
            case .greaterOrEqual: return areValues && own >= other
            }
        case .isOneOf(let attribute, let values):
            let own = Rank(object.value(at: attribute))
            return values.contains { Rank($0) == own }
        case .isLike(let attribute, let pattern):
            switch object.value(at: attribute) {
            case .string(let text), .json(let text):
                return Self.isLike(
                    Self.scalars(text)[...], Self.scalars(pattern.text)[...], pattern.escape)
            default: return false
            }
        case .hasWords(let pattern):
            return Self.matches(object, pattern)
        case .hasElement(let attribute, let element):
            guard case .json(let text) = object.value(at: attribute) else { return false }
            return Self.split(text).contains(element.text)
        case .leads(let relation):
            return try store.related(object, relationship: relation.relationship).contains {
                guard let condition = relation.condition else { return true }
                return try holds(condition, $0, store)
            }
        case .all(let conditions):
            return try conditions.allSatisfy { try holds($0, object, store) }
        case .any(let conditions):
            return try conditions.contains { try holds($0, object, store) }
        case .not(let condition):
            return try !holds(condition, object, store)
        }
    }

    /// Returns the elements of a list of the test.
    private static func split(_ list: String) -> [String] {
        var found: [String] = []
        var rest = list.dropFirst()
        let texts = (words + numbers).map(\.text)
        while rest != "]", !rest.isEmpty {
            if rest.hasPrefix(",") { rest = rest.dropFirst() }
            // No text of an element and a separator begins another one.
            let next = texts.first { text in
                rest.utf8.starts(with: (text + ",").utf8)
                    || rest.utf8.starts(with: (text + "]").utf8)
            }
            guard let next else { return found }
            found.append(next)
            rest = rest.dropFirst(next.count)
        }
        return found
    }

    /// The words of a text, each between two spaces.
    private static func words(in text: String) -> String {
        let characters = text.lowercased().unicodeScalars.map { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil ? scalar : " "
        }
        let words = String(String.UnicodeScalarView(characters)).split(separator: " ")
        return " " + words.joined(separator: " ") + " "
    }

    private static func matches(_ object: Snapshot, _ pattern: WordPattern) -> Bool {
        let texts = object.entity.fullText.map { attribute in
            switch object.value(at: attribute) {
            case .string(let text), .json(let text): words(in: text)
            default: ""
            }
        }
        return !pattern.phrases.isEmpty
            && pattern.phrases.allSatisfy { phrase in
                var wanted = words(in: phrase.text)
                if phrase.isPrefix { wanted.removeLast() }
                return texts.contains { $0.contains(wanted) }
            }
    }

    private static func scalars(_ text: String) -> [Unicode.Scalar] {
        Array(text.unicodeScalars.prefix { $0 != "\u{0}" })
    }

    private static func areSame(_ left: Unicode.Scalar, _ right: Unicode.Scalar) -> Bool {
        func lower(_ scalar: Unicode.Scalar) -> UInt32 {
            ("A"..."Z").contains(scalar) ? scalar.value + 32 : scalar.value
        }
        return lower(left) == lower(right)
    }

    private static func isLike(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>,
        _ escape: Unicode.Scalar?
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        var rest = pattern.dropFirst()
        if first == escape {
            guard let escaped = rest.popFirst(), let own = text.first, areSame(own, escaped) else {
                return false
            }
            return isLike(text.dropFirst(), rest, escape)
        }
        if first == "%" {
            return (0...text.count).contains { isLike(text.dropFirst($0), rest, escape) }
        }
        guard let own = text.first, first == "_" || areSame(own, first) else { return false }
        return isLike(text.dropFirst(), rest, escape)
    }

    // MARK: Tests

    /// As text, because NaN does not equal itself.
    private func text(_ groups: [QueryGroup]) -> [String] {
        groups.map { "\($0.value) \($0.count)" }
    }

    private func modelGroups(_ objects: [Snapshot], by attribute: Int) -> [QueryGroup] {
        var groups: [(rank: Rank, value: Value, count: Int)] = []
        for object in objects {
            let value = object.value(at: attribute)
            let rank = Rank(value)
            if let place = groups.firstIndex(where: { $0.rank == rank }) {
                groups[place].count += 1
            } else {
                groups.append((rank, rank.kind == 0 ? .null : value, 1))
            }
        }
        return groups.sorted { $0.rank < $1.rank }.map { .init(value: $0.value, count: $0.count) }
    }

    private func check(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let file = StoreFile()
        defer { file.remove() }
        let memory = MemoryStore(keyBefore: 0)
        let sqlite = try file.open([person, team])
        try fill([memory, sqlite], &random)
        for _ in 0..<60 {
            let entity = Int.random(in: 0..<4, using: &random) == 0 ? team : person
            let loading = Query.Loading.allCases.randomElement(using: &random)!
            var query = Query(entity, loading)
            query.conditions = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                condition(entity, depth: 3, &random)
            }
            let expected = try memory.objects(Query(entity, .all)).filter { object in
                guard loading == .all || object.isLoaded == (loading == .loaded) else {
                    return false
                }
                return try query.conditions.allSatisfy { try holds($0, object, memory) }
            }
            let place = "seed \(seed): \(loading) \(query.conditions)"
            let keys = expected.map(\.storeKey)
            XCTAssertEqual(memory.objects(query).map(\.storeKey), keys, place)
            XCTAssertEqual(try sqlite.objects(query).map(\.storeKey), keys, place)
            XCTAssertEqual(try sqlite.count(query), keys.count, place)
            let attribute = Int.random(in: 0..<entity.attributes.count, using: &random)
            let groups = text(modelGroups(expected, by: attribute))
            XCTAssertEqual(text(memory.groups(query, by: attribute)), groups, place)
            XCTAssertEqual(text(try sqlite.groups(query, by: attribute)), groups, place)
        }
    }

    func testRandomConditionsFindWhatTheModelFinds() throws {
        for seed in 1...UInt64(rounds(60)) where testRun?.totalFailureCount == 0 { try check(seed) }
    }

    /// A query of the largest size that the library admits is none too large for SQLite.
    func testTheLargestQueryRuns() throws {
        let file = StoreFile()
        defer { file.remove() }
        let sqlite = try file.open([person, team])
        let large = Query.Condition.isOneOf(
            attribute: 2, (0..<30_000).map { Value.int64($0) })
        let many = (0..<400).map { _ in
            Query.Condition.compares(attribute: 2, .notEqual, .int64(1))
        }
        var deep = Query.Condition.compares(attribute: 2, .less, .int64(0))
        for _ in 0..<8 { deep = .leads(.init(relationship: 1, target: person, deep)) }
        let small = Query.Condition.isOneOf(attribute: 2, [.null])
        for _ in 0..<8 { deep = .any([small, .all([small, .not(deep)])]) }
        for condition in [large, .any(many), deep] {
            var query = Query(person)
            query.conditions = [condition]
            XCTAssertEqual(try sqlite.count(query), 0)
            XCTAssertEqual(try sqlite.objects(query).count, 0)
        }
    }
}
