package import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRouting
import RestwayText

/// Makes the claims of requests that may be stored.
extension Outbox {
    package func identities() -> any LocalIdentities {
        RequestIdentities(self)
    }
}

extension RequestIdentities {
    func claim(
        _ request: StorableRequest, _ api: LoadedAPI, idempotencyKey: String?
    ) -> (any StorageClaim)? {
        guard let uri = outbox.around.baseURL.uri(of: request.destination.url) else { return nil }
        return Claiming(outbox: outbox, identities: self, api: api, request: request)
            .claim(uri, idempotencyKey: idempotencyKey ?? IdempotencyKey.random.text)
    }
}

/// Finds out what the outbox must know about one request.
private struct Claiming {
    let outbox: Outbox
    let identities: RequestIdentities
    let api: LoadedAPI
    let request: StorableRequest

    func claim(_ uri: String, idempotencyKey: String) -> OutboxClaim {
        let own = ownHeaders()
        let local = request.submission.flatMap(localID)
        let (lane, formerLane) = lanes(local)
        return OutboxClaim(
            outbox, lane: lane, formerLane: formerLane, idempotencyKey: idempotencyKey, uri: uri,
            headers: own.headers, places: identities.places(path: uri, body: request.body),
            context: OutboxContext(without: own.without, auth: request.spec.authMode),
            creates: creates ? local : nil, local: local,
            deferred: identities.missing == nil ? nil : request.spec,
            retry: request.retry)
    }

    /// Whether the request creates the object that it is about. A POST to a path that names the
    /// object is about an object that exists, or that another request creates.
    private var creates: Bool {
        guard request.destination.method == .post else { return false }
        let key = request.submission?.subject.storeKey ?? 0
        return key == 0 || !identities.isInPath(key)
    }

    /// Returns the headers of the request and its route, and the names of the headers that the
    /// request leaves out.
    private func ownHeaders() -> (headers: [HeaderField], without: [String]) {
        var headers = Headers()
        for line in request.settings.headers { headers.set(line.name, line.value) }
        if let mediaType = request.mediaType { headers.set("Content-Type", mediaType) }
        var without: [String] = []
        for (name, value) in request.spec.headers {
            if let value {
                headers.set(name, value)
            } else {
                headers.remove(name)
                without.append(name)
            }
        }
        headers.remove(IdempotencyKey.headerName)
        headers.fields.removeAll { outbox.secrets.contains($0) }
        return (headers.fields, without)
    }

    /// Returns the local identity of an object that the server has not named. A request that may
    /// create an object without one makes it up; the call that sends the request notes it
    /// (`OutboxClaim.adopt`).
    private func localID(of submission: Submission) -> LocalID? {
        guard submission.identity == nil, submission.entity.identityIndex != nil else { return nil }
        let known = outbox.ledger.local(submission.entity, submission.subject.storeKey)
        return known ?? (request.destination.method == .post ? LocalID.random() : nil)
    }

    /// Returns the lane of the request, and the lane that it had before the server named the
    /// object.
    private func lanes(_ local: LocalID?) -> (Lane, former: Lane?) {
        let (submission, destination) = (request.submission, request.destination)
        if let name = request.spec.lane { return (Lane(named: name), nil) }
        if let submission {
            let (entity, key) = (submission.entity, submission.subject.storeKey)
            // The sent object may be older than the identity that it has by now.
            let newest = local == nil ? nil : try? outbox.around.store.newest(entity, storeKey: key)
            if let identity = submission.identity ?? newest?.identity {
                let former = local ?? outbox.ledger.local(entity, key)
                return (Lane(of: entity, identity), former.map { Lane($0) })
            }
        }
        if let local { return (Lane(local), nil) }
        let path = destination.path ?? ""
        let targets = api.targets(destination.method, path, destination.route).all
        guard submission == nil, let target = targets.first else { return (Lane(path: path), nil) }
        let object = try? outbox.around.store.object(target.entity, target.identity)
        let former = object.flatMap { outbox.ledger.local(target.entity, $0.storeKey) }
        return (Lane(of: target.entity, target.identity), former.map { Lane($0) })
    }
}

/// An item of the outbox that is to be sent.
struct ItemToSend: StoredItem {
    let item: OutboxItem
    let ledger: IdentityLedger

    func prepare(
        _ spec: RequestSpec, by preparation: RequestPreparation
    ) throws -> PreparedRequest {
        let (entry, api) = (item.entry, preparation.api)
        guard let method = Method(token: entry.method) else {
            throw Failure(.outbox, "the stored method \"\(entry.method)\" is unknown")
        }
        let context = OutboxContext(entry.context)
        let base = preparation.context.environment.baseURL
        let url = try base.url(path: entry.path)
        let path = base.relativePath(of: url)
        let route = entry.route.flatMap(api.definition.routes.route(key:))
        let settings = route.map { api.definition.settings(of: $0) } ?? .none
        var own = spec
        own.headers = entry.headers.map { ($0.name, $0.value) }
        own.headers += context.without.map { ($0, nil) }
        own.headers.append((IdempotencyKey.headerName, entry.idempotencyKey))
        var plain = RouteSettings.none
        plain.dataMapper = settings.dataMapper
        let submission = try submission(api, preparation.context.store)
        var deletions = submission?.deletion.map { [$0] } ?? []
        if method == .delete, submission == nil, let path {
            deletions = api.targets(.delete, path, route).deletions
        }
        return PreparedRequest(
            exchange: Exchange(
                method: entry.method, url: url,
                headers: preparation.headers(own, plain, isTrusted: path != nil, mediaType: nil),
                body: entry.body.map { .bytes($0) } ?? .none,
                timeouts: preparation.timeouts(spec, settings),
                usesCookies: preparation.context.options.usesCookies),
            method: method, path: path, route: route, dataMapper: settings.dataMapper,
            transport: preparation.transport(of: settings), isTrusted: path != nil,
            submission: submission, deletions: method == .delete ? deletions : [],
            sending: SendingRules(auth: context.auth ?? settings.auth ?? .full),
            isInBatch: spec.isInBatch, isFromOutbox: true)
    }

    /// Returns the present object that a stored request is about, and the objects that were written
    /// inside it; `nil` if the object has gone and nothing was written inside.
    private func submission(
        _ api: LoadedAPI, _ store: ObservedStore
    ) throws(Failure) -> Submission? {
        let entry = item.entry
        guard let name = entry.entity, let entity = api.definition.mappings[name]?.entity
        else { return nil }
        let key = ledger.storeKey(entry)
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
