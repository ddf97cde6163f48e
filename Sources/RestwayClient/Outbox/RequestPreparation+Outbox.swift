import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayRouting
import RestwayText

/// Prepares requests that may be stored, and requests that were stored.
extension RequestPreparation {
    /// Returns what the outbox must know about a request; `nil` if the request is never stored. It
    /// gives the request the idempotency key that all its attempts share.
    func claim(
        _ spec: RequestSpec, _ destination: Destination, _ settings: RouteSettings,
        _ submission: Submission?, _ sending: SendingRules, mediaType: String?,
        _ body: ExchangeBody, _ headers: inout [HeaderField]
    ) -> OutboxClaim? {
        guard let box = client.outbox, isStorable(spec, destination, settings),
            let uri = client.environment.baseURL.uri(of: destination.url)
        else { return nil }
        let given = headers.first { $0.isNamed(IdempotencyKey.headerName) }?.value
        let key = given ?? IdempotencyKey.random.text
        if given == nil { headers.set(IdempotencyKey.headerName, key) }
        let own = ownHeaders(spec, settings, mediaType, box.secrets)
        let local = submission.flatMap { localID(of: $0, destination.method, box.ledger) }
        let (lane, formerLane) = lanes(spec, destination, submission, local, box.ledger)
        return OutboxClaim(
            lane: lane, formerLane: formerLane,
            idempotencyKey: key, uri: uri, headers: own.headers,
            places: identities?.places(path: uri, body: body) ?? [],
            context: OutboxContext(without: own.without, auth: spec.authMode),
            creates: creates(destination.method, submission) ? local : nil, local: local,
            deferred: identities?.missing == nil ? nil : spec,
            statuses: box.definition.statuses, retry: sending.retry)
    }

    /// Whether the outbox may keep the request.
    func isStorable(
        _ spec: RequestSpec, _ destination: Destination, _ settings: RouteSettings
    ) -> Bool {
        guard let outbox = client.outbox, spec.body?.reader == nil, let path = destination.path
        else { return false }
        return outbox.definition.mayStore(
            destination.method, path,
            route: destination.route == nil
                ? api.definition.mayBeStored(destination.method, path) : settings.mayBeStored)
    }

    /// Whether the request creates the object that it is about. A POST to a path that names the
    /// object is about an object that exists, or that another request creates.
    private func creates(_ method: Method, _ submission: Submission?) -> Bool {
        guard method == .post else { return false }
        let key = submission?.subject.storeKey ?? 0
        return key == 0 || !(identities?.isInPath(key) ?? false)
    }

    /// Returns the headers of the request and its route, and the names of the headers that the
    /// request leaves out.
    private func ownHeaders(
        _ spec: RequestSpec, _ settings: RouteSettings, _ mediaType: String?,
        _ secrets: StoredSecrets
    ) -> (headers: [HeaderField], without: [String]) {
        var headers = Headers()
        for line in settings.headers { headers.set(line.name, line.value) }
        if let mediaType { headers.set("Content-Type", mediaType) }
        var without: [String] = []
        for (name, value) in spec.headers {
            if let value {
                headers.set(name, value)
            } else {
                headers.remove(name)
                without.append(name)
            }
        }
        headers.remove(IdempotencyKey.headerName)
        headers.fields.removeAll { secrets.contains($0) }
        return (headers.fields, without)
    }

    /// Returns the local identity of an object that the server has not named. A request that may
    /// create an object without one makes it up; the call that sends the request notes it
    /// (`Outbox.adopt`).
    private func localID(
        of submission: Submission, _ method: Method, _ ledger: IdentityLedger
    ) -> LocalID? {
        guard submission.identity == nil, submission.entity.identityIndex != nil else { return nil }
        let known = ledger.local(submission.entity, submission.subject.storeKey)
        return known ?? (method == .post ? LocalID.random() : nil)
    }

    /// Returns the lane of the request, and the lane that it had before the server named the
    /// object.
    private func lanes(
        _ spec: RequestSpec, _ destination: Destination, _ submission: Submission?,
        _ local: LocalID?, _ ledger: IdentityLedger
    ) -> (Lane, former: Lane?) {
        if let name = spec.lane { return (Lane(named: name), nil) }
        if let submission {
            let (entity, key) = (submission.entity, submission.subject.storeKey)
            // The sent object may be older than the identity that it has by now.
            let newest = local == nil ? nil : try? client.store.newest(entity, storeKey: key)
            if let identity = submission.identity ?? newest?.identity {
                let former = local ?? ledger.local(entity, key)
                return (Lane(of: entity, identity), former.map { Lane($0) })
            }
        }
        if let local { return (Lane(local), nil) }
        let path = destination.path ?? ""
        let targets = PathTargets(
            definition: api.definition, method: destination.method, path: path,
            route: destination.route
        ).all
        guard submission == nil, let target = targets.first else { return (Lane(path: path), nil) }
        let object = try? client.store.object(target.entity, target.identity)
        let former = object.flatMap { ledger.local(target.entity, $0.storeKey) }
        return (Lane(of: target.entity, target.identity), former.map { Lane($0) })
    }

    // MARK: From the outbox

    /// Prepares a stored request for sending now, with the present headers of the document.
    func restored(
        _ item: OutboxItem, _ spec: RequestSpec
    ) throws -> PreparedRequest {
        let entry = item.entry
        guard let method = Method(token: entry.method) else {
            throw Failure(.outbox, "the stored method \"\(entry.method)\" is unknown")
        }
        let context = OutboxContext(entry.context)
        let url = try client.environment.baseURL.url(path: entry.path)
        let path = client.environment.baseURL.relativePath(of: url)
        let route = entry.route.flatMap(api.definition.routes.route(key:))
        let settings = route.map { api.definition.settings(of: $0) } ?? RouteSettings()
        var own = spec
        own.headers = entry.headers.map { ($0.name, $0.value) }
        own.headers += context.without.map { ($0, nil) }
        own.headers.append((IdempotencyKey.headerName, entry.idempotencyKey))
        var plain = RouteSettings()
        plain.dataMapper = settings.dataMapper
        let submission = try stored(entry)
        var deletions = submission?.deletion.map { [$0] } ?? []
        if method == .delete, submission == nil, let path {
            deletions =
                PathTargets(
                    definition: api.definition, method: .delete, path: path, route: route
                ).deletions
        }
        return PreparedRequest(
            exchange: Exchange(
                method: entry.method, url: url,
                headers: headers(own, plain, isTrusted: path != nil, mediaType: nil),
                body: entry.body.map { .bytes($0) } ?? .none, timeouts: timeouts(spec, settings),
                usesCookies: client.options.usesCookies),
            method: method, path: path, route: route, dataMapper: settings.dataMapper,
            transport: client.transports.index(settings.transport), isTrusted: path != nil,
            submission: submission, deletions: method == .delete ? deletions : [],
            sending: SendingRules(auth: context.auth ?? settings.auth ?? .full),
            travelsInBatch: spec.travelsInBatch, isFromOutbox: true)
    }

    /// Returns the present object that a stored request is about, and the objects that were written
    /// inside it; `nil` if the object has gone and nothing was written inside.
    private func stored(_ entry: OutboxEntry) throws(Failure) -> Submission? {
        guard let name = entry.entity, let ledger = client.outbox?.ledger,
            let entity = api.definition.mappings[name]?.entity
        else { return nil }
        let (key, store) = (ledger.storeKey(entry), client.store)
        let objects = ledger.objects(entry)
        let sent = objects.renewed(
            key == nil
                ? nil : { entity, key in (try? store.newest(entity, storeKey: key))?.identity })
        if let key, let object = try store.newest(entity, storeKey: key) {
            return Submission(subject: .object(object), sent: sent)
        }
        guard !sent.isEmpty else { return nil }
        // The inner objects still have to be matched with the answer, and their drafts told.
        return Submission(subject: .object(Snapshot.make(entity, [])), sent: sent)
    }
}

extension Lane {
    /// Makes the lane of an object. An identity that looks like a number is a number, so that all
    /// senders agree.
    init(of entity: Entity, _ identity: Identity) {
        guard case .string(let text) = identity, let integer = Int64(text), String(integer) == text
        else {
            self.init(entity: entity.name, identity)
            return
        }
        self.init(entity: entity.name, .integer(integer))
    }
}
