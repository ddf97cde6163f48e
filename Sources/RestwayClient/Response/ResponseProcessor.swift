import RestwayHTTP
import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwaySupport
import Synchronization

/// Makes objects, or a failure, of what was received. Runs on a worker.
struct ResponseProcessor {
    /// Asked before the store changes, and about a failed answer.
    let call: Call
    let client: Client
    let request: PreparedRequest
    let isOnWorker: Bool
    /// Told how many objects have been mapped, of how many; `nil` when nobody wants to know.
    let mappingProgressed: (@Sendable (_ done: Int, _ total: Int?) -> Void)?

    var api: LoadedAPI { call.api }
    private var log: CallLog { call.log }
    private var clock: any Clock { client.clock }

    /// Answers `nil` when the call is sent again.
    ///
    /// - Parameter encodedBody: Held by nobody else, so that what is made of it needs no copy.
    func process(
        _ head: ResponseHead, _ encodedBody: consuming [UInt8], _ trailers: Headers,
        _ timings: CallTimings
    ) throws(Failure) -> Response? {
        let decodingStarted = clock.now()
        let (body, error) = decode(consume encodedBody, head)
        let decoded = clock.now()
        var timings = timings
        timings.decode = decoded.microseconds(since: decodingStarted)
        var received = ReceivedResponse(
            status: head.status, headers: head.headers, url: head.url, body: body,
            trailers: trailers, timings: timings,
            attempts: call.attempts(endingWith: head.status, decoded))
        if let error {
            throw failure(.init(error), "\(describe(received)): \(error.message)", received)
        }
        if isDone(received) { return try response(received, since: decoded) }
        var failure = httpFailure(received)
        if call.recovers(failure, request, isOnWorker: isOnWorker) { return nil }
        // By now it is known what the last one has failed with.
        received = received.ending(call.attempts(endingWith: head.status, clock.now()))
        do {
            failure.response = try response(received, since: clock.now())
        } catch {
            // What a failed request brings beside its status is only a courtesy.
            guard error.domain == .mapping else { throw error }
            failure.response = Response(received)
        }
        throw failure
    }

    private func response(
        _ received: ReceivedResponse, since started: Deadline
    ) throws(Failure) -> Response {
        var mapped = try map(received)
        mappingProgressed?(mapped.objects.count, mapped.objects.count)
        log.maps(mapped)
        let ended = mapped.stored ?? clock.now()
        mapped.mapMicroseconds = mapped.isMapped ? ended.microseconds(since: started) : 0
        mapped.callMicroseconds = ended.microseconds(since: call.started)
        return Response(received, mapped)
    }

    /// The body without its content coding; an empty one when that cannot be undone.
    private func decode(
        _ body: consuming [UInt8], _ head: ResponseHead
    ) -> (body: Body, error: BodyError?) {
        do {
            let bytes = try ContentDecoder.decode(
                consume body, headers: head.headers, bytesMax: client.options.bodyBytesMax)
            return (Body(bytes), nil)
        } catch {
            return (Body(), error)
        }
    }

    // MARK: Mapping

    private func map(_ received: ReceivedResponse) throws(Failure) -> MappedObjects {
        guard let plan = request.plan(of: api, status: received.status) else {
            return try commit(ChangeSet(), nil, received)
        }
        guard request.method != .head, !received.body.isEmpty else {
            var mapped = try commit(ChangeSet(), nil, received)
            mapped.isMapped = true
            mapped.results = plan.descriptors.map { _ in 0..<0 }
            return mapped
        }
        var result = try read(received, plan, with: try mapper(for: received))
        if client.options.isMappingStrict, result.issueCount > 0 {
            var failure = Failure(
                .mapping,
                details: result.issues.map { .init(path: $0.keyPath, message: $0.reason) })
            failure.message = "\(describe(received)) does not map: \(failure.message)"
            throw complete(failure, received)
        }
        try ask(plan, &result, received)
        return try commit(result.takeChangeSet(), result, received)
    }

    /// Lets the hooks of the descriptors add to the rows, one after the other.
    private func ask(
        _ plan: MappingPlan, _ result: inout MappingResult, _ received: ReceivedResponse
    ) throws(Failure) {
        guard plan.descriptors.contains(where: { $0.hook != nil }) else { return }
        let rows = MappedRows(result)
        for (index, descriptor) in plan.descriptors.enumerated() {
            guard let name = descriptor.hook, let hook = api.definition.hooks[name] else {
                continue
            }
            guard !call.hasEnded.load(ordering: .relaxed) else {
                throw Failure(.cancelled, "cancelled while mapping")
            }
            rows.begin(result: index)
            do {
                try hook(rows)
            } catch {
                var failure = error
                failure.domain = .mapping
                failure.message = "\(describe(received)): hook \"\(name)\": \(error.message)"
                throw complete(failure, received)
            }
        }
        result.changeSet.rows = rows.finish()
    }

    /// Phase one: events become rows. Changes no store.
    private func read(
        _ received: ReceivedResponse, _ plan: MappingPlan, with mapper: any Mapper
    ) throws(Failure) -> MappingResult {
        let limits = MappingLimits(
            nestingDepthMax: client.options.nestingDepthMax,
            objectsMax: client.options.objectsMax)
        let machine = MappingMachine(
            plan: plan, limits: limits,
            isCancelled: isAbandoned, progress: call.mappingProgress,
            isAnswer: request.submission != nil, glance: client.store.glance)
        let decoded: Result<Void, MapperError> = received.body.withBytes { body in
            Result { () throws(MapperError) in
                try mapper.decode(body, into: machine, limits: limits)
            }
        }
        if case .failure(let error) = decoded {
            throw failure(.mapping, "\(describe(received)): \(error.message)", received)
        }
        do {
            return try machine.finish()
        } catch {
            switch error {
            case .cancelled:
                throw Failure(.cancelled, "cancelled while mapping")
            case .tooManyObjects:
                throw failure(.tooLarge, "\(describe(received)): \(error.message)", received)
            case .brokenEvents:
                throw failure(
                    .mapping, "\(describe(received)): \(mapper.title): \(error.message)", received)
            case .tooDeep:
                throw failure(.mapping, "\(describe(received)): \(error.message)", received)
            }
        }
    }

    /// Asked for each object, so it can tell how far the mapping is, too.
    private var isAbandoned: @Sendable () -> Bool {
        let call = call
        guard let mappingProgressed else { return { call.hasEnded.load(ordering: .relaxed) } }
        return {
            mappingProgressed(
                call.mappingProgress.objectsDone, call.mappingProgress.objectsTotal)
            return call.hasEnded.load(ordering: .relaxed)
        }
    }

    /// Phase two: the store takes all rows and what else follows from the answer, or nothing.
    ///
    /// - Parameter result: Without its change set.
    private func commit(
        _ changes: consuming ChangeSet, _ result: MappingResult?, _ received: ReceivedResponse
    ) throws(Failure) -> MappedObjects {
        let consequences = try consequences(of: result, received, &changes)
        guard result != nil || !changes.isEmpty else { return .none }
        guard call.beginsCommit() else {
            throw Failure(.cancelled, "cancelled before the store changed")
        }
        let storingStarted = clock.now()
        let commit: Commit
        do {
            commit = try client.store.commit(changes)
        } catch {
            var failure = complete(error, received)
            failure.message = "\(describe(received)): \(error.message)"
            // The server has done its part already.
            failure.isRetryable = error.isRetryable && [.get, .head].contains(request.method)
            throw failure
        }
        let stored = clock.now()
        log.stores(commit.insertedCount, commit.updatedCount)
        settle(consequences, commit)
        guard let result else { return .none }
        let (objects, results) = result.objects(of: commit)
        return MappedObjects(
            isMapped: true, objects: objects, results: results, issues: result.issues,
            issueCount: result.issueCount, stored: stored,
            storeMicroseconds: stored.microseconds(since: storingStarted),
            matching: request.isFromOutbox ? consequences.matching : nil)
    }

    /// A body that says it is something that nobody reads, and does not look like JSON, is not
    /// worth a try.
    private func mapper(for received: ReceivedResponse) throws(Failure) -> any Mapper {
        let type = received.headers.joined("Content-Type")
        let mapper = client.mappers.mapper(
            named: request.dataMapper, type: type,
            looksLikeJSON: MediaType.looksLikeJSON(received.body))
        if let mapper { return mapper }
        throw failure(
            .mapping,
            "\(describe(received)): expected JSON, the server sent \(type ?? "nothing")", received)
    }

    // MARK: Failures

    private func httpFailure(_ received: ReceivedResponse) -> Failure {
        let error = APIError(
            body: received.body, mediaType: received.headers[first: "Content-Type"],
            api.definition.errors, read: { self.json($0, of: received) })
        var message = "\(describe(received)) answered \(received.status)"
        if let reason = HTTPStatus.reason(received.status) { message += " \(reason)" }
        if let text = error.message { message += ": \(text)" }
        if let code = error.code { message += " (API code \(code))" }
        var failure = Failure(
            .http, message, domain: error.code == nil && error.message == nil ? .http : .api)
        failure.httpStatus = received.status
        failure.apiCode = error.code
        failure.apiMessage = error.message
        failure.details = error.details
        failure.isRetryable = HTTPStatus.isTemporary(received.status)
        failure.response = Response(received)
        guard let read = client.failureReader else { return failure }
        return CallbackScope.run { read(failure) }
    }

    /// The body as JSON, also when its format is another.
    private func json(
        _ body: UnsafeRawBufferPointer, of received: ReceivedResponse
    ) -> JSONValue? {
        let type = received.headers.joined("Content-Type")
        let mapper = client.mappers.mapper(
            named: request.dataMapper, type: type, looksLikeJSON: true)
        guard let mapper, !MediaType.reads(mapper, "application/json"),
            !(type.map(MediaType.isJSON) ?? false)
        else { return try? JSONValue.parse(body) }
        let limits = MappingLimits(nestingDepthMax: client.options.nestingDepthMax)
        return JSONValue.read(body, by: mapper, limits)
    }

    private func failure(
        _ reason: Failure.Reason, _ message: String, _ received: ReceivedResponse
    ) -> Failure {
        complete(Failure(reason, message), received)
    }

    /// `failure` with the response that it is about.
    private func complete(_ failure: Failure, _ received: ReceivedResponse) -> Failure {
        var failure = failure
        failure.httpStatus = received.status
        failure.response = Response(received)
        return failure
    }

    /// The exchange, for a message: no query, which may hold a token.
    private func describe(_ received: ReceivedResponse) -> String {
        "\(request.method.rawValue) \(URLText.withoutQuery(received.url))"
    }
}

extension Failure.Reason {
    init(_ error: BodyError) {
        switch error {
        case .tooLarge: self = .tooLarge
        case .truncated: self = .connectionLost
        case .corrupt, .trailingBytes, .unknownCoding, .tooManyCodings: self = .protocolViolation
        case .outOfMemory: self = .outOfMemory
        }
    }
}
