import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayPlugins
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
    ) -> (received: ReceivedResponse, failure: Failure?, at: Deadline) {
        let started = clock.now()
        var body = Body()
        var damage: BodyError?
        do {
            if !recorder.isDrained, failure == nil {
                body = Body(
                    try ContentDecoder.decode(
                        recorder.takeBody(), headers: head.headers,
                        bytesMax: context.options.bodyBytesMax))
            }
        } catch {
            damage = error
        }
        let decoded = clock.now()
        var timings = timings
        timings.decode = decoded.microseconds(since: started)
        let received = ReceivedResponse(
            status: head.status, httpVersion: head.httpVersion, headers: head.headers,
            url: head.url, body: body, saved: recorder.saved, trailers: recorder.trailers,
            timings: timings,
            attempts: call.attempts(endingWith: head.status, decoded))
        guard var failure = failure ?? damage.map({ Failure($0) }) else {
            return (received, nil, decoded)
        }
        failure.message = "\(describe(received)): \(failure.message)"
        if !request.exchange.isSafe { failure.isRetryable = false }
        return (received, complete(failure, received), decoded)
    }

    // MARK: Mapping

    /// Phase one of mapping: turns the body into rows.
    func parse(_ answer: TakenAnswer) throws(Failure) -> ParsedAnswer {
        let received = answer.received
        let parsed = ParsedAnswer(answer)
        // The body says that there is nothing, perhaps in HTML.
        if answer.failure == nil, isGone(received) { return parsed }
        try checkAccepted(answer)
        // A body that did not stay in memory is not mapped, and neither is the answer to a batch.
        guard received.saved == nil, request.sending.batchRole != .call else { return parsed }
        if answer.failure == nil, request.answers.parser != .objects {
            parsed.parsed = try AnswerReading(processor: self).value(of: received)
            return parsed
        }
        // For a body that was mapped before, no descriptors have to be found.
        let key = memoKey(answer)
        if let known = known(answer, key) {
            parsed.known = known
            parsed.parsed = known.parsed
            parsed.beginsWithValue = known.manner.plan.beginsWithValue
            return parsed
        }
        let plan = api.plan(
            method: request.method, status: received.status, request.descriptorChoice,
            mediaType: received.headers[first: "Content-Type"])
        guard let plan else { return parsed }
        parsed.isMapped = true
        parsed.descriptorCount = plan.descriptors.count
        parsed.beginsWithValue = plan.beginsWithValue
        parsed.template = plan.descriptors.lazy.compactMap(\.template).first
        guard request.method != .head else {
            parsed.parsed = ParsedValue(ofNothing: plan)
            return parsed
        }
        if isEmpty(received) {
            parsed.parsed = ParsedValue(ofNothing: plan)
            if let descriptor = plan.descriptors.first(where: \.isRequired) {
                throw missing(descriptor.keyPath.joined(separator: "."), received)
            }
            takeSentLinks(parsed, plan)
            return parsed
        }
        parsed.manner = key.map { AnswerMemo.Manner(key: $0, plan: plan) }
        let mapper = try self.mapper(for: received, plan)
        context.lifecycle.tell(.willMap, of: call)
        var result = try read(received, plan, with: mapper)
        // A hook may know the identities, and the objects that were sent are known already.
        if !plan.hasHooks {
            try identify(&result, parsed.template, received)
            if request.submission == nil { result.reportMissingIdentities(plan) }
        }
        parsed.bodyIsJSON = MediaType.reads(mapper, MediaType.json)
        if context.options.isMappingStrict, result.issueCount > 0 {
            var failure = Failure(
                .mapping,
                details: result.issues.map { .init(path: $0.keyPath, message: $0.reason) })
            failure.message = "\(describe(received)) does not map: \(failure.message)"
            failure.cause = result.issueCause
            throw complete(failure, received)
        }
        try ask(plan, &result, received)
        if plan.hasHooks { try identify(&result, parsed.template, received) }
        parsed.changes = result.takeChangeSet()
        parsed.parsed = ParsedValue(result)
        takeLinks(parsed, result, plan)
        parsed.result = result
        return parsed
    }

    /// Returns the mapper that reads a body. A body whose type no mapper reads, and that does not
    /// look like JSON, is refused, unless the route accepts the type or a descriptor names it.
    private func mapper(
        for received: ReceivedResponse, _ plan: MappingPlan
    ) throws(Failure) -> any Mapper {
        let isToBeRead =
            received.body.looksLikeJSON || !request.accepted.isEmpty || plan.namesMediaTypes
        if let mapper = mapper(for: received, looksLikeJSON: isToBeRead) { return mapper }
        let type = received.headers.joined("Content-Type") ?? "nothing"
        throw unexpected("expected JSON, the server sent \(type)", received)
    }

    /// Refuses the body of a successful answer that has no type that the route accepts.
    private func checkAccepted(_ answer: TakenAnswer) throws(Failure) {
        guard answer.failure == nil, !answer.received.body.isEmpty else { return }
        try checkAccepted(answer.received)
    }

    /// Refuses a body that goes to a file or to the program, before its first byte.
    func checkAccepted(_ head: ResponseHead) throws(Failure) {
        guard ![204, 205, 304].contains(head.status), head.headers[first: "Content-Length"] != "0"
        else { return }
        try checkAccepted(
            ReceivedResponse(
                status: head.status, httpVersion: head.httpVersion, headers: head.headers,
                url: head.url, body: Body()))
    }

    private func checkAccepted(_ received: ReceivedResponse) throws(Failure) {
        guard !request.accepted.isEmpty, let type = received.headers[first: "Content-Type"],
            !MediaType.isAccepted(MediaType.essence(type), request.accepted)
        else { return }
        let expected = request.accepted.joined(separator: ", ")
        throw unexpected("expected \(expected), the server sent \(type)", received)
    }

    /// Returns the failure of a body that has another type than the expected one, with its first
    /// bytes, which often say why.
    private func unexpected(_ why: String, _ received: ReceivedResponse) -> Failure {
        let excerpt = AnswerErrors(self).excerpt(of: received)
        return unreadable(why + (excerpt.map { ": \($0)" } ?? ""), received)
    }

    /// Whether there is nothing to map. White space alone counts as nothing, except in a format in
    /// which it may be a value: in a binary format, the byte of a line feed may be the number 10.
    private func isEmpty(_ received: ReceivedResponse) -> Bool {
        if received.body.isEmpty { return true }
        guard received.body.isBlank else { return false }
        return mapper(for: received, looksLikeJSON: false)
            .map { MediaType.reads($0, MediaType.json) } ?? true
    }

    /// Lets the hooks of the descriptors add to the rows, one after the other.
    func ask(
        _ plan: MappingPlan, _ result: inout MappingResult, _ received: ReceivedResponse
    ) throws(Failure) {
        do throws(Failure) {
            try plan.askHooks(api.definition.functions.hooks, &result) {
                call.hasEnded.load(ordering: .relaxed)
            }
        } catch {
            guard error.isOfProgram else { throw error }
            var failure = error
            failure.message = "\(describe(received)): \(error.message)"
            throw complete(failure, received)
        }
    }

    /// Reads the events of the mapper into rows. It changes no store.
    private func read(
        _ received: ReceivedResponse, _ plan: MappingPlan, with mapper: any Mapper
    ) throws(Failure) -> MappingResult {
        let reading = BodyReading(
            mapper: mapper, limits: limits, contentType: received.headers[first: "Content-Type"])
        let machine: MappingMachine
        do throws(MapperError) {
            machine = try reading.read(received.body) {
                call.mappingProgress.restart()
                return self.machine(plan, isAnswer: request.submission != nil)
            }
        } catch {
            let why = AnswerErrors(self).unreadable(error.message, received, by: mapper)
            throw unreadable(why, received)
        }
        return try result(of: machine, mapper, received)
    }

    /// Returns the failure of a body that cannot be read, perhaps because of its content coding.
    func unreadable(_ why: String, _ received: ReceivedResponse) -> Failure {
        let coding = ContentDecoder.reasonNotDecoded(received.headers)
        return failure(.mapping, coding.map { "\(why) (\($0))" } ?? why, received)
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
        of machine: MappingMachine, _ mapper: any Mapper, _ received: ReceivedResponse
    ) throws(Failure) -> MappingResult {
        do {
            return try machine.finish()
        } catch {
            throw failure(error, of: mapper, received)
        }
    }

    func failure(
        _ error: MappingFailure, of mapper: any Mapper, _ received: ReceivedResponse
    ) -> Failure {
        switch error {
        case .cancelled:
            return Failure(.cancelled, "cancelled while mapping")
        case .tooManyObjects:
            return failure(.tooLarge, error.message, received)
        case .brokenEvents(_, let place):
            var failure = failure(.plugin, "\(mapper.title) \(error.message)", received)
            failure.field = place
            return failure
        case .tooDeep:
            return failure(.mapping, error.message, received)
        case .missing(let keyPath):
            return missing(keyPath, received)
        }
    }

    /// Returns the failure of a body that has nothing at a key path where something is required.
    private func missing(_ keyPath: String, _ received: ReceivedResponse) -> Failure {
        let why = MappingFailure.missing(keyPath: keyPath).message
        var failure = failure(.mapping, why, received)
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
    func commit(_ parsed: ParsedAnswer) throws(Failure) -> Response {
        let dropsBody = parsed.parsed.dropsBody
        let received = dropsBody ? parsed.answer.received.withoutBody() : parsed.answer.received
        let started = parsed.answer.started
        var mapped = try store(parsed)
        mapped.parsed = parsed.parsed
        mapped.beginsWithValue = parsed.beginsWithValue
        call.mapped(request, mapped.objects.count, of: mapped.objects.count)
        call.log.maps(mapped)
        let ended = mapped.stored ?? clock.now()
        mapped.mapMicroseconds = mapped.isMapped ? ended.microseconds(since: started) : 0
        mapped.callMicroseconds = ended.microseconds(since: call.started)
        return response(received, mapped)
    }

    private func store(_ parsed: ParsedAnswer) throws(Failure) -> MappedObjects {
        if let known = parsed.known { return try recall(known) }
        let received = parsed.answer.received
        let result = parsed.result.take()
        var mapped = MappedObjects.none
        mapped.isMapped = parsed.isMapped
        mapped.bodyIsJSON = parsed.bodyIsJSON
        if parsed.isMapped, result == nil {
            mapped.results = Array(repeating: 0..<0, count: parsed.descriptorCount)
        }
        let consequences = try consequences(of: result, received, &parsed.changes)
        guard result != nil || !parsed.changes.isEmpty else { return mapped }
        parsed.changes.onlyCompletes = hasStored(parsed)
        // Most objects have all variables as attributes, and finding their values would cost more
        // than this check.
        let template = request.destination.route?.template ?? parsed.template
        if let template, parsed.changes.remembersSome(of: template.variableNames) {
            parsed.changes.variables = request.destination.variables(template)
        }
        if received.cache?.isKept == true, try leavesWaitingChanges(of: parsed.changes.rows) {
            // When nothing waits any more, the next answer with this body is mapped again.
            parsed.manner = nil
        }
        let storingStarted = clock.now()
        let commit = try commit(parsed.changes, received)
        let stored = clock.now()
        settle(consequences, commit)
        guard let result else { return mapped }
        (mapped.objects, mapped.results) = result.objects(of: commit)
        mapped.issues = result.issues
        mapped.issueCount = result.issueCount
        remember(parsed, mapped, commit)
        mapped.stored = stored
        mapped.storeMicroseconds = stored.microseconds(since: storingStarted)
        mapped.matching = request.isFromOutbox ? consequences.matching : nil
        return mapped
    }

    /// Gives rows to the store.
    func commit(_ changes: ChangeSet, _ received: ReceivedResponse) throws(Failure) -> Commit {
        do {
            let commit = try context.store.commit(changes)
            call.log.stores(commit)
            return commit
        } catch {
            var failure = complete(error, received)
            failure.message = "\(describe(received)): \(error.message)"
            // The server has already processed the request, so only GET and HEAD are sent again.
            failure.isRetryable = error.isRetryable && [.get, .head].contains(request.method)
            throw failure
        }
    }

    /// Returns the mapper of the events of a stream, whose data is JSON unless the route names a
    /// mapper.
    func mapperOfEvents(_ received: ReceivedResponse) throws(Failure) -> any Mapper {
        let mapper = context.mappers.mapper(
            named: request.dataMapper, type: MediaType.json, looksLikeJSON: true)
        guard let mapper else { throw failure(.mapping, "no mapper reads its events", received) }
        return mapper
    }

    func mapper(for received: ReceivedResponse, looksLikeJSON: Bool) -> (any Mapper)? {
        context.mappers.mapper(
            named: request.dataMapper, type: received.headers.joined("Content-Type"),
            looksLikeJSON: looksLikeJSON)
    }

    // MARK: Failures

    /// Returns the failure for an answer whose status is no success. It may ask the program; then
    /// it runs on a worker.
    func httpFailure(_ received: ReceivedResponse) -> Failure {
        AnswerErrors(self).httpFailure(received)
    }

    func failure(
        _ reason: Failure.Reason, _ why: String, _ received: ReceivedResponse
    ) -> Failure {
        complete(Failure(reason, "\(describe(received)): \(why)"), received)
    }

    /// Returns `failure` with the response that it is about.
    private func complete(_ failure: Failure, _ received: ReceivedResponse) -> Failure {
        var failure = failure
        failure.httpStatus = received.status
        failure.response = response(received)
        return failure
    }

    func response(
        _ received: ReceivedResponse, _ mapped: consuming MappedObjects = .none
    ) -> Response {
        Response(received, mapped, request: .sent(by: call, request))
    }

    /// Describes the exchange for a message, without its query, which may hold a token.
    func describe(_ received: ReceivedResponse) -> String {
        "\(request.method.rawValue) \(URLText.withoutQuery(received.url))"
    }
}
