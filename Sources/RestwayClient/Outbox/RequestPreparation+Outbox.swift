import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayRouting

/// Requests that may be stored, and those that were.
extension RequestPreparation {
    /// What the outbox has to know of a request; `nil` when it is never stored. Gives it the key
    /// that all of its attempts have.
    func claim(
        _ spec: RequestSpec, _ destination: Destination, _ settings: RouteSettings,
        _ submission: Submission?, _ sending: SendingRules, mediaType: String?,
        _ headers: inout [HeaderField]
    ) -> OutboxClaim? {
        guard let box = client.outbox, let outbox = api.definition.outbox, spec.body?.reader == nil,
            let path = destination.path,
            outbox.mayStore(
                destination.method, path,
                route: destination.route == nil
                    ? api.definition.mayBeStored(destination.method, path) : settings.mayBeStored),
            let uri = client.environment.baseURL.uri(of: destination.url)
        else { return nil }
        let given = headers.first { $0.isNamed(IdempotencyKey.headerName) }?.value
        let key = given ?? IdempotencyKey.random.text
        if given == nil { headers.set(IdempotencyKey.headerName, key) }
        let own = ownHeaders(spec, settings, mediaType, box.secrets)
        let local = submission.flatMap { localID(of: $0, destination.method, box) }
        let (lane, formerLane) = lanes(spec, destination, submission, local, box)
        return OutboxClaim(
            lane: lane, formerLane: formerLane,
            idempotencyKey: key, uri: uri, headers: own.headers,
            context: OutboxContext(without: own.without, auth: spec.authMode),
            creates: destination.method == .post ? local : nil, local: local,
            deferred: standIns?.used == nil ? nil : spec,
            statuses: outbox.statuses, retry: sending.retry)
    }

    /// The headers of the request and its route, and those that it goes out without.
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

    /// What an object is called that the server has not named.
    private func localID(
        of submission: Submission, _ method: Method, _ outbox: Outbox
    ) -> LocalID? {
        guard submission.identity == nil, submission.entity.identityIndex != nil else { return nil }
        let key = submission.subject.storeKey
        if key != 0, let known = outbox.local(submission.entity, key) { return known }
        guard method == .post else { return nil }
        let local = LocalID.random()
        if key != 0 { outbox.name(submission.entity, key, local) }
        return local
    }

    /// Its lane, and what that was as long as the server had not named the object.
    private func lanes(
        _ spec: RequestSpec, _ destination: Destination, _ submission: Submission?,
        _ local: LocalID?, _ outbox: Outbox
    ) -> (Lane, former: Lane?) {
        if let name = spec.lane { return (Lane(named: name), nil) }
        if let submission {
            let (entity, key) = (submission.entity, submission.subject.storeKey)
            // What was sent may be older than its object's identity.
            let newest = local == nil ? nil : try? client.store.newest(entity, storeKey: key)
            if let identity = submission.identity ?? newest?.identity {
                let former = local ?? outbox.local(entity, key)
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
        let former = object.flatMap { outbox.local(target.entity, $0.storeKey) }
        return (Lane(of: target.entity, target.identity), former.map { Lane($0) })
    }

    // MARK: From the outbox

    /// What was stored, as it goes out now: with the document's present headers.
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
        let route = entry.route.flatMap { key in
            api.definition.routes.all.first { $0.key == key }
        }
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
            method: method, path: path, routeName: entry.route, dataMapper: settings.dataMapper,
            transport: client.transports.index(settings.transport), isTrusted: path != nil,
            submission: submission, deletions: method == .delete ? deletions : [],
            sending: SendingRules(auth: context.auth ?? settings.auth ?? .full),
            travelsInBatch: spec.travelsInBatch, isFromOutbox: true)
    }

    /// The object that a stored request is about, as it is now, and what was written inside of it;
    /// `nil` when it is gone, and nothing was.
    private func stored(_ entry: OutboxEntry) throws(Failure) -> Submission? {
        guard let name = entry.entity, let outbox = client.outbox,
            let entity = api.definition.mappings[name]?.entity
        else { return nil }
        let (key, store) = (outbox.storeKey(entry), client.store)
        let objects = outbox.objects(entry)
        let sent = objects.renewed(
            key == nil
                ? nil : { entity, key in (try? store.newest(entity, storeKey: key))?.identity })
        if let key, let object = try store.newest(entity, storeKey: key) {
            return Submission(subject: .object(object), sent: sent)
        }
        guard !sent.isEmpty else { return nil }
        // The others are still to become those of the answer, and who waits for them to be told.
        return Submission(subject: .object(Snapshot.make(entity, [])), sent: sent)
    }
}

extension Lane {
    /// Of an object: an identity that looks like a number is one, whoever names it.
    init(of entity: Entity, _ identity: Identity) {
        guard case .string(let text) = identity, let integer = Int64(text), String(integer) == text
        else {
            self.init(entity: entity.name, identity)
            return
        }
        self.init(entity: entity.name, .integer(integer))
    }
}
