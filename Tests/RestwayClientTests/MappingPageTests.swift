import RestwayJansson
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayDocument
@testable import RestwayMapping

/// The example of `docs/internals/MAPPING.md`. A machine maps the JSON text of the page by the
/// document of the page; its state after each event and its change set are the tables of the page.
/// `RESTWAY_WRITE_TABLE=1` writes the tables; otherwise they are compared.
final class MappingPageTests: XCTestCase {
    private static let path = SuiteCase.repository + "/docs/internals/MAPPING.md"

    func testTheMachineDoesWhatThePageSays() throws {
        var page = String(decoding: try FileText.read(Self.path), as: UTF8.self)
        let blocks = page.components(separatedBy: "```json\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```\n").first }
        XCTAssertEqual(blocks.count, 2, "the page has a document and an answer")
        let definition = try TestAPI.load(blocks[0]).definition
        let plan = MappingPlan(definition.descriptors, entities: definition.entityMappings)
        let machine = ObservedMachine(plan)
        try Array(blocks[1].utf8).withUnsafeBytes {
            try JanssonMapper().decode($0, into: machine, limits: MappingLimits())
        }
        let result = try machine.finish()

        XCTAssertEqual(result.issues, [])
        XCTAssertEqual(result.changeSet.rows.count, 5)
        XCTAssertEqual(machine.steps.count, 38)
        page = try compare("events", Self.table(machine.steps, ObservedMachine.columns), in: page)
        page = try compare("changes", Self.changes(result), in: page)
        if getenv("RESTWAY_WRITE_TABLE") != nil {
            try page.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
    }

    /// Returns the page with the table. If no table is to be written, the page must have it.
    private func compare(_ name: String, _ table: String, in page: String) throws -> String {
        let begin = "<!-- The test MappingPageTests writes the table of \(name). -->\n"
        let parts = page.components(separatedBy: begin)
        let ends = parts.last?.components(separatedBy: "<!-- The end of the table. -->\n") ?? []
        guard parts.count == 2, ends.count > 1 else {
            throw PageError("\(Self.path) has no place for the table of \(name)")
        }
        guard getenv("RESTWAY_WRITE_TABLE") != nil else {
            XCTAssertEqual(ends[0], table, "the table is stale; RESTWAY_WRITE_TABLE=1 writes it")
            return page
        }
        return parts[0] + begin + table + String(parts[1].dropFirst(ends[0].count))
    }

    private static func table(_ lines: [[String]], _ columns: [String]) -> String {
        ([columns, columns.map { _ in "---" }] + lines)
            .map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    private static func changes(_ result: MappingResult) -> String {
        let rows = result.changeSet.rows
        let lines = rows.enumerated().map { number, row in
            let entity = row.entity
            let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
            let values = names.enumerated().compactMap { index, name in
                text(row.value(at: index)).map { "\(name) \($0)" }
            }
            let isResult = result.results[0].contains(number)
            return [
                "#\(number)", entity.name, values.joined(separator: ", "), isResult ? "yes" : "no",
            ]
        }
        return table(lines, ["row", "entity", "cells", "is a result"])
    }

    private static func text(_ value: Value) -> String? {
        switch value {
        case .absent: nil
        case .null: "null"
        case .int64(let number): "\(number)"
        case .string(let text): "\"\(text)\""
        case .json(let text): "`\(text)`"
        case .link(let key): references([key])
        case .links(let keys): references(keys)
        default: "\(value)"
        }
    }

    /// The rows that a relationship leads to.
    fileprivate static func references(_ keys: [Int64]) -> String {
        let rows = keys.map { key in Cell.row(ofReference: key).map { "#\($0)" } ?? "key \(key)" }
        return rows.isEmpty ? "empty" : "→ " + rows.joined(separator: " ")
    }
}

private struct PageError: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// A mapping machine that notes its state after each event.
private final class ObservedMachine: EventSink {
    static let columns = ["event", "key path", "open rows", "places", "captures", "complete rows"]

    private let plan: MappingPlan
    private var core: MachineCore
    private(set) var steps: [[String]] = []
    /// The key whose value comes next. A scalar stands in one line with its key.
    private var key: String?

    init(_ plan: MappingPlan) {
        self.plan = plan
        core = MachineCore(plan, MappingLimits(), nil, nil, isAnswer: false)
    }

    deinit { core.destroy() }

    func finish() throws -> MappingResult { try core.finish() }

    // MARK: Events

    func beginObject() -> EventAnswer { container("{", core.beginObject()) }
    func endObject() -> EventAnswer { container("}", core.end(isArray: false)) }
    func beginArray(count: Int?) -> EventAnswer { container("[", core.beginArray(count)) }
    func endArray() -> EventAnswer { container("]", core.end(isArray: true)) }
    func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        scalar("\"\(String(decoding: text, as: UTF8.self))\"", core.string(text))
    }
    func int64(_ value: Int64) -> EventAnswer { scalar("\(value)", core.int64(value)) }
    func double(_ value: Double) -> EventAnswer { scalar("\(value)", core.double(value)) }
    func bool(_ value: Bool) -> EventAnswer { scalar("\(value)", core.bool(value)) }
    func null() -> EventAnswer { scalar("null", core.scalar(.null)) }
    func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer { .stop }
    func date(_ microseconds: Int64) -> EventAnswer { .stop }
    func numberText(_ text: UnsafeRawBufferPointer) -> EventAnswer { .stop }

    func key(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        let answer = core.key(text)
        let name = "\"\(String(decoding: text, as: UTF8.self))\":"
        key = answer == .skip ? nil : name
        note(name, answer)
        return answer
    }

    private func container(_ text: String, _ answer: EventAnswer) -> EventAnswer {
        key = nil
        note(text, answer)
        return answer
    }

    private func scalar(_ text: String, _ answer: EventAnswer) -> EventAnswer {
        if key != nil { steps.removeLast() }
        note([key, text].compactMap { $0 }.joined(separator: " "), answer)
        key = nil
        return answer
    }

    private func note(_ event: String, _ answer: EventAnswer) {
        let keyPath = core.places.keyPath
        steps.append([
            "`\(event)`" + (answer == .skip ? " is skipped" : ""),
            keyPath.isEmpty ? "" : "`\(keyPath)`", rows, places, captures, complete,
        ])
    }

    // MARK: The state

    private var rows: String {
        (0..<core.rows.rows.count).map { index in
            let row = core.rows.rows[index]
            let parent = row.parent.map { " of row \($0.row.position)" } ?? ""
            return "\(index): \(entity(index).name) #\(row.number)\(parent) (\(cells(index)))"
        }.joined(separator: "<br>")
    }

    private func entity(_ index: Int) -> Entity {
        plan.kinds[core.rows.rows[index].mapping].entity
    }

    private func cells(_ index: Int) -> String {
        let entity = entity(index)
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        return names.enumerated().compactMap { place, name in
            let cell = core.rows.cells[core.rows.rows[index].firstCell + place]
            return cell.isAbsent ? nil : "\(name) \(text(cell))"
        }.joined(separator: ", ")
    }

    private func text(_ cell: Cell) -> String {
        switch cell.kind {
        case .int64: return "\(cell.integer)"
        case .string, .json:
            let text = String(
                decoding: cell.text(besides: core.values.bytes.base), as: UTF8.self)
            return cell.kind == .json ? "`\(text)`" : "\"\(text)\""
        case .object: return MappingPageTests.references([cell.integer])
        case .list:
            var next = Int(cell.bits & 0xFFFF_FFFF)
            let keys = (0..<cell.length).map { _ in
                defer { next = Int(core.rows.links[next].next) }
                return core.rows.links[next].key
            }
            return MappingPageTests.references(keys)
        default: return "\(cell.kind)"
        }
    }

    /// The positions of the innermost container, and the position of a value that comes next.
    private var places: String {
        let places = core.places
        let first = places.frames.count > 0 ? places.frames.last.firstPosition : 0
        let own = (first..<places.positions.count).map { text(places.positions[$0]) }
        var next = (0..<places.pending.count).map { text(places.pending[$0]) }
        if let member = places.member {
            next.append(text(OpenPlaces.Position(row: places.plainRow, node: member)))
        }
        return (own + next.map { "next " + $0 }).joined(separator: ", ")
    }

    private func text(_ position: OpenPlaces.Position) -> String {
        guard let row = position.row else { return "answer" }
        let root = plan.kinds[core.rows.mapping(of: row)].root
        let keys = Self.keys(from: root, to: position.node) ?? ["?"]
        return "row \(row.position)" + keys.map { ".\($0)" }.joined()
    }

    private static func keys(
        from node: UnsafePointer<PlanNode>, to other: UnsafePointer<PlanNode>
    ) -> [String]? {
        if node == other { return [] }
        for child in node.pointee.children {
            if let keys = keys(from: child, to: other) {
                return [String(decoding: child.pointee.key, as: UTF8.self)] + keys
            }
        }
        return nil
    }

    private var captures: String {
        (0..<core.captures.count).map { index in
            let capture = core.captures[index]
            let text = core.captures.text
            let content = UnsafeRawBufferPointer(
                start: text.base + capture.start, count: text.count - capture.start)
            let owner = capture.row.map { "row \($0.position)" } ?? "answer"
            return "\(owner): `\(String(decoding: content, as: UTF8.self))`"
        }.joined(separator: "<br>")
    }

    private var complete: String {
        core.rows.finished.enumerated().compactMap { $1 == nil ? nil : "#\($0)" }
            .joined(separator: " ")
    }
}
