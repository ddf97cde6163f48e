import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting

/// Finds out which version of an object an answer states.
extension ResponseProcessor {
    /// Adds the version of the one object that an answer is about to its changes. The answer to a
    /// list states no version of its objects, except in their attributes.
    func takeVersion(
        of result: MappingResult?, _ answer: Answer, _ changes: inout ChangeSet
    ) {
        if let result, !result.results.joined().isEmpty {
            guard !result.hasLists,
                let row = result.onlyObject(like: request.submission?.entity, among: changes.rows),
                changes.rows[row].entity.version != nil, statesVersion(answer),
                let version = version(in: answer, of: changes.rows[row])
            else { return }
            changes.versions[row] = version
        } else if let submission = request.submission, submission.entity.version != nil,
            hasSentValues, statesVersion(answer),
            let version = version(in: answer, of: submission.entity)
        {
            let key = submission.subject.storeKey
            if key != 0 { changes.versionsOfDelivered[key] = version }
        }
    }

    /// Returns the version that an answer without content states for an object that no store knew
    /// when it was sent; `nil` for any other answer.
    func versionOfNew(_ result: MappingResult?, _ answer: Answer) -> ObjectVersion? {
        guard let submission = request.submission, submission.entity.version != nil,
            submission.subject.storeKey == 0, hasSentValues,
            result?.results.joined().isEmpty ?? true, statesVersion(answer)
        else { return nil }
        return version(in: answer, of: submission.entity)
    }

    /// Keeps the version of an object that the store has just taken for the first time.
    func keep(
        _ version: ObjectVersion, of object: Snapshot, _ answer: Answer
    ) throws(Failure) {
        var changes = ChangeSet()
        changes.answers = [.init(storeKey: object.storeKey, entity: object.entity, row: nil)]
        changes.versionsOfDelivered[object.storeKey] = version
        _ = try commit(changes, answer)
    }

    /// Whether the answer states the version of the values that it brings, or that were sent.
    ///
    /// The answer to an unconditional PATCH or PUT does not: another client may have changed other
    /// attributes before it, which the answer need not have. Behind a 303 stands another resource.
    private func statesVersion(_ answer: Answer) -> Bool {
        guard answer.failure == nil, answer.isSuccess, ![202, 206].contains(answer.status),
            request.exchange.method == request.method.rawValue,
            call.api.relationship(request.method, request.descriptorChoice) == nil
        else { return false }
        switch request.method {
        case .get, .post: return true
        case .patch, .put: return isBound
        default: return false
        }
    }

    /// Whether the server acts on the request only if its object has a certain version.
    private var isBound: Bool {
        request.versioned?.condition != nil
            || request.exchange.headers.contains { $0.isPrecondition && $0.value != "*" }
    }

    /// Whether the values of the object are known to be those that the request has sent.
    private var hasSentValues: Bool {
        request.isFromOutbox || request.submission?.sent.isEmpty == false
    }

    /// Returns the version of an object of `entity` in the headers of an answer.
    private func version(in answer: Answer, of entity: Entity) -> ObjectVersion? {
        switch entity.version?.source {
        case .entityTag: answer.headers[first: "ETag"].map { ObjectVersion($0) }
        case .lastModified: answer.headers[first: "Last-Modified"].map { ObjectVersion($0) }
        case .attribute, nil: nil
        }
    }

    /// Returns the version of the object of a row, which the headers or an attribute states.
    private func version(in answer: Answer, of row: Snapshot) -> ObjectVersion? {
        guard case .attribute(let index)? = row.entity.version?.source else {
            return version(in: answer, of: row.entity)
        }
        return row.value(at: index).versionText.map { ObjectVersion($0) }
    }

    // MARK: Conflicts

    /// Says what an answer that is no success means for the versions of the object.
    func versionFacts(_ answer: Answer, apiCode: String?) -> Failure.VersionFacts {
        var facts = Failure.VersionFacts()
        let rules = conflictRules
        let entity = versionedEntity
        facts.isOfVersioned = entity != nil
        facts.isOfVersionedChange =
            entity != nil && request.method != .delete && !answer.body.isPage(answer.headers)
        facts.namesConflict = rules.isConflict(status: answer.status, code: apiCode)
        facts.namesWork =
            answer.status == 409 && !rules.inProgressTypes.isEmpty
            && AnswerErrors(self).problemType(answer).map(rules.inProgressTypes.contains) == true
        return facts
    }

    /// Lets the store take the newest object from the answer to a conflict, if the route says that
    /// the answer has it. An answer that cannot be read brings nothing.
    ///
    /// - Returns: Whether the store has it.
    func takeNewest(from answer: Answer) -> Bool {
        guard case .body(let keyPath) = conflictRules.newest, let entity = versionedEntity,
            !answer.body.isEmpty, let mapping = call.api.definition.mapping(named: entity.name)
        else { return false }
        let definition = call.api.definition
        let descriptor = ResponseDescriptor(
            keyPath: keyPath, mapping: mapping, isRequired: true, union: mapping.resource)
        let plan = MappingPlan(
            [descriptor], entities: definition.entityMappings,
            transforms: definition.functions.transforms, included: definition.included)
        return (try? take(answer, plan, of: entity)) ?? false
    }

    private func take(
        _ answer: Answer, _ plan: MappingPlan, of entity: Entity
    ) throws -> Bool {
        guard let mapper = mapper(for: answer, looksLikeJSON: true) else { return false }
        let reading = BodyReading(
            mapper: mapper, limits: limits, contentType: answer.headers[first: "Content-Type"])
        var result = try reading.read(answer.body) { machine(plan, isAnswer: false) }.finish()
        RowCompletion.complete(&result, of: plan, from: source(of: answer, nil))
        let rows = result.changeSet.rows
        guard !result.hasLists, let row = result.onlyObject(like: entity, among: rows) else {
            return false
        }
        let (own, known) = (rows[row].identity, request.submission?.identity)
        // The answer may be about another object, which is in the way.
        guard own != nil || entity.isSingleton, own == known || known == nil else { return false }
        var changes = result.takeChangeSet(keepsResults: false)
        if let version = version(in: answer, of: changes.rows[row]) {
            changes.versions[row] = version
        }
        _ = try commit(changes, answer, since: call.moment)
        return true
    }

    private var conflictRules: ConflictSettings {
        call.api.definition.settings(of: request.destination.route).conflict
    }

    /// The entity of the one object that the request changes, if its versions are known.
    private var versionedEntity: Entity? {
        guard [.patch, .put, .delete].contains(request.method),
            let entity = request.submission?.entity, entity.version != nil,
            call.api.relationship(request.method, request.descriptorChoice) == nil
        else { return nil }
        return entity
    }
}
