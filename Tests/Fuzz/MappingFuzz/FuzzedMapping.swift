import RestwayJansson
import RestwayMapping
import RestwayObjects

/// One input of the fuzzer: a byte that chooses, then JSON text or events.
package enum FuzzedMapping {
    /// Returns a violated rule as text; `nil` if all rules hold.
    package static func complaint(about input: UnsafeRawBufferPointer) -> String? {
        guard let choice = input.first else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        let plan = FuzzModel.plans[Int(choice) % FuzzModel.plans.count]
        let isEvents = choice & 0x80 != 0
        guard let once = read(rest, plan, isEvents), let again = read(rest, plan, isEvents) else {
            return nil
        }
        return phantom(in: once) ?? difference(once, again)
    }

    private static func read(
        _ bytes: UnsafeRawBufferPointer, _ plan: MappingPlan, _ isEvents: Bool
    ) -> MappingResult? {
        let machine = MappingMachine(plan: plan, limits: FuzzModel.limits)
        if isEvents {
            FuzzEvents.push(bytes, into: machine)
        } else {
            do throws(MapperError) {
                try JanssonMapper().decode(bytes, into: machine, limits: FuzzModel.limits)
            } catch {
                return nil
            }
        }
        return try? machine.finish()
    }

    /// Finds empty rows, and links that lead nowhere.
    private static func phantom(in result: MappingResult) -> String? {
        let rows = result.changeSet.rows
        for (number, row) in rows.enumerated() {
            guard isSomething(row) else { return "row \(number) is a phantom" }
            for index in row.entity.relationships.indices {
                for key in row.relatedKeys(at: index) {
                    guard let target = Cell.row(ofReference: key), rows.indices.contains(target)
                    else { return "row \(number) links to \(key)" }
                    let other = rows[target].entity
                    guard row.entity.links(row.entity.relationships[index], to: other) else {
                        return "row \(number) links to a \(other.name)"
                    }
                }
            }
        }
        let found = result.results.flatMap { $0 }
        guard found.allSatisfy(rows.indices.contains) else { return "a result without a row" }
        return result.issueCount >= result.issues.count ? nil : "more issues than were counted"
    }

    private static func isSomething(_ object: Snapshot) -> Bool {
        (0..<object.cellCount).contains { !object.cell(at: $0).isAbsent }
    }

    /// Mapping twice gives the same objects as mapping once, except for results without identity
    /// and what is nested in them.
    private static func difference(_ once: MappingResult, _ again: MappingResult) -> String? {
        let store = MemoryStore(keyBefore: 0)
        let rows = once.changeSet.rows
        let identified = rows.filter { $0.identity != nil }
        let anonymousCount = rows.count - identified.count
        guard let first = try? store.commit(once.changeSet) else { return "no first commit" }
        guard first.objects.count == rows.count else { return "not an object for each row" }
        guard first.objects.allSatisfy(isSomething) else { return "a phantom in the store" }
        let keys = Set(first.objects.filter { $0.identity != nil }.map(\.storeKey))
        guard store.statistics().objectCount == keys.count + anonymousCount else {
            return "\(store.statistics().objectCount) objects of \(keys.count) identities"
        }
        guard let second = try? store.commit(again.changeSet) else { return "no second commit" }
        // Nested objects without identity stay, those of the results themselves are new ones.
        let results = once.results.flatMap { $0 }.filter { rows[$0].identity == nil }
        guard (Set(results).count...anonymousCount).contains(second.insertedCount) else {
            return "\(second.insertedCount) more objects"
        }
        for (before, after) in zip(first.objects, second.objects) where before.identity != nil {
            guard before.storeKey == after.storeKey else { return "another object" }
            let count = anonymousCount == 0 ? before.cellCount : before.entity.attributes.count
            for index in 0..<count where !before.cell(at: index).isEqual(to: after.cell(at: index))
            {
                return "cell \(index) of \(before.entity.name) differs"
            }
        }
        return nil
    }
}
