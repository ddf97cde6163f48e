import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
package import RestwayOutcome
import RestwayPlugins
import RestwayRequests
import RestwayRouting
package import RestwayStore
import RestwayText
import RestwayThreads
import Synchronization

/// How bytes that did not come over HTTP are mapped.
package struct BytesMapping: Sendable {
    package enum Rules: Sendable {
        /// Objects of an entity at a key path.
        case entity(String, keyPath: [String])
        /// The descriptors of a route for status 200.
        case route(String)
    }

    /// Receives the number of mapped objects, and their total if it is known. Returns whether the
    /// mapping goes on. It is a question.
    package typealias Progressed = @Sendable (Int, Int?) -> Bool

    package var rules: Rules
    /// The name of the mapper; `nil` if the media type chooses it.
    package var mapper: String?
    package var mediaType = MediaType.json
    /// Whether the objects stay out of the client's store.
    package var makesSnapshots = false
    package var progressed: Progressed?

    package init(_ rules: Rules) {
        self.rules = rules
    }

    /// Names what is mapped, for messages.
    var description: String {
        switch rules {
        case .entity(let name, let keyPath):
            keyPath.isEmpty
                ? "bytes of \(name)" : "bytes of \(name) at \(keyPath.joined(separator: "."))"
        case .route(let name): "bytes of route \(name)"
        }
    }
}

extension CallContext {
    /// Maps bytes on a worker, and waits for that. Returns the objects in a response without an
    /// answer, and the store that has them.
    package func map(
        _ bytes: Body, _ order: BytesMapping
    ) throws(Failure) -> (Response, ObservedStore) {
        try refuseWhenClosed()
        try Call.refuseToBlockInsideCallbacks()
        let answer = Monitor<Result<(Response, ObservedStore), Failure>?>(nil)
        let run = BytesMappingRun(context: self, api: api.loaded, order: order)
        pool.submit {
            let found = Result { () throws(Failure) in try run.map(bytes) }
            answer.update { $0 = found }
        }
        guard let found = answer.wait(for: { $0 }) else {
            throw Failure(.internal, "a wait without a bound has ended")
        }
        return try found.get()
    }
}

/// Maps the bytes of one order.
private struct BytesMappingRun: Sendable {
    /// The number of objects between two reports of progress.
    private static let objectsOfAReport = 256

    let context: CallContext
    let api: LoadedAPI
    let order: BytesMapping

    func map(_ body: Body) throws(Failure) -> (Response, ObservedStore) {
        let plan = try plan()
        let mapper = try mapper()
        let progress = MappingProgress()
        let reading = BodyReading(
            mapper: mapper, limits: limits, contentType: order.mediaType)
        let machine: MappingMachine
        do throws(MapperError) {
            machine = try reading.read(body) {
                progress.restart()
                return MappingMachine(
                    plan: plan, limits: limits, isCancelled: isCancelled(progress),
                    progress: progress)
            }
        } catch {
            throw failure(.mapping, unreadable(error, body, by: mapper))
        }
        var result: MappingResult
        do throws(MappingFailure) {
            result = try machine.finish()
        } catch {
            if case .missing = error, let own = apiFailure(body) { throw own }
            throw failure(error, of: mapper)
        }
        // In JSON:API, a body has either errors or data.
        if api.definition.errors.format(mediaType: order.mediaType) == .jsonapi,
            result.changeSet.rows.isEmpty, let own = apiFailure(body)
        {
            throw own
        }
        RowCompletion.complete(&result, of: plan, from: AnswerSource())
        if !plan.hasHooks { result.reportMissingIdentities(plan) }
        try refuseIssues(result)
        try askHooks(plan, &result)
        guard goesOn(progress) else { throw stopped }
        return try commit(&result, body, isJSON: MediaType.reads(mapper, MediaType.json))
    }

    private var limits: MappingLimits { context.mappingLimits }

    /// Returns why bytes cannot be read, with the first of them. In other formats than JSON,
    /// secrets cannot be told from other text.
    private func unreadable(_ error: MapperError, _ body: Body, by mapper: any Mapper) -> String {
        guard MediaType.reads(mapper, MediaType.json) else { return error.message }
        let excerpt = body.withBytes { bytes in
            ErrorExcerpt(api.definition.redaction).text(
                ofBroken: Array(bytes.prefix(ErrorExcerpt.readBytesMax)))
        }
        return error.message + (excerpt.map { ": \($0)" } ?? "")
    }

    /// Returns the error of the API that a body tells in place of objects; `nil` if it tells none.
    private func apiFailure(_ body: Body) -> Failure? {
        let type = order.mediaType
        let error = APIError(
            body: body, mediaType: type, api.definition.errors,
            read: { APIError.json($0, contentType: type) })
        guard error.isFound else { return nil }
        var message = "the body tells an error"
        if let summary = error.summary { message += ": \(summary)" }
        if let code = error.code { message += " (API code \(code))" }
        var failure = Failure(.http, message, domain: .api)
        failure.httpStatus = error.status.flatMap { (100...599).contains($0) ? $0 : nil } ?? 0
        failure.apiCode = error.code
        failure.apiMessage = error.message
        failure.details = error.details
        return located(failure)
    }

    // MARK: Rules

    private func plan() throws(Failure) -> MappingPlan {
        let definition = api.definition
        switch order.rules {
        case .entity(let name, let keyPath):
            let union = definition.union(named: name)
            let entity =
                if let union {
                    context.api.entities(at: union.members)[0]
                } else {
                    try context.api.entity(named: name)
                }
            guard let mapping = definition.mapping(named: entity.name) else {
                throw Failure(.unknownEntity, "there is no entity \"\(name)\"", field: name)
            }
            let place = keyPath.isEmpty ? mapping.usualKeyPath : keyPath
            let descriptor = ResponseDescriptor(
                keyPath: place, mapping: mapping, isRequired: !place.isEmpty,
                union: union ?? mapping.resource)
            return MappingPlan(
                [descriptor], entities: definition.entityMappings,
                transforms: definition.functions.transforms, included: definition.included)
        case .route(let name):
            let route = try definition.routes.existing(name)
            let method = route.methods.first(where: \.answersWithObjects) ?? .get
            let choice = DescriptorChoice(route: route, path: nil)
            let plan = api.plan(
                method: method, status: 200, choice, mediaType: order.mediaType)
            guard let plan else {
                throw Failure(
                    .invalidArgument,
                    "route \"\(name)\" has no descriptor for status 200 and its media type",
                    field: "route")
            }
            return plan
        }
    }

    private func mapper() throws(Failure) -> any Mapper {
        let mapper = context.mappers.mapper(
            named: order.mapper, type: order.mediaType, looksLikeJSON: false)
        if let mapper { return mapper }
        if let name = order.mapper {
            throw Failure(
                .invalidArgument, "no data mapper is called \"\(name)\"", field: "mapper")
        }
        throw Failure(
            .invalidArgument, "no data mapper reads \"\(order.mediaType)\"", field: "media_type")
    }

    // MARK: Progress

    /// Returns the function that the machine asks for each object.
    private func isCancelled(_ progress: MappingProgress) -> @Sendable () -> Bool {
        let count = ObjectCount()
        return {
            let number = count.next()
            guard number == 1 || number % Self.objectsOfAReport == 0 else { return false }
            return !goesOn(progress)
        }
    }

    private func goesOn(_ progress: MappingProgress) -> Bool {
        if context.isClosed { return false }
        guard let progressed = order.progressed else { return true }
        return CallbackScope.run { progressed(progress.objectsDone, progress.objectsTotal) }
    }

    /// Why the mapping does not go on.
    private var stopped: Failure {
        context.isClosed ? .closed : failure(.cancelled, "cancelled while mapping")
    }

    // MARK: The result

    private func refuseIssues(_ result: MappingResult) throws(Failure) {
        guard context.options.isMappingStrict, result.issueCount > 0 else { return }
        var strict = Failure(
            .mapping, details: result.issues.map { .init(path: $0.keyPath, message: $0.reason) })
        strict.message = "\(order.description): \(strict.message)"
        strict.cause = result.issueCause
        throw strict
    }

    private func askHooks(_ plan: MappingPlan, _ result: inout MappingResult) throws(Failure) {
        do throws(Failure) {
            try plan.askHooks(api.definition.functions.hooks, &result) { context.isClosed }
        } catch {
            guard error.isOfProgram else { throw stopped }
            throw located(error)
        }
    }

    private func commit(
        _ result: inout MappingResult, _ body: Body, isJSON: Bool
    ) throws(Failure) -> (Response, ObservedStore) {
        var store = context.store
        if order.makesSnapshots {
            store = ObservedStore(
                MemoryStore(), clock: context.clock, timers: context.timers)
        }
        let commit: Commit
        do throws(Failure) {
            commit = try store.commit(result.takeChangeSet())
        } catch {
            throw located(error)
        }
        var answer = Answer(nothingFrom: "")
        answer.bodyPlace = .memory(body)
        var mapped = MappedAnswer(answer)
        mapped.isMapped = true
        mapped.bodyIsJSON = isJSON
        (mapped.objects, mapped.results) = result.objects(of: commit)
        mapped.parsed = ParsedValue(result)
        mapped.issues = result.issues
        mapped.issueCount = result.issueCount
        return (Response(mapped), store)
    }

    private func failure(_ error: MappingFailure, of mapper: any Mapper) -> Failure {
        switch error {
        case .cancelled: return stopped
        case .tooManyObjects:
            return located(Failure(.tooLarge, error.message, domain: .mapping))
        case .tooDeep: return failure(.mapping, error.message)
        case .missing(let keyPath):
            var failure = failure(.mapping, error.message)
            failure.field = keyPath
            return failure
        case .brokenEvents(_, let place):
            var failure = failure(.plugin, "\(mapper.title) \(error.message)")
            failure.field = place
            return failure
        }
    }

    private func failure(_ reason: Failure.Reason, _ why: String) -> Failure {
        located(Failure(reason, why))
    }

    private func located(_ failure: Failure) -> Failure {
        var failure = failure
        failure.message = "\(order.description): \(failure.message)"
        return failure
    }
}

/// Counts the objects of one mapping.
private final class ObjectCount: Sendable {
    private let count = Atomic<Int>(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
