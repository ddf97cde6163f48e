import RestwayJansson
import RestwayMapping
import RestwayObjects

/// The machine's short ways must map as its general way does. The short ways are keys and objects
/// at one place, and rows that repeated objects share.
package enum FuzzedShortWays {
    /// A description of the first difference between the two ways; `nil` if their results agree.
    package static func complaint(about input: UnsafeRawBufferPointer) -> String? {
        guard let choice = input.first else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        let number = Int(choice) % FuzzModel.plans.count
        let isEvents = choice & 0x80 != 0
        func read(_ plan: MappingPlan, _ isAnswer: Bool, _ objectsMax: Int = 200) -> Result {
            var limits = FuzzModel.limits
            limits.objectsMax = objectsMax
            let machine = MappingMachine(plan: plan, limits: limits, isAnswer: isAnswer)
            if isEvents {
                FuzzEvents.push(rest, into: machine)
            } else {
                try? JanssonMapper().decode(rest, into: machine, limits: limits)
            }
            return Result { () throws(MappingFailure) in try machine.finish() }
        }
        let plan = FuzzModel.plans[number]
        let usual = read(plan, true)
        // With each descriptor twice, no object is at one place.
        let general = read(FuzzModel.doubledPlans[number], true, 2 * 200)
        return difference(told(usual, plan), told(general, plan))
            ?? difference(stored(usual), stored(read(plan, false)))
    }

    private typealias Result = Swift.Result<MappingResult, MappingFailure>

    private static func difference(_ one: [String], _ other: [String]) -> String? {
        guard one != other else { return nil }
        let place = zip(one, other).first { $0 != $1 }
        return place.map { "\($0.0), in the other way: \($0.1)" }
            ?? "\(one.count) facts, in the other way \(other.count)"
    }

    /// The results of the descriptors of `plan`, and the issues, a line for each.
    private static func told(_ result: Result, _ plan: MappingPlan) -> [String] {
        switch result {
        case .failure(let error): return [error.message]
        case .success(let result):
            let rows = result.changeSet.rows
            var lines: [String] = []
            for (descriptor, found) in result.results.prefix(plan.descriptors.count).enumerated() {
                lines.append("\(descriptor): \(found.count)")
                lines += found.map { describe(rows[$0], rows) }
            }
            // Issues that are not kept may differ.
            guard result.issueCount < 50 else { return lines }
            return lines + Set(result.issues.map { "\($0.keyPath): \($0.reason)" }).sorted()
        }
    }

    private static func describe(_ row: Snapshot, _ rows: [Snapshot]) -> String {
        let links = row.entity.relationships.indices.map { index in
            let cell = row.cell(at: row.entity.attributes.count + index)
            let linked = row.relatedKeys(at: index).compactMap(Cell.row(ofReference:))
            return "\(cell.kind) \(linked.map { values(rows[$0]) })"
        }
        return "\(values(row)) \(links)"
    }

    private static func values(_ row: Snapshot) -> String {
        "\(row.entity.name) \((0..<row.entity.attributes.count).map { row.value(at: $0) })"
    }

    /// The objects with an identity that a store holds after the commit.
    private static func stored(_ result: Result) -> [String] {
        guard case .success(let result) = result else { return ["failed"] }
        let store = MemoryStore(keyBefore: 0)
        guard let commit = try? store.commit(result.changeSet) else { return ["no commit"] }
        let identified = commit.objects.filter { $0.identity != nil }
        let lines = identified.map { object in
            let newest = store.newest(object.entity, storeKey: object.storeKey) ?? object
            let related = newest.entity.relationships.indices.map { index in
                store.related(newest, relationship: index).map { String(describing: $0.identity) }
            }
            return "\(values(newest)) \(related)"
        }
        return Set(lines).sorted()
    }
}
