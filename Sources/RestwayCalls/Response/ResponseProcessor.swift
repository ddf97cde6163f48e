import RestwayBodies
import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayPlugins
import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayText
import RestwayThreads
import Synchronization

/// Decodes an answer and turns it into objects or a failure.
struct ResponseProcessor {
    let call: Call
    let request: PreparedRequest

    init(_ entry: StageEntry) {
        self.init(entry.call, entry.request)
    }

    init(_ call: Call, _ request: PreparedRequest) {
        self.call = call
        self.request = request
    }

    var context: CallContext { call.context }
    private var api: LoadedAPI { call.api }
    private var clock: any Clock { context.clock }

    // MARK: Decoding

    /// Undoes the content coding of an answer. If that fails, the answer has no body. A body whose
    /// coding is not known stays as it was sent (RFC 9110, section 8.4).
    ///
    /// - Parameter failure: Why the answer broke off, so that it has no body; `nil` if it is whole.
    func decode(
        _ head: ResponseHead, _ recorder: ExchangeRecorder, _ timings: CallTimings,
        brokenBy failure: Failure? = nil
    ) -> Answer {
        let started = clock.now()
        var answer = Answer(head)
        var damage = failure
        do {
            if let saved = recorder.saved {
                answer.bodyPlace = .saved(saved)
            } else if recorder.isDrained || failure != nil {
                answer.bodyPlace = .dropped
            } else {
                answer.bodyPlace = .memory(
                    Body(
                        try ContentDecoder.decode(
                            recorder.takeBody(), headers: head.headers,
                            bytesMax: context.options.bodyBytesMax)))
            }
        } catch {
            damage = Failure(error)
        }
        let decoded = clock.now()
        answer.readyAt = decoded
        answer.timings = timings
        answer.timings.decode = decoded.microseconds(since: started)
        answer.trailers = recorder.trailers
        answer.attempts = call.attempts(endingWith: head.status, decoded)
        guard var damage else { return answer }
        damage.message = "\(describe(answer)): \(damage.message)"
        if !request.exchange.isSafe { damage.isRetryable = false }
        answer.damage = complete(damage, answer)
        return answer
    }

    // MARK: Mapping

    /// Phase one of mapping: turns the body into rows.
    func parse(_ answer: Answer) throws(Failure) -> MappedAnswer {
        var mapped = MappedAnswer(answer)
        // The body says that there is nothing, perhaps in HTML.
        if answer.failure == nil, isGone(answer) { return mapped }
        try checkAccepted(answer)
        // A body that did not stay in memory is not mapped, and neither is the answer to a batch.
        guard answer.saved == nil, request.sending.batchRole != .call else { return mapped }
        if answer.failure == nil, request.answers.parser != .objects {
            mapped.parsed = try AnswerReading(processor: self).value(of: answer)
            return mapped
        }
        // For a body that was mapped before, no descriptors have to be found.
        let key = mappingKey(answer)
        if let known = known(answer, key) {
            mapped.rows = .known(known)
            return mapped
        }
        let plan = api.plan(
            method: request.method, status: answer.status, request.descriptorChoice,
            mediaType: answer.headers[first: "Content-Type"])
        guard let plan else { return mapped }
        mapped.isMapped = true
        mapped.beginsWithValue = plan.beginsWithValue
        mapped.rows = .new(try rows(of: &mapped, plan, key))
        return mapped
    }

    /// Turns a body into the rows for which there is a plan.
    private func rows(
        of mapped: inout MappedAnswer, _ plan: MappingPlan, _ key: CachedMappings.Key?
    ) throws(Failure) -> MappedAnswer.NewRows {
        let answer = mapped.answer
        var rows = MappedAnswer.NewRows()
        rows.template = plan.descriptors.lazy.compactMap(\.template).first
        if request.method == .head || isEmpty(answer) {
            mapped.parsed = ParsedValue(ofNothing: plan)
            mapped.results = Array(repeating: 0..<0, count: plan.descriptors.count)
            guard request.method != .head else { return rows }
            if let descriptor = plan.descriptors.first(where: \.isRequired) {
                throw missing(descriptor.keyPath.joined(separator: "."), answer)
            }
            takeSentLinks(&rows, plan, answer)
            return rows
        }
        // Another answer with the same body may have other headers.
        if !plan.readsHeaders {
            rows.manner = key.map { CachedMappings.Manner(key: $0, plan: plan) }
        }
        let mapper = try self.mapper(for: answer, plan)
        context.lifecycle.tell(.willMap, of: call)
        var result = try read(answer, plan, with: mapper)
        RowCompletion.complete(&result, of: plan, from: source(of: answer, rows.template))
        // A hook may know the identities, and the objects that were sent are known already.
        if !plan.hasHooks {
            try identify(&result, rows.template, answer)
            if request.submission == nil { result.reportMissingIdentities(plan) }
        }
        if context.options.isMappingStrict, result.issueCount > 0 {
            var failure = Failure(
                .mapping,
                details: result.issues.map { .init(path: $0.keyPath, message: $0.reason) })
            failure.message = "\(describe(answer)) does not map: \(failure.message)"
            failure.cause = result.issueCause
            throw complete(failure, answer)
        }
        try ask(plan, &result, answer)
        if plan.hasHooks { try identify(&result, rows.template, answer) }
        // An object that was sent is in the store, and its answer belongs to it.
        let isAboutSent = request.submission != nil && !request.method.isSafe
        rows.changes = result.takeChangeSet(keepsResults: isAboutSent)
        rows.result = result
        takeLinks(&rows, plan, answer)
        mapped.bodyIsJSON = MediaType.reads(mapper, MediaType.json)
        mapped.parsed = ParsedValue(result)
        mapped.issues = result.issues
        mapped.issueCount = result.issueCount
        return rows
    }

    /// Returns the mapper that reads a body. A body whose type no mapper reads, and that does not
    /// look like JSON, is refused, unless the route accepts the type or a descriptor names it.
    private func mapper(
        for answer: Answer, _ plan: MappingPlan
    ) throws(Failure) -> any Mapper {
        let isToBeRead =
            answer.body.looksLikeJSON || !request.accepted.isEmpty || plan.namesMediaTypes
        if let mapper = mapper(for: answer, looksLikeJSON: isToBeRead) { return mapper }
        let type = answer.headers.joined("Content-Type") ?? "nothing"
        throw unexpected("expected JSON, the server sent \(type)", answer)
    }

    /// Refuses the body of a successful answer that has no type that the route accepts.
    private func checkAccepted(_ answer: Answer) throws(Failure) {
        guard answer.failure == nil, !answer.body.isEmpty else { return }
        try checkType(answer)
    }

    /// Refuses a body that goes to a file or to the program, before its first byte.
    func checkAccepted(_ head: ResponseHead) throws(Failure) {
        guard ![204, 205, 304].contains(head.status), head.headers[first: "Content-Length"] != "0"
        else { return }
        try checkType(Answer(head))
    }

    private func checkType(_ answer: Answer) throws(Failure) {
        guard !request.accepted.isEmpty, let type = answer.headers[first: "Content-Type"],
            !MediaType.isAccepted(MediaType.essence(type), request.accepted)
        else { return }
        let expected = request.accepted.joined(separator: ", ")
        throw unexpected("expected \(expected), the server sent \(type)", answer)
    }

    /// Returns the failure of a body that has another type than the expected one, with its first
    /// bytes, which often say why.
    private func unexpected(_ why: String, _ answer: Answer) -> Failure {
        let excerpt = AnswerErrors(self).excerpt(of: answer)
        return unreadable(why + (excerpt.map { ": \($0)" } ?? ""), answer)
    }

    /// Whether there is nothing to map. White space alone counts as nothing, except in a format in
    /// which it may be a value: in a binary format, the byte of a line feed may be the number 10.
    private func isEmpty(_ answer: Answer) -> Bool {
        if answer.body.isEmpty { return true }
        guard answer.body.isBlank else { return false }
        return mapper(for: answer, looksLikeJSON: false)
            .map { MediaType.reads($0, MediaType.json) } ?? true
    }

    /// Lets the hooks of the descriptors add to the rows, one after the other.
    func ask(
        _ plan: MappingPlan, _ result: inout MappingResult, _ answer: Answer
    ) throws(Failure) {
        do throws(Failure) {
            try plan.askHooks(api.definition.functions.hooks, &result) {
                call.hasEnded.load(ordering: .relaxed)
            }
        } catch {
            guard error.isOfProgram else { throw error }
            var failure = error
            failure.message = "\(describe(answer)): \(error.message)"
            throw complete(failure, answer)
        }
    }

    /// Returns the parts of the request and the answer from which objects have values.
    ///
    /// - Parameter template: The template of the descriptors, for a request without a route.
    func source(of answer: Answer, _ template: PathTemplate?) -> AnswerSource {
        // An object stays the same object if the server leads to another path.
        let first = request.destination.beforeRedirects?.destination ?? request.destination
        return AnswerSource(
            variables: request.destination.variables(template), path: first.path,
            header: { answer.headers.joined($0) })
    }

    /// Reads the events of the mapper into rows. It changes no store.
    private func read(
        _ answer: Answer, _ plan: MappingPlan, with mapper: any Mapper
    ) throws(Failure) -> MappingResult {
        let reading = BodyReading(
            mapper: mapper, limits: limits, contentType: answer.headers[first: "Content-Type"])
        let machine: MappingMachine
        do throws(MapperError) {
            machine = try reading.read(answer.body) {
                call.mappingProgress.restart()
                return self.machine(plan, isAnswer: request.submission != nil)
            }
        } catch {
            let why = AnswerErrors(self).unreadable(error.message, answer, by: mapper)
            throw unreadable(why, answer)
        }
        return try result(of: machine, mapper, answer)
    }

    /// Returns the failure of a body that cannot be read, perhaps because of its content coding.
    func unreadable(_ why: String, _ answer: Answer) -> Failure {
        let coding = ContentDecoder.reasonNotDecoded(answer.headers)
        return failure(.mapping, coding.map { "\(why) (\($0))" } ?? why, answer)
    }

    var limits: MappingLimits { context.mappingLimits }

    /// - Parameter isAnswer: Whether the machine maps the answer to a request that has sent
    ///   objects.
    func machine(_ plan: MappingPlan, isAnswer: Bool) -> MappingMachine {
        MappingMachine(
            plan: plan, limits: limits, isCancelled: isAbandoned, progress: call.mappingProgress,
            isAnswer: isAnswer)
    }

    func result(
        of machine: MappingMachine, _ mapper: any Mapper, _ answer: Answer
    ) throws(Failure) -> MappingResult {
        do {
            return try machine.finish()
        } catch {
            throw failure(error, of: mapper, answer)
        }
    }

    func failure(
        _ error: MappingFailure, of mapper: any Mapper, _ answer: Answer
    ) -> Failure {
        switch error {
        case .cancelled:
            return Failure(.cancelled, "cancelled while mapping")
        case .tooManyObjects:
            return failure(.tooLarge, error.message, answer)
        case .brokenEvents(_, let place):
            var failure = failure(.plugin, "\(mapper.title) \(error.message)", answer)
            failure.field = place
            return failure
        case .tooDeep:
            return failure(.mapping, error.message, answer)
        case .missing(let keyPath):
            return missing(keyPath, answer)
        }
    }

    /// Returns the failure of a body that has nothing at a key path where something is required.
    private func missing(_ keyPath: String, _ answer: Answer) -> Failure {
        let why = MappingFailure.missing(keyPath: keyPath).message
        var failure = failure(.mapping, why, answer)
        failure.field = keyPath
        return failure
    }

    /// The mapper asks this for each object, so it also reports the progress of the mapping.
    private var isAbandoned: @Sendable () -> Bool {
        let (call, request) = (call, request)
        guard request.sending.progress != nil else {
            return { call.hasEnded.load(ordering: .relaxed) }
        }
        return {
            call.mapped(
                request, call.mappingProgress.objectsDone, of: call.mappingProgress.objectsTotal)
            return call.hasEnded.load(ordering: .relaxed)
        }
    }

    /// Phase two of mapping: the store takes all rows and all other changes that follow from the
    /// answer, or nothing.
    func commit(_ mapped: MappedAnswer) throws(Failure) -> Response {
        var mapped = mapped
        let rows = mapped.rows
        mapped.rows = .none
        var stored: Deadline?
        switch rows {
        case .none: stored = try store(MappedAnswer.NewRows(), &mapped)
        case .new(let rows): stored = try store(rows, &mapped)
        case .known(let known): try recall(known, &mapped)
        }
        if mapped.parsed.dropsBody { mapped.answer.bodyPlace = .dropped }
        call.mapped(request, mapped.objects.count, of: mapped.objects.count)
        call.log.maps(mapped)
        let ended = stored ?? clock.now()
        let begun = mapped.isMapped ? mapped.answer.readyAt ?? ended : ended
        mapped.answer.timings.map = ended.microseconds(since: begun)
        mapped.answer.timings.store = mapped.answer.timings.store ?? 0
        mapped.answer.timings.total = ended.microseconds(since: call.started)
        return Response(mapped, request: .sent(by: call, request))
    }

    /// Lets the store take rows and what follows from the answer. The objects of the answer are
    /// then those that the store has.
    ///
    /// - Returns: When the store had taken the rows; `nil` if no body was read.
    private func store(
        _ rows: MappedAnswer.NewRows, _ mapped: inout MappedAnswer
    ) throws(Failure) -> Deadline? {
        let answer = mapped.answer
        var changes = rows.changes
        let consequences = try consequences(of: rows.result, rows.template, answer, &changes)
        takeVersion(of: rows.result, answer, &changes)
        guard rows.result != nil || !changes.isEmpty else { return nil }
        changes.onlyCompletes = hasStored(answer, rows.manner)
        // Most objects have all variables as attributes, and finding their values would cost more
        // than this check.
        let template = request.destination.route?.template ?? rows.template
        if let template, changes.remembersSome(of: template.variableNames) {
            changes.variables = request.destination.variables(template)
        }
        let started = clock.now()
        let hasUnkept = !changes.unkeptRows.isEmpty
        let commit = try commit(changes, answer, since: call.moment)
        let stored = clock.now()
        if let version = versionOfNew(rows.result, answer), let edit = consequences.edits[0] {
            try keep(version, of: commit.objects[edit], answer)
        }
        settle(consequences, commit)
        guard let result = rows.result else { return nil }
        (mapped.objects, mapped.results) = result.objects(of: commit)
        remember(mapped, rows.manner, commit, hasUnkept: hasUnkept)
        mapped.answer.timings.store = stored.microseconds(since: started)
        mapped.matching = request.isFromOutbox ? consequences.matching : nil
        return stored
    }

    /// Gives rows to the store.
    ///
    /// - Parameter moment: The moment at which the request of the rows left. Values that were
    ///   delivered after it are newer than the rows.
    func commit(
        _ changes: ChangeSet, _ answer: Answer, since moment: StoreMoment? = nil
    ) throws(Failure) -> Commit {
        do {
            let commit = try context.store.commit(changes, since: moment)
            call.log.stores(commit)
            return commit
        } catch {
            var failure = complete(error, answer)
            failure.message = "\(describe(answer)): \(error.message)"
            // The server has already processed the request, so only GET and HEAD are sent again.
            failure.isRetryable = error.isRetryable && [.get, .head].contains(request.method)
            throw failure
        }
    }

    /// Returns the mapper of the events of a stream, whose data is JSON unless the route names a
    /// mapper.
    func mapperOfEvents(_ answer: Answer) throws(Failure) -> any Mapper {
        let mapper = context.mappers.mapper(
            named: request.dataMapper, type: MediaType.json, looksLikeJSON: true)
        guard let mapper else { throw failure(.mapping, "no mapper reads its events", answer) }
        return mapper
    }

    func mapper(for answer: Answer, looksLikeJSON: Bool) -> (any Mapper)? {
        context.mappers.mapper(
            named: request.dataMapper, type: answer.headers.joined("Content-Type"),
            looksLikeJSON: looksLikeJSON)
    }

    // MARK: Failures

    /// Returns the failure for an answer whose status is no success. It may ask the program; then
    /// it runs on a worker.
    func httpFailure(_ answer: Answer) -> Failure {
        AnswerErrors(self).httpFailure(answer)
    }

    func failure(
        _ reason: Failure.Reason, _ why: String, _ answer: Answer
    ) -> Failure {
        complete(Failure(reason, "\(describe(answer)): \(why)"), answer)
    }

    /// Returns `failure` with the response that it is about.
    private func complete(_ failure: Failure, _ answer: Answer) -> Failure {
        var failure = failure
        failure.httpStatus = answer.status
        failure.response = response(answer)
        return failure
    }

    func response(_ answer: Answer) -> Response {
        Response(answer, request: .sent(by: call, request))
    }

    /// Describes the exchange for a message, without its query, which may hold a token.
    func describe(_ answer: Answer) -> String {
        "\(request.method.rawValue) \(URLText.withoutQuery(answer.url))"
    }
}
