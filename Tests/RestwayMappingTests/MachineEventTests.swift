import RestwayMapping
import RestwayObjects
import XCTest

/// A machine that receives right and wrong events from the test, like the events of other mappers.
final class MachineEventTests: XCTestCase {
    private let plan: MappingPlan = {
        let entity = Entity(
            name: "A", index: 0,
            attributes: [
                Attribute(name: "id"), Attribute(name: "json", type: .json),
                Attribute(name: "number", type: .double),
            ],
            identityIndex: 0)
        let mapping = EntityMapping(
            entity: entity,
            attributes: [
                AttributeMapping(attribute: 0, source: ["id"], conversion: .any),
                AttributeMapping(attribute: 1, source: ["json"], conversion: .json),
                AttributeMapping(attribute: 2, source: ["number"], conversion: .double),
            ])
        return MappingPlan([ResponseDescriptor(keyPath: ["a"], mapping: mapping)])
    }()

    private func key(_ machine: MappingMachine, _ text: String) -> EventAnswer {
        Array(text.utf8).withUnsafeBytes { machine.key($0) }
    }

    /// Pushes `{"a": {"id": number}}`.
    private func push(_ number: Int64, into machine: MappingMachine) {
        _ = machine.beginObject()
        _ = key(machine, "a")
        _ = machine.beginObject()
        _ = key(machine, "id")
        _ = machine.int64(number)
        _ = machine.endObject()
        _ = machine.endObject()
    }

    func testSeveralValuesBecomeOneResult() throws {
        let machine = MappingMachine(plan: plan)
        var counts: [Int] = []
        for number in [1, 2, 1] {
            if !counts.isEmpty { machine.beginNextValue() }
            push(Int64(number), into: machine)
            XCTAssertNoThrow(try machine.checkValue())
            counts.append(machine.resultCount(of: 0))
        }
        machine.beginNextValue()
        _ = machine.null()
        let result = try machine.finish()
        XCTAssertEqual(counts, [1, 2, 3])
        XCTAssertEqual(result.results, [[0, 1, 2]])
        XCTAssertEqual(result.changeSet.rows.count, 3)
    }

    func testAValueThatHasNotComeWholeIsFoundBeforeTheNextOne() {
        let machine = MappingMachine(plan: plan)
        push(1, into: machine)
        machine.beginNextValue()
        XCTAssertThrowsError(try machine.checkValue()) {
            XCTAssertEqual($0 as? MappingFailure, .brokenEvents(.noValue, place: ""))
        }
        _ = machine.beginObject()
        XCTAssertThrowsError(try machine.checkValue()) {
            XCTAssertEqual($0 as? MappingFailure, .brokenEvents(.unfinished, place: ""))
        }
    }

    func testKeysThatNobodyWantsAreSkipped() throws {
        let machine = MappingMachine(plan: plan)
        XCTAssertEqual(machine.beginObject(), .want)
        XCTAssertEqual(key(machine, "b"), .skip)
        XCTAssertEqual(key(machine, "a"), .want)
        XCTAssertEqual(machine.beginObject(), .want)
        XCTAssertEqual(key(machine, "idx"), .skip)
        XCTAssertEqual(key(machine, "id"), .want)
        XCTAssertEqual(machine.int64(1), .want)
        XCTAssertEqual(key(machine, "number"), .want)
        XCTAssertEqual(machine.beginArray(count: nil), .skip)
        XCTAssertEqual(machine.endObject(), .want)
        XCTAssertEqual(machine.endObject(), .want)
        let result = try machine.finish()
        XCTAssertEqual(result.changeSet.rows.map(\.identity), [.integer(1)])
        XCTAssertEqual(result.issues.map(\.keyPath), ["a.number"])
    }

    func testOfAKeyThatComesTwiceTheLaterValueStands() throws {
        let machine = MappingMachine(plan: plan)
        _ = machine.beginObject()
        _ = key(machine, "a")
        _ = machine.beginObject()
        for value in 1...3 {
            _ = key(machine, "id")
            _ = machine.int64(Int64(value))
        }
        _ = machine.endObject()
        _ = machine.endObject()
        XCTAssertEqual(try machine.finish().changeSet.rows.map(\.identity), [.integer(3)])
    }

    func testWhatIsNotANumberIsNullInJSONText() throws {
        let machine = MappingMachine(plan: plan)
        _ = machine.beginObject()
        _ = key(machine, "a")
        _ = machine.beginObject()
        _ = key(machine, "json")
        _ = machine.beginArray(count: nil)
        for value in [Double.nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e22] {
            _ = machine.double(value)
        }
        _ = machine.endArray()
        _ = machine.endObject()
        _ = machine.endObject()
        XCTAssertEqual(
            try machine.finish().changeSet.rows[0].value(named: "json"),
            .json("[null,null,null,5e-324,1e22]"))
    }

    /// Pushes events by their names; returns what violates the contract, and where.
    private func breach(_ events: String) -> MappingFailure? {
        let machine = MappingMachine(plan: plan)
        for event in events.split(separator: " ") {
            switch event {
            case "{": _ = machine.beginObject()
            case "}": _ = machine.endObject()
            case "[": _ = machine.beginArray(count: nil)
            case "]": _ = machine.endArray()
            case "1": _ = machine.int64(1)
            case "2.5": _ = machine.double(2.5)
            case "null": _ = machine.null()
            default: _ = key(machine, String(event))
            }
        }
        do {
            _ = try machine.finish()
            return nil
        } catch {
            return error
        }
    }

    func testEachBreachOfTheContractIsNamedWithItsPlace() {
        let cases: [(String, EventBreach, String)] = [
            ("", .noValue, ""), ("{ a", .unfinished, "a"), ("{ a {", .unfinished, "a"),
            ("1 1", .secondRoot, ""), ("{ } null", .secondRoot, ""), ("{ } {", .secondRoot, ""),
            ("{ a { } } [", .secondRoot, ""), ("{ b } {", .secondRoot, ""),
            ("{ 1", .valueWithoutKey, ""), ("{ a { 1", .valueWithoutKey, "a"),
            ("{ a { id 1 1", .valueWithoutKey, "a.id"), ("{ a { id 1 {", .valueWithoutKey, "a.id"),
            ("{ a { json { 1", .valueWithoutKey, "a.json"), ("{ {", .valueWithoutKey, ""),
            ("{ b 1", .valueWithoutKey, ""), ("{ a [ { id 1 [", .valueWithoutKey, "a[0].id"),
            ("{ a a", .keyWithoutValue, "a"), ("{ a { id id", .keyWithoutValue, "a.id"),
            ("{ a { id number", .keyWithoutValue, "a.id"), ("{ a }", .keyWithoutValue, "a"),
            ("{ a { json { x y", .keyWithoutValue, "a.json"),
            ("{ a { json { x }", .keyWithoutValue, "a.json"), ("{ a b", .keyWithoutValue, "a"),
            ("a", .keyOutsideObject, ""), ("{ a [ a", .keyOutsideObject, "a"),
            ("}", .wrongEnd, ""), ("{ ]", .wrongEnd, ""), ("{ a [ }", .wrongEnd, "a"),
        ]
        for (events, breach, place) in cases {
            XCTAssertEqual(
                self.breach(events), .brokenEvents(breach, place: place), events)
        }
        for events in ["1", "null", "{ }", "{ b a { id 1 json { x 1 } number 2.5 } }"] {
            XCTAssertNil(breach(events), events)
        }
    }

    func testNothingIsTakenBehindABreach() {
        let machine = MappingMachine(plan: plan)
        XCTAssertEqual(machine.endObject(), .stop)
        XCTAssertEqual(machine.beginObject(), .stop)
        XCTAssertThrowsError(try machine.finish()) {
            XCTAssertEqual($0 as? MappingFailure, .brokenEvents(.wrongEnd, place: ""))
        }
    }

    func testAMapperThatKeepsNoLimitIsStopped() {
        let machine = MappingMachine(plan: plan, limits: MappingLimits(nestingDepthMax: 3))
        _ = machine.beginObject()
        _ = key(machine, "a")
        _ = machine.beginObject()
        _ = key(machine, "json")
        XCTAssertEqual(machine.beginArray(count: nil), .want)
        XCTAssertEqual(machine.beginArray(count: nil), .stop)
        XCTAssertThrowsError(try machine.finish()) {
            XCTAssertEqual($0 as? MappingFailure, .tooDeep(max: 3))
        }
    }

    func testRandomEventsNeverTrap() {
        var generator = Seeded(4)
        for _ in 0..<20_000 {
            let machine = MappingMachine(plan: plan)
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                switch Int.random(in: 0...13, using: &generator) {
                case 0...1: _ = machine.beginObject()
                case 2: _ = machine.endObject()
                case 3: _ = machine.beginArray(count: nil)
                case 4: _ = machine.endArray()
                case 5: _ = machine.int64(1)
                case 6: _ = machine.double(1.5)
                case 7: _ = machine.null()
                case 8: _ = Array("text".utf8).withUnsafeBytes { machine.string($0) }
                case 9:
                    _ = Array("1e999".utf8).withUnsafeBytes { machine.numberText($0) }
                case 10: _ = machine.date(1)
                case 11: _ = [UInt8(1)].withUnsafeBytes { machine.bytes($0) }
                default:
                    _ = key(
                        machine, ["a", "id", "json", "number"].randomElement(using: &generator)!)
                }
            }
            _ = try? machine.finish()
        }
    }

    func testNothingOutlivesItsUse() throws {
        weak var machine: MappingMachine?
        weak var row: Snapshot?
        weak var entity: Entity?
        do {
            let used = Entity(name: "A", index: 0, attributes: [Attribute(name: "id")])
            let mapping = EntityMapping(
                entity: used,
                attributes: [AttributeMapping(attribute: 0, source: ["id"], conversion: .any)])
            let made = MappingMachine(plan: MappingPlan([ResponseDescriptor(mapping: mapping)]))
            _ = made.beginObject()
            _ = key(made, "id")
            _ = made.int64(1)
            _ = made.endObject()
            let result = try made.finish()
            (machine, row, entity) = (made, result.changeSet.rows[0], used)
            XCTAssertNotNil(row)
        }
        XCTAssertNil(machine)
        XCTAssertNil(row)
        XCTAssertNil(entity)
    }
}
