import RestwayJansson
import RestwayMapping
import RestwayObjects

/// What comes on tapes must be mapped as what comes at once.
package enum FuzzedTapes {
    /// What differs, in words; nil when nothing does.
    package static func complaint(about input: UnsafeRawBufferPointer) -> String? {
        guard let choice = input.first else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        let plan = FuzzModel.plans[Int(choice) % FuzzModel.plans.count]
        let sink = TapedSink(plan, FuzzModel.limits, rest)
        if choice & 0x80 != 0 {
            FuzzEvents.push(rest, into: sink)
        } else {
            try? JanssonMapper().decode(rest, into: sink, limits: FuzzModel.limits)
        }
        let behind = sink.finish()
        return sink.complaint ?? difference(told(sink.machine), told(behind))
    }

    private static func difference(_ atOnce: [String], _ onTapes: [String]) -> String? {
        guard atOnce != onTapes else { return nil }
        let place = zip(atOnce, onTapes).first { $0 != $1 }
        return place.map { "\($0.0), on tapes: \($0.1)" }
            ?? "\(atOnce.count) things told, on tapes \(onTapes.count)"
    }

    /// All that a machine found, a line for each thing.
    private static func told(_ machine: MappingMachine) -> [String] {
        let result: MappingResult
        do throws(MappingFailure) {
            result = try machine.finish()
        } catch {
            return [error.message]
        }
        var lines = result.changeSet.rows.map { row in
            let cells = (0..<row.entity.attributes.count).map { "\(row.value(at: $0))" }
            let links = row.entity.relationships.indices.map { index in
                let cell = row.cell(at: row.entity.attributes.count + index)
                return "\(cell.isAbsent) \(cell.kind) \(row.relatedKeys(at: index))"
            }
            return "\(row.entity.name): \(cells) \(links)"
        }
        lines += result.parts.map { "\($0.descriptor): \($0.rows)" }
        lines += result.issues.map { "\($0.keyPath): \($0.reason)" }
        return lines + ["\(result.issueCount) issues"]
    }
}
