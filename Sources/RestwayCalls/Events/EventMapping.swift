import RestwayBodies
import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayText

/// Maps the events that have arrived together, and stores their objects in one commit.
struct EventMapping {
    /// The rows and failures of events that are not stored yet.
    private struct Rows {
        var changes = ChangeSet()
        /// The numbers of the rows that are results, one event after the other.
        var results: [Int] = []
        /// The end of each event in `results`.
        var ends: [Int] = []
        /// The failures by the index of their event.
        var failures: [Int: Failure] = [:]

        mutating func add(_ failure: Failure?) {
            if let failure { failures[ends.count] = failure }
            ends.append(results.count)
        }
    }

    /// The reason why an event cannot be mapped, with the index of the event.
    private struct Misfit: Error {
        let index: Int
        let failure: Failure
    }

    private static let quotedNameBytesMax = 64

    private let processor: ResponseProcessor
    private let mapper: any Mapper
    /// The answer without its body.
    private let answer: Answer
    /// The plan for the name of the last event. Servers choose the names, so there may be too many
    /// names to keep a plan for each.
    private var planned: (name: String, plan: MappingPlan?)?

    init(_ processor: ResponseProcessor, _ answer: Answer) throws(Failure) {
        self.processor = processor
        self.answer = answer
        mapper = try processor.mapperOfEvents(answer)
    }

    /// Gives all events to the program, after their objects were stored.
    mutating func map(
        _ batch: inout EventBatch, _ tell: (MappedEvent) throws(Failure) -> Void
    ) throws(Failure) {
        let events = batch.events
        guard !events.isEmpty else { return }
        let paddingCount = MappingLimits.paddingCount
        let told: Result<Void, Failure> = batch.withData(paddingCount: paddingCount) { data in
            Result { () throws(Failure) in
                var rows = try read(events, data)
                let template = planned?.plan?.descriptors.lazy.compactMap(\.template).first
                rows.changes.variables = processor.request.destination.variables(template)
                let objects =
                    rows.changes.isEmpty
                    ? [] : try processor.commit(rows.changes, answer).objects
                var start = 0
                for (index, event) in events.enumerated() {
                    let own = rows.results[start..<rows.ends[index]].map { objects[$0] }
                    start = rows.ends[index]
                    try tell(
                        MappedEvent(
                            name: event.name, id: event.id,
                            data: UnsafeRawBufferPointer(rebasing: data[event.range]),
                            objects: own, failure: rows.failures[index]))
                }
            }
        }
        try told.get()
    }

    // MARK: Rows

    private mutating func read(
        _ events: [StreamEvent], _ data: UnsafeRawBufferPointer
    ) throws(Failure) -> Rows {
        var rows = Rows()
        var rest = events[...]
        while let first = rest.first {
            guard let plan = plan(named: first.name), !first.isTruncated else {
                rows.add(first.isTruncated ? failure(first, "it is truncated") : nil)
                rest = rest.dropFirst()
                continue
            }
            // Events with the same plan are read as one response. If the plan has a hook, each
            // event is read by itself, because a hook gets the rows of one event.
            let end = rest.dropFirst().firstIndex {
                plan.hasHooks || $0.isTruncated || $0.name != first.name
            }
            try read(rest[..<(end ?? rest.endIndex)], plan, data, into: &rows)
            rest = rest[(end ?? rest.endIndex)...]
        }
        return rows
    }

    private mutating func plan(named name: String) -> MappingPlan? {
        if let planned, planned.name == name { return planned.plan }
        let request = processor.request
        let plan = processor.call.api.plan(
            method: request.method, status: answer.status, request.descriptorChoice, event: name,
            mediaType: answer.headers[first: "Content-Type"])
        planned = (name, plan)
        return plan
    }

    /// Reads events with one plan. An event that does not map ends its response, so the events
    /// before it are read once more, without it.
    private func read(
        _ events: ArraySlice<StreamEvent>, _ plan: MappingPlan, _ data: UnsafeRawBufferPointer,
        into rows: inout Rows
    ) throws(Failure) {
        var rest = events
        while let first = rest.indices.first {
            do throws(Misfit) {
                return try readTogether(rest, plan, data, into: &rows)
            } catch {
                guard error.failure.reason != .cancelled else { throw error.failure }
                if error.index == first {
                    rows.add(error.failure)
                    rest = rest.dropFirst()
                    continue
                }
                do throws(Misfit) {
                    try readTogether(rest[..<error.index], plan, data, into: &rows)
                } catch {
                    throw error.failure
                }
                rest = rest[error.index...]
            }
        }
    }

    private func readTogether(
        _ events: ArraySlice<StreamEvent>, _ plan: MappingPlan, _ data: UnsafeRawBufferPointer,
        into rows: inout Rows
    ) throws(Misfit) {
        let (machine, mapper) = (processor.machine(plan, isAnswer: false), mapper)
        let descriptors = plan.descriptors.indices
        // The number of results of each descriptor after each event.
        var counts: [Int] = []
        counts.reserveCapacity(events.count * descriptors.count)
        for index in events.indices {
            if index > events.startIndex { machine.beginNextValue() }
            let text = UnsafeRawBufferPointer(rebasing: data[events[index].range])
            if let failure = read(text, with: mapper, into: machine, events[index]) {
                throw Misfit(index: index, failure: failure)
            }
            for descriptor in descriptors { counts.append(machine.resultCount(of: descriptor)) }
        }
        var result: MappingResult
        do throws(Failure) {
            result = try processor.result(of: machine, mapper, answer)
            RowCompletion.complete(&result, of: plan, from: source(plan))
            try processor.ask(plan, &result, answer)
        } catch {
            throw Misfit(index: events.startIndex, failure: error)
        }
        processor.call.log.maps(result)
        let offset = rows.changes.rows.count
        rows.changes.append(rowsOf: result.takeChangeSet())
        var starts = Array(repeating: 0, count: descriptors.count)
        for event in 0..<events.count {
            for descriptor in descriptors {
                let end = counts[event * descriptors.count + descriptor]
                for row in result.results[descriptor][starts[descriptor]..<end] {
                    rows.results.append(offset + row)
                }
                starts[descriptor] = end
            }
            rows.add(nil)
        }
    }

    /// Returns the parts of the request from which objects have values. The headers of the answer
    /// are about the stream, not about an object.
    private func source(_ plan: MappingPlan) -> AnswerSource {
        let destination = processor.request.destination
        let template = plan.descriptors.lazy.compactMap(\.template).first
        return AnswerSource(
            variables: destination.variables(template), path: destination.path, isStream: true)
    }

    /// Reads the data of one event. Returns the reason if the event cannot be mapped.
    private func read(
        _ text: UnsafeRawBufferPointer, with mapper: any Mapper, into machine: MappingMachine,
        _ event: StreamEvent
    ) -> Failure? {
        // An event without data has no objects, like a response with an empty body.
        if text.allSatisfy(ASCII.isJSONSpace) {
            _ = machine.null()
        } else {
            do throws(MapperError) {
                let reading = BodyReading(
                    mapper: mapper, limits: processor.limits, contentType: nil)
                try reading.read(event: text, into: machine)
            } catch {
                let why = AnswerErrors(processor).unreadable(error.message, text, by: mapper)
                return failure(event, why)
            }
        }
        do throws(MappingFailure) {
            try machine.checkValue()
        } catch {
            var failure = processor.failure(error, of: mapper, answer)
            failure.message = "\(Self.title(event)): \(failure.message)"
            return failure
        }
        guard processor.context.options.isMappingStrict, let issue = machine.firstIssue else {
            return nil
        }
        return failure(event, "\(issue.keyPath): \(issue.reason)")
    }

    private func failure(_ event: StreamEvent, _ why: String) -> Failure {
        processor.failure(.mapping, "\(Self.title(event)): \(why)", answer)
    }

    /// A server may choose a very long name.
    private static func title(_ event: StreamEvent) -> String {
        let name = String(decoding: event.name.utf8.prefix(quotedNameBytesMax), as: UTF8.self)
        return "the event \"\(name)\""
    }
}
