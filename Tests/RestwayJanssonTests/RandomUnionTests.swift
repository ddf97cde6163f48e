import RestwayJansson
import RestwayMapping
import RestwayObjects
import XCTest

/// Objects of unions, nested and mixed at random, against a plain prediction of what they become.
final class RandomUnionTests: XCTestCase {
    /// A value in the place of an object.
    private indirect enum Item {
        /// `kind` is the value of the discriminator, or the key that the object has.
        case object(kind: String?, id: Int, one: Item?, many: [Item]?)
        case identity(Int)
        case null
        case empty
        case wrong
        /// A list in a list.
        case list
    }

    private enum Rule: CaseIterable {
        case discriminator, discriminatorWithDefault, keys, keysWithDefault

        var union: EntityUnion {
            let hasDefault = self == .discriminatorWithDefault || self == .keysWithDefault
            let isByKeys = self == .keys || self == .keysWithDefault
            return EntityUnion(
                name: "Any", members: [0, 1, 2],
                discriminator: isByKeys
                    ? nil
                    : .init(
                        keyPath: ["kind", "of"], members: ["a": 0, "b": 1, "c": 2, "7": 1],
                        written: [0: "a", 1: "b", 2: "c"]),
                requiredKeys: isByKeys ? [0: [["kind", "a"]], 1: [["b"]], 2: [["c"], ["id"]]] : [:],
                fallback: hasDefault ? 2 : nil)
        }
    }

    /// What a rule makes of values, without a machine.
    private struct Prediction {
        let rule: Rule
        var issues: [String] = []

        func entity(_ kind: String?) -> String? {
            switch (kind, rule) {
            case ("a", _): "A"
            case ("b", _): "B"
            case ("7", .discriminator), ("7", .discriminatorWithDefault): "B"
            case ("c", _): "C"
            case (_, .discriminatorWithDefault), (_, .keysWithDefault): "C"
            default: nil
            }
        }

        /// The text of an object; nil if there is none.
        mutating func text(_ item: Item, at place: String) -> String? {
            switch item {
            case .null, .empty: return nil
            case .wrong, .list:
                issues.append(place)
                return nil
            case .identity(let id):
                if rule == .discriminatorWithDefault || rule == .keysWithDefault {
                    return "C\(id)(-;-)"
                }
                issues.append(place)
                return nil
            case .object(let kind, let id, let one, let many):
                guard let entity = entity(kind) else {
                    issues.append(place)
                    return nil
                }
                var oneText = "-"
                if let one {
                    let before = issues.count
                    let found = text(one, at: place + ".one")
                    oneText = found ?? (issues.count > before ? "-" : "0")
                }
                var manyText = "-"
                if let many {
                    var texts: [String] = []
                    var isRefused = false
                    for (index, element) in many.enumerated() {
                        let before = issues.count
                        let found = text(element, at: "\(place).many[\(index)]")
                        if let found { texts.append(found) }
                        if found == nil, issues.count > before { isRefused = true }
                    }
                    if !isRefused || !texts.isEmpty {
                        manyText = "[" + texts.joined(separator: ",") + "]"
                    }
                }
                return "\(entity)\(id)(\(oneText);\(manyText))"
            }
        }
    }

    private func plan(_ rule: Rule) -> MappingPlan {
        let model = EntityModel()
        let union = rule.union
        let mappings = ["A", "B", "C"].enumerated().map { index, name in
            let entity = Entity(
                name: name, index: index, attributes: [Attribute(name: "id", type: .int)],
                relationships: [
                    Relationship(name: "one", targetName: "Any", targets: [0, 1, 2]),
                    Relationship(name: "many", targetName: "Any", targets: [0, 1, 2], isMany: true),
                ],
                identityIndex: 0, model: model)
            return EntityMapping(
                entity: entity,
                attributes: [AttributeMapping(attribute: 0, source: ["id"], conversion: .int)],
                relationships: [
                    RelationshipMapping(relationship: 0, source: ["one"], union: union),
                    RelationshipMapping(relationship: 1, source: ["many"], union: union),
                ])
        }
        return MappingPlan(
            [ResponseDescriptor(keyPath: ["items"], mapping: mappings[0], union: union)],
            entities: mappings)
    }

    private var generator = Seeded(19)
    private var nextID = 0

    private func item(_ depth: Int) -> Item {
        func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &generator) == 0 }
        nextID += 1
        if chance(8) { return .identity(nextID) }
        if chance(12) { return [Item.null, .empty, .wrong].randomElement(using: &generator)! }
        let kind = ["a", "b", "c", "7", "x", nil].randomElement(using: &generator)!
        let (id, hasOne, hasMany) = (nextID, depth > 0 && chance(2), depth > 0 && chance(2))
        let one = hasOne ? item(depth - 1) : nil
        let count = Int.random(in: 0...3, using: &generator)
        let many = hasMany ? (0..<count).map { _ in item(depth - 1) } : nil
        return .object(
            kind: kind, id: id, one: one,
            many: many.map { chance(10) ? $0 + [.list] : $0 })
    }

    private func json(_ item: Item, _ rule: Rule) -> String {
        switch item {
        case .identity(let id): return "\(id)"
        case .null: return "null"
        case .empty: return "{}"
        case .wrong: return "true"
        case .list: return "[1]"
        case .object(let kind, let id, let one, let many):
            var members = ["\"id\":\(id)", #""x":[{"kind":{"of":"a"}},"k"]"#]
            if let kind {
                let isByKeys = rule == .keys || rule == .keysWithDefault
                let of = kind == "7" ? "7" : "\"\(kind)\""
                let key = kind == "a" ? #""kind":{"a":null}"# : "\"\(kind)\":1"
                members.append(isByKeys ? key : #""kind":{"x":1,"of":\#(of)}"#)
            }
            if let one { members.append("\"one\":" + json(one, rule)) }
            if let many {
                let texts = many.map { json($0, rule) }
                members.append("\"many\":[" + texts.joined(separator: ",") + "]")
            }
            members.shuffle(using: &generator)
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    private func text(_ row: Int, _ result: MappingResult) -> String {
        let object = result.rows[row]
        func targets(_ index: Int) -> [String] {
            object.relatedKeys(at: index).compactMap { Cell.row(ofReference: $0) }
                .map { text($0, result) }
        }
        let one = object.relationshipCell(at: 0)
        let many = object.relationshipCell(at: 1)
        let oneText = one.isAbsent ? "-" : targets(0).first ?? "0"
        let manyText = many.isAbsent ? "-" : "[" + targets(1).joined(separator: ",") + "]"
        guard case .integer(let id)? = object.identity else { return "no identity" }
        return "\(object.entity.name)\(id)(\(oneText);\(manyText))"
    }

    func testObjectsAndIssuesAreThoseOfAPlainPrediction() throws {
        for rule in Rule.allCases {
            let plan = plan(rule)
            for _ in 0..<1_000 {
                let items = (0..<Int.random(in: 0...4, using: &generator)).map { _ in item(4) }
                let body = items.map { json($0, rule) }.joined(separator: ",")
                let text = #"{"kind":{"of":"a"},"items":[\#(body)]}"#
                var prediction = Prediction(rule: rule)
                var expected: [String] = []
                for (index, item) in items.enumerated() {
                    // A result has no identity alone.
                    if case .identity = item {
                        prediction.issues.append("items[\(index)]")
                    } else if let found = prediction.text(item, at: "items[\(index)]") {
                        expected.append(found)
                    }
                }
                let result = try map(text, plan)
                XCTAssertEqual(result.results[0].map { self.text($0, result) }, expected, text)
                XCTAssertEqual(result.issueCount, prediction.issues.count, text)
                XCTAssertEqual(
                    result.paths.sorted(), prediction.issues.sorted().prefix(100).map { $0 }, text)
            }
        }
    }

    func testNoBytesTrap() {
        let plan = plan(.discriminator)
        for _ in 0..<3_000 {
            var bytes = Array(#"{"items":[\#(json(item(3), .discriminator))]}"#.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            }
            let machine = MappingMachine(plan: plan)
            bytes.withUnsafeBytes {
                try? JanssonMapper().decode($0, into: machine, limits: MappingLimits())
            }
            _ = try? machine.finish()
        }
    }

    func testAMapperThatBreaksItsContractInsideAnObjectOfAUnionFails() {
        func failure(_ push: (MappingMachine) -> Void) -> MappingFailure? {
            let machine = MappingMachine(plan: plan(.discriminator))
            _ = machine.beginObject()
            _ = Array("items".utf8).withUnsafeBytes(machine.key)
            _ = machine.beginObject()
            push(machine)
            do {
                _ = try machine.finish()
                return nil
            } catch {
                return error
            }
        }
        func key(_ text: String, _ machine: MappingMachine) {
            _ = Array(text.utf8).withUnsafeBytes(machine.key)
        }
        XCTAssertEqual(failure { _ in }, .brokenEvents(.unfinished, place: "items"))
        XCTAssertEqual(
            failure { machine in
                key("kind", machine)
                _ = machine.beginObject()
                key("of", machine)
                _ = Array("a".utf8).withUnsafeBytes(machine.string)
                _ = machine.endObject()
                _ = machine.int64(1)
                _ = machine.endObject()
            }, .brokenEvents(.valueWithoutKey, place: "items"))
        XCTAssertEqual(
            failure { machine in
                key("kind", machine)
                _ = machine.beginObject()
                key("of", machine)
                _ = Array("a".utf8).withUnsafeBytes(machine.string)
                _ = machine.endObject()
                key("id", machine)
                _ = machine.endObject()
            }, .brokenEvents(.keyWithoutValue, place: "items.id"))
        XCTAssertEqual(
            failure { machine in
                key("kind", machine)
                _ = machine.beginArray(count: nil)
                _ = machine.endObject()
                key("one", machine)
                key("kind", machine)
                _ = machine.endArray()
            }.map { "\($0)".isEmpty }, false)
    }
}
