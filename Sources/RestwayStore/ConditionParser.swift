package import RestwayDocument
package import RestwayObjects
package import RestwayOutcome

/// A value that a program passes for a `?` of a condition.
package enum ConditionValue: Sendable {
    case one(Value)
    case list([Value])
}

/// Reads a condition from text: `state in ? and not owner.login like ?`.
///
/// The text never holds a value, so nothing that a user types can become a part of it.
struct ConditionParser {
    private typealias Condition = Query.Condition

    /// Below the depth at which SQLite's parser gives up: it keeps 100 signs at once.
    private static let depthMax = 8
    private static let relationshipsMax = 8

    private let api: API
    private var scanner: ConditionScanner
    private var values: ArraySlice<ConditionValue>
    private var token = ConditionScanner.Token.end
    private var depth = 0
    private var relationshipCount = 0
    /// How often a text behind a relationship was read.
    private var readingCount = 0

    static func parse(
        _ text: String, _ values: [ConditionValue], _ entity: Entity, _ api: API
    ) throws(Failure) -> Query.Condition {
        var parser = ConditionParser(text, values, api)
        return try parser.whole(entity)
    }

    private init(_ text: String, _ values: [ConditionValue], _ api: API) {
        scanner = ConditionScanner(text)
        self.values = values[...]
        self.api = api
    }

    private mutating func whole(_ entity: Entity) throws(Failure) -> Condition {
        try advance()
        let condition = try disjunction(entity)
        guard token == .end else { throw unexpected("and, or, or the end") }
        guard values.isEmpty else {
            let (given, used) = (values.endIndex, values.startIndex)
            throw scanner.failure("\(given) values are passed for \(used) ?")
        }
        return condition
    }

    // MARK: Conditions

    private mutating func disjunction(_ entity: Entity) throws(Failure) -> Condition {
        var parts = [try conjunction(entity)]
        while try accept("or") { parts.append(try conjunction(entity)) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction(_ entity: Entity) throws(Failure) -> Condition {
        var parts = [try negation(entity)]
        while try accept("and") { parts.append(try negation(entity)) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func negation(_ entity: Entity) throws(Failure) -> Condition {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else {
            throw scanner.failure("conditions nest deeper than \(Self.depthMax)")
        }
        if try accept("not") { return .not(try negation(entity)) }
        guard token == .open else { return try test(entity) }
        try advance()
        let condition = try disjunction(entity)
        guard token == .close else { throw unexpected(")") }
        try advance()
        return condition
    }

    /// Reads the name of an attribute and what is asked about it. Relationships may come before the
    /// attribute: `owner.login`.
    private mutating func test(_ entity: Entity) throws(Failure) -> Condition {
        let isMatch = token.isWord("match")
        let name = try name()
        let place = scanner
        try advance()
        if isMatch, token == .place { return .hasWords(try words(of: entity, at: place)) }
        if token == .dot {
            try advance()
            relationshipCount += 1
            defer { relationshipCount -= 1 }
            guard relationshipCount <= Self.relationshipsMax else {
                throw place.failure("more than \(Self.relationshipsMax) relationships in a row")
            }
            return try leads(name, entity, at: place) { (parser, target) throws(Failure) in
                try parser.test(target)
            }
        }
        if entity.attributeIndex(named: name) == nil, token.isWord("is"),
            entity.relationshipIndex(named: name) != nil
        {
            let leads = try leads(name, entity, at: place) { (_, _) throws(Failure) in nil }
            return try readNull() ? .not(leads) : leads
        }
        let attribute = try located(place) { () throws(Failure) in
            try entity.attribute(named: name)
        }
        return try test(attribute, of: entity)
    }

    private mutating func test(
        _ attribute: Int, of entity: Entity
    ) throws(Failure) -> Condition {
        if case .comparison(let comparison) = token {
            try advance()
            let value = try value(for: attribute, of: entity)
            try advance()
            return .compares(attribute: attribute, comparison, value)
        }
        if token.isWord("is") {
            return .compares(attribute: attribute, try readNull() ? .equal : .notEqual, .null)
        }
        let isNegated = try accept("not")
        let condition: Condition
        if try accept("in") {
            condition = .isOneOf(attribute: attribute, try list(for: attribute, of: entity))
            try advance()
        } else if try accept("like") {
            condition = .isLike(attribute: attribute, try pattern(for: attribute, of: entity))
        } else if try accept("contains") {
            condition = .hasElement(attribute: attribute, try element(for: attribute, of: entity))
            try advance()
        } else {
            throw unexpected(
                isNegated ? "in, like or contains" : "a comparison, in, like, contains or is")
        }
        return isNegated ? .not(condition) : condition
    }

    /// Reads `is null`, or `is not null`, for which it returns false.
    private mutating func readNull() throws(Failure) -> Bool {
        try advance()
        let isNegated = try accept("not")
        guard try accept("null") else { throw unexpected("null") }
        return !isNegated
    }

    // MARK: Names

    private func name() throws(Failure) -> String {
        switch token {
        case .quoted(let name): return name
        case .word(let word):
            let isOwn = ["and", "or", "not", "in", "like", "is", "null"].contains {
                token.isWord($0)
            }
            guard !isOwn else { throw unexpected("the name of an attribute") }
            return word
        default: throw unexpected("the name of an attribute")
        }
    }

    /// Returns the condition that a relationship leads to an object that meets a condition.
    ///
    /// A relationship to a union leads to an object of one of its members, each of which has
    /// attributes of its own. So the text is read once for each member.
    ///
    /// - Parameter read: Reads the condition on an object of an entity.
    private mutating func leads(
        _ name: String, _ entity: Entity, at place: ConditionScanner,
        _ read: (inout ConditionParser, Entity) throws(Failure) -> Condition?
    ) throws(Failure) -> Condition {
        let index = try located(place) { () throws(Failure) in
            try entity.relationship(named: name)
        }
        let targets = families(api.entities(at: entity.relationships[index].targets))
        let start = self
        var conditions: [Condition] = []
        for target in targets {
            let count = readingCount + 1
            guard count <= Query.comparisonsMax else {
                throw place.failure(
                    "the members of the unions are more than \(Query.comparisonsMax)")
            }
            self = start
            readingCount = count
            let condition = try read(&self, target)
            conditions.append(.leads(.init(relationship: index, target: target, condition)))
        }
        return conditions.count == 1 ? conditions[0] : .any(conditions)
    }

    /// Returns the first entity of each family: a condition may use the attributes of the whole
    /// family, and counts for all of its objects.
    private func families(_ entities: [Entity]) -> [Entity] {
        entities.enumerated().filter { place, entity in
            !entities[..<place].contains { $0.isOfFamily(of: entity) }
        }.map(\.element)
    }

    /// Adds the place to the message of a failure of `body`.
    private func located<Result>(
        _ place: ConditionScanner, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(Failure) {
            return try body()
        } catch {
            let message = place.failure(error.message).message
            throw Failure(error.reason, message, field: error.field)
        }
    }

    // MARK: Values

    /// Returns the value of the present `?`, after which the caller advances.
    private mutating func value(
        for attribute: Int, of entity: Entity
    ) throws(Failure) -> Value {
        guard case .one(let value) = try nextValue() else {
            throw scanner.failure("this ? stands for one value, not for a list")
        }
        try located(scanner) { () throws(Failure) in try entity.check(value, for: attribute) }
        return value
    }

    private mutating func list(
        for attribute: Int, of entity: Entity
    ) throws(Failure) -> [Value] {
        guard case .list(let values) = try nextValue() else {
            throw scanner.failure("the ? after in stands for a list of values")
        }
        try located(scanner) { () throws(Failure) in
            for value in values { try entity.check(value, for: attribute) }
        }
        return values
    }

    /// Reads `?` or `? escape ?`, and advances.
    private mutating func pattern(
        for attribute: Int, of entity: Entity
    ) throws(Failure) -> LikePattern {
        let value = try value(for: attribute, of: entity)
        guard case .string(let text) = value else {
            throw scanner.failure("the ? after like stands for a text")
        }
        guard text.utf8.count <= LikePattern.bytesMax else {
            throw scanner.failure("the pattern is longer than \(LikePattern.bytesMax) bytes")
        }
        try advance()
        guard try accept("escape") else { return LikePattern(text) }
        guard case .one(.string(let escape)) = try nextValue(), let character = escape.onlyScalar,
            character != "\0"
        else { throw scanner.failure("the ? after escape stands for a text of one character") }
        try advance()
        return LikePattern(text, escape: character)
    }

    /// Reads the `?` of `match ?`, and advances.
    ///
    /// - Parameter place: The place of `match`.
    private mutating func words(
        of entity: Entity, at place: ConditionScanner
    ) throws(Failure) -> WordPattern {
        guard !entity.fullText.isEmpty else {
            throw place.failure("\(entity.name) has no \"fullText\" in the API document")
        }
        guard case .one(.string(let text)) = try nextValue() else {
            throw scanner.failure("the ? after match stands for a text")
        }
        let pattern = WordPattern(text)
        guard text.utf8.count <= WordPattern.bytesMax,
            pattern.phrases.count <= WordPattern.phrasesMax
        else {
            throw scanner.failure(
                "a text to match has at most \(WordPattern.phrasesMax) words "
                    + "and \(WordPattern.bytesMax) bytes")
        }
        try advance()
        return pattern
    }

    private mutating func element(
        for attribute: Int, of entity: Entity
    ) throws(Failure) -> ListElement {
        guard case .one(let value) = try nextValue() else {
            throw scanner.failure("this ? stands for one value, not for a list")
        }
        return try located(scanner) { () throws(Failure) in
            try entity.element(value, soughtIn: attribute)
        }
    }

    private mutating func nextValue() throws(Failure) -> ConditionValue {
        guard token == .place else { throw unexpected("?, which stands for a value") }
        guard let value = values.popFirst() else {
            throw scanner.failure("no value is passed for this ?")
        }
        return value
    }

    // MARK: Tokens

    private mutating func advance() throws(Failure) {
        token = try scanner.next()
    }

    private mutating func accept(_ word: String) throws(Failure) -> Bool {
        guard token.isWord(word) else { return false }
        try advance()
        return true
    }

    private func unexpected(_ expected: String) -> Failure {
        scanner.failure("\(expected) is expected here, not \(token.description)")
    }
}

extension String {
    /// The only character of the text as SQLite counts characters; `nil` if the text is empty
    /// or has several.
    fileprivate var onlyScalar: Unicode.Scalar? {
        unicodeScalars.count == 1 ? unicodeScalars.first : nil
    }
}

extension HostQuery {
    /// Adds a condition that is written as text.
    ///
    /// - Parameters:
    ///   - values: The values of the `?` in the text, in their order.
    ///   - api: The api of the entity.
    package mutating func addCondition(
        _ text: String, _ values: [ConditionValue], of api: API
    ) throws(Failure) {
        try query.add(ConditionParser.parse(text, values, query.entity, api))
    }
}
