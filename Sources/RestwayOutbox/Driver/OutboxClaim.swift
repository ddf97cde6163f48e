import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayText
import RestwayThreads

/// The lane in which a request waits for earlier requests about the same object.
struct ClaimedLane {
    let present: Lane
    /// The lane that the object had before the server named it. Requests stored there go out first,
    /// until the journal has moved them to `present`.
    let former: Lane?

    /// - Parameter local: The local identity of the object; `nil` if it never had one.
    init(_ present: Lane, before local: LocalID? = nil) {
        self.present = present
        // An object with an identity of the program has one lane from the start.
        former = local.flatMap { $0.isOfNamedObject ? nil : Lane($0) }
    }

    /// The lane in which calls wait for each other. It stays the same when the server names the
    /// object.
    var whileCalling: Lane { former ?? present }
}

/// The information that the outbox needs about a request that it may store.
///
/// It is a class because many functions pass it on without changing it.
final class OutboxClaim: StorageClaim {
    let outbox: Outbox
    let lane: ClaimedLane
    let idempotencyKey: String
    /// The part that is joined to the base URL, with its query.
    let uri: String
    /// The request's own headers. The journal leaves out credentials.
    let headers: [HeaderField]
    /// The places of local identities in the URI and in the body.
    let places: [LocalIDPlace]
    let context: OutboxContext
    /// The local identity of the object that the request creates.
    let creates: LocalID?
    /// The local identity of the object that the request is about.
    let local: LocalID?
    /// The objects that stored requests create and whose identities this request holds. It is sent
    /// after those requests.
    let awaits: [LocalID]
    /// The specification of a request about objects that the server has not named yet. The request
    /// cannot be sent as it is; when its turn comes, it is prepared again from this specification.
    /// `nil` for other requests.
    let deferred: RequestSpec?
    /// The user in whose name the request was made.
    let owner: ItemOwner
    /// The retry policy of the route or the client, which would have tried the request again.
    let retry: RetryPolicy?
    let isStoredFirst: Bool
    /// The specification of a request whose call may wait for the answer of its item; `nil` for
    /// other requests.
    let followed: RequestSpec?

    /// Returns `nil` if the request holds local identities that cannot be replaced later.
    init?(
        _ request: StorableRequest, _ identities: RequestIdentities, _ api: LoadedAPI, uri: String,
        idempotencyKey: String
    ) {
        let own = request.ownHeaders(api.definition.redaction)
        guard !identities.lacksSeveralParts,
            let places = identities.places(path: uri, request, own.headers)
        else { return nil }
        self.places = places
        outbox = identities.outbox
        self.uri = uri
        self.idempotencyKey = idempotencyKey
        headers = own.headers
        context = OutboxContext(
            without: own.without, auth: request.spec.sending.authMode,
            isWritten: request.isOfOneDraft)
        local = request.localID(identities)
        creates = request.creates(identities) ? local : nil
        awaits = identities.awaited(with: request.named(identities))
        lane = request.lane(local, identities.outbox, api)
        deferred = identities.missing == nil ? nil : request.spec
        retry = request.retry
        isStoredFirst = request.isStoredFirst
        followed =
            request.isStoredFirst || request.content.versioned != nil ? request.spec : nil
        owner = identities.outbox.around.owner.now
    }

    func takes(_ failure: Failure) -> Bool {
        switch failure.reason.traits.storing {
        case .always: return true
        case .ifRetryable: return failure.isRetryable
        case .never: return false
        case .byRules:
            let wall = outbox.around.clock.wallMicroseconds()
            if failure.reason == .http, let stated = failure.statedRetryable { return stated }
            // The program can sign in and send the request again, so the call fails at once.
            if failure.meaning == .needsSignIn { return false }
            if outbox.flushing.rules.keeps(failure, wallMicroseconds: wall) == true { return true }
            let outcome = RetryOutcome(failure, wallMicroseconds: wall)
            return retry?.isTemporary(outcome) ?? false
        }
    }
}

// How a call passes its lane, and how its request is stored.
extension OutboxClaim {
    /// Notes the local identity of the object that a call is about to create, so that requests
    /// about the object can be made before the server has named it.
    func adopt(_ request: PreparedRequest) {
        guard let local, !local.isOfNamedObject, let submission = request.submission,
            request.method == .post
        else { return }
        let key = submission.subject.storeKey
        if outbox.identityTable.local(submission.entity, key) == nil {
            outbox.identityTable.name(key, local)
        }
    }

    func show(_ request: PreparedRequest) throws(Failure) -> OptimisticEdit {
        try outbox.changes.show(request)
    }

    func endShowing(_ edit: OptimisticEdit) { outbox.changes.endShowing(edit) }

    func enterLane(_ call: UInt64, go: @escaping @Sendable (Executor) -> Void) -> Bool {
        outbox.enter(lane, call, isStoredFirst: isStoredFirst, go: go)
    }

    func leaveLane(_ call: UInt64) { outbox.leave(lane, call) }

    private static let ruledOutReason = "the program says that the server cannot be reached"

    /// Returns why the request is stored without asking the file about other requests; `nil` if the
    /// file has to be asked. The calling thread does not wait for the file.
    func reasonToStoreAtOnce(_ request: PreparedRequest) -> String? {
        guard outbox.around.reachability.isRuledOut, deferred == nil, lane.former == nil,
            request.submission == nil, outbox.journal.hasRoom
        else { return nil }
        return Self.ruledOutReason
    }

    func reasonToStore() throws(Failure) -> String? {
        if outbox.isBeingClosed { return Failure.closed.message }
        if outbox.around.reachability.isRuledOut { return Self.ruledOutReason }
        if deferred != nil { return "it is about an object that the server has not named" }
        for local in awaits where try outbox.isToBeCreated(local) {
            return "a stored request creates an object whose identity it has"
        }
        return try outbox.isHeld(lane) ? "other requests of its lane wait before it" : nil
    }

    func beginStoring(if judge: () -> Bool) -> Bool {
        // The request is counted before the call enters the stage `store`, so that a close of the
        // client waits for requests that are being stored.
        outbox.entering.enter()
        let isTaken = judge()
        if !isTaken { outbox.entering.leave() }
        return isTaken
    }

    func awaitTurn(_ call: UInt64, if isInLane: () -> Bool) {
        outbox.entering.awaitTurn(call, if: isInLane)
    }

    func store(_ order: StoringOrder, _ ended: @escaping @Sendable (StoringResult) -> Void) {
        outbox.store(order, self, ended)
    }

    /// Deletes an object that never left this machine, and its stored requests, without asking the
    /// server. Returns `nil` if the server may know the object.
    func withdraw(_ request: PreparedRequest) throws(Failure) -> Answer? {
        guard request.method == .delete, let local, try outbox.withdraw(local) else { return nil }
        if let submission = request.submission {
            var changes = ChangeSet(origin: .host)
            changes.deletions = [.object(submission.entity, storeKey: submission.subject.storeKey)]
            _ = try outbox.around.store.commit(changes)
        }
        return Answer(nothingFrom: request.exchange.url)
    }
}

/// The information that the client stores with a request to send it later in the same way as now.
struct OutboxContext: Sendable {
    /// Headers of the document and the environment that the request leaves out.
    var without: [String] = []
    /// The authentication mode that the request asked for.
    var auth: AuthMode?
    /// The text that identifies the store in memory to which the store key of the item belongs.
    /// Another store gives the same keys to other objects. `nil` for a store in a file.
    var life: String?
    /// Whether the library has written the body from one draft alone, so that it can write the body
    /// again from another state of the object.
    var isWritten = false
    /// The objects that were written whole in the request; see `StoredObjects`.
    var sent: JSONValue?
    /// The name of the part of the identity that the object lacked when the request was stored, if
    /// its identity has several parts; `nil` for any other object.
    var part: String?

    private static let modes: [(AuthMode, String)] = [
        (.full, "full"), (.bypass, "bypass"), (AuthMode.none, "none"),
    ]

    var bytes: [UInt8] {
        var members: [(key: String, value: JSONValue)] = []
        if !without.isEmpty {
            members.append(("without", .array(without.map { .string($0) })))
        }
        if let auth, let word = Self.modes.first(where: { $0.0 == auth })?.1 {
            members.append(("auth", .string(word)))
        }
        if let life { members.append(("life", .string(life))) }
        if isWritten { members.append(("written", .bool(true))) }
        if let sent { members.append(("sent", sent)) }
        if let part { members.append(("part", .string(part))) }
        return members.isEmpty ? [] : JSONValue.object(members).text()
    }
}

extension OutboxContext {
    init(_ bytes: [UInt8]) {
        self.init()
        guard !bytes.isEmpty, let value = try? bytes.withUnsafeBytes({ try JSONValue.parse($0) })
        else { return }
        without = value["without"]?.elements?.compactMap(\.string) ?? []
        let word = value["auth"]?.string
        auth = Self.modes.first { $0.1 == word }?.0
        life = value["life"]?.string
        isWritten = value["written"]?.bool ?? false
        sent = value["sent"]
        part = value["part"]?.string
    }
}

// MARK: Making claims

extension RequestIdentities {
    func claim(
        _ request: StorableRequest, _ api: LoadedAPI, idempotencyKey: String?
    ) -> (any StorageClaim)? {
        guard let uri = outbox.around.baseURL.uri(of: request.destination.url) else { return nil }
        return OutboxClaim(
            request, self, api, uri: uri,
            idempotencyKey: idempotencyKey ?? IdempotencyKey.random.text)
    }
}

extension StorableRequest {
    /// Whether the request creates the object that it is about. If the path names the object, it
    /// exists already, or another request creates it. A PUT, whose path the client chooses, creates
    /// the object unless another request creates it.
    fileprivate func creates(_ identities: RequestIdentities) -> Bool {
        guard let submission = content.submission else { return destination.method == .post }
        let (entity, key) = (submission.entity, submission.subject.storeKey)
        if let identity = submission.identity {
            return destination.method == .post && !names(identity, of: entity)
                && !identities.outbox.mayBeKnown(entity, identity)
        }
        if key != 0, identities.isInPath(key) { return false }
        switch destination.method {
        case .post: return true
        case .put: return key == 0 || identities.outbox.isNew(entity, key)
        default: return false
        }
    }

    /// Whether segments of the path are the identity, in the order of its parts.
    private func names(_ identity: Identity, of entity: Entity) -> Bool {
        let path = (destination.path ?? "").prefix { $0 != "?" && $0 != "#" }
        var rest = entity.texts(of: identity)[...]
        for segment in path.utf8.split(separator: UInt8(ascii: "/")) {
            guard let text = rest.first else { break }
            if PercentEncoding.decode(Array(segment)[...]).bytes == Array(text.utf8) {
                rest.removeFirst()
            }
        }
        return rest.isEmpty
    }

    /// Whether the body was written from one draft, and has nothing else from the program.
    fileprivate var isOfOneDraft: Bool {
        guard let submission = content.submission, case .draft(let draft) = submission.subject
        else { return false }
        let given = spec.given
        return submission.sent.count == 1 && draft.members.count == 1 && spec.parameters.isEmpty
            && given.body == nil && given.files.isEmpty && given.serialization == nil
    }

    /// Returns the headers of the request, its route and the client, and the names of the headers
    /// that the request leaves out.
    fileprivate func ownHeaders(
        _ redaction: Redaction
    ) -> (headers: [HeaderField], without: [String]) {
        // A secret of the client is not written into the file.
        let ofClient = spec.clientHeaders?.filter { !redaction.isSecret($0.name) }
        var headers = Headers(ofClient ?? [])
        for line in settings.headers { headers.set(line.name, line.value) }
        if let mediaType = content.mediaType { headers.set("Content-Type", mediaType) }
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
        return (headers.fields, without)
    }

    /// Returns the local identity of the object, if the server has not named the object or does not
    /// have it. If this request creates the object, the result may be a new local identity, which
    /// the call that sends the request notes (`OutboxClaim.adopt`).
    fileprivate func localID(_ identities: RequestIdentities) -> LocalID? {
        guard let submission = content.submission, submission.entity.identityIndex != nil,
            !submission.entity.isSingleton
        else { return nil }
        let known =
            submission.identity == nil
            ? identities.outbox.identityTable.local(submission.entity, submission.subject.storeKey)
            : named(identities)
        guard known == nil, creates(identities) else { return known }
        return LocalID.random(ofNamed: submission.identity != nil)
    }

    /// Returns the local identity of the object that the request is about, if the program has given
    /// the object its identity and a stored request creates it.
    fileprivate func named(_ identities: RequestIdentities) -> LocalID? {
        guard let submission = content.submission, let identity = submission.identity,
            !identities.outbox.journal.isEmpty
        else { return nil }
        var key = submission.subject.storeKey
        // The request may be about another draft of the object, which has no store key.
        if key == 0 {
            let object = try? identities.outbox.around.store.object(submission.entity, identity)
            key = object?.storeKey ?? 0
        }
        return identities.outbox.identityTable.awaited(submission.entity, key)
    }

    fileprivate func lane(_ local: LocalID?, _ outbox: Outbox, _ api: LoadedAPI) -> ClaimedLane {
        if let name = spec.sending.lane { return ClaimedLane(Lane(named: name)) }
        let identityTable = outbox.identityTable
        if let submission = content.submission {
            let (entity, key) = (submission.entity, submission.subject.storeKey)
            // The sent object may be older than the identity that it has by now.
            let newest = local == nil ? nil : try? outbox.around.store.newest(entity, storeKey: key)
            if let identity = submission.identity ?? newest?.identity {
                return ClaimedLane(
                    Lane(of: entity, identity), before: local ?? identityTable.local(entity, key))
            }
            // The new local identity of a PUT is noted only when the request is stored, so other
            // calls do not know it yet.
            if destination.method == .put, identityTable.local(entity, key) == nil {
                return ClaimedLane(Lane(path: destination.path ?? ""))
            }
        }
        if let local { return ClaimedLane(Lane(local)) }
        let path = destination.path ?? ""
        let targets = api.targets(destination.method, path, destination.route).all
        guard content.submission == nil, let target = targets.first else {
            return ClaimedLane(Lane(path: path))
        }
        let object = try? outbox.around.store.object(target.entity, target.identity)
        return ClaimedLane(
            Lane(of: target.entity, target.identity),
            before: object.flatMap { identityTable.local(target.entity, $0.storeKey) })
    }
}

/// An item of the outbox that is to be sent.
struct ItemToSend: StoredItem {
    let item: OutboxItem
    let identityTable: LocalIdentityTable
    /// Whether the item may be sent with the credential of the present user.
    let mayGo: @Sendable () -> Bool

    func prepare(
        _ spec: RequestSpec, by preparation: RequestPreparation
    ) throws -> PreparedRequest {
        let (entry, api) = (item.entry, preparation.api)
        guard let method = Method(token: entry.method) else {
            throw Failure(.outbox, "the stored method \"\(entry.method)\" is unknown")
        }
        let context = OutboxContext(entry.origin.context)
        let base = preparation.context.environment.baseURL
        let url = try base.url(path: entry.path)
        let path = base.relativePath(of: url)
        let route = entry.origin.route.flatMap(api.definition.routes.route(key:))
        let settings = api.definition.settings(of: route)
        var own = spec
        own.headers = entry.headers.map { ($0.name, $0.value) }
        own.headers += context.without.map { ($0, nil) }
        own.headers.append((IdempotencyKey.headerName, entry.idempotencyKey))
        // The item has all other headers of the client, as they were when the request started.
        let redaction = api.definition.redaction
        own.clientHeaders = spec.clientHeaders?.filter { redaction.isSecret($0.name) }
        // The item has the headers of its route already. It accepts the same media types as a
        // request that is sent at once.
        let plain = RouteSettings(dataMapper: settings.dataMapper, body: settings.body)
        let submission = try submission(api, preparation.context.store)
        var deletions = submission?.deletion.map { [$0] } ?? []
        if method == .delete, submission == nil, let path {
            deletions = api.targets(.delete, path, route).deletions
        }
        if method != .delete {
            deletions = try identityTable.replaced(by: item.id).map { object in
                .object(object.entity, storeKey: object.storeKey)
            }
        }
        let destination = RequestDestination(
            method: method, url: url, path: path, route: route)
        var sending = SendingRules(
            auth: context.auth ?? settings.auth ?? .full,
            transport: preparation.transport(of: settings), isTrusted: destination.isTrusted,
            batchRole: spec.batchRole)
        if let name = api.definition.auth.header,
            own.clientHeaders?.contains(where: { $0.isNamed(name) }) == true
        {
            sending.auth = .none
        }
        sending.mayGo = mayGo
        sending.caching = preparation.caching(
            settings.cache, spec.reception.caching, destination, sending, .memory)
        let content = RequestContent(
            headers: preparation.headers(own, plain, isTrusted: destination.isTrusted),
            body: entry.body.map { .bytes($0) } ?? .none, submission: submission)
        return preparation.request(
            spec, destination, content, sending, settings,
            answers: api.definition.answerRules(of: route), deletions: deletions,
            isFromOutbox: true, edit: identityTable.edit(of: item))
    }

    /// Returns the present object that a stored request is about, and the objects that were written
    /// inside it; `nil` if the object has gone and nothing was written inside.
    private func submission(
        _ api: LoadedAPI, _ store: ObservedStore
    ) throws(Failure) -> Submission? {
        let entry = item.entry
        guard let name = entry.origin.entity,
            let entity = api.definition.mapping(named: name)?.entity
        else { return nil }
        let key = identityTable.storeKey(item)
        let objects = identityTable.objects(item)
        let sent = objects.renewed(
            key == nil
                ? nil : { entity, key in (try? store.newest(entity, storeKey: key))?.identity })
        if let key, let object = try store.newest(entity, storeKey: key) {
            var submission = Submission(subject: .object(object), sent: sent)
            submission.isMadeAgain = entry.conflict?.isMadeAgain ?? false
            return submission
        }
        guard !sent.isEmpty else { return nil }
        // The inner objects still have to be matched with the answer.
        return Submission(subject: .object(Snapshot.make(entity, [])), sent: sent)
    }
}

extension FlushDriver {
    /// Returns how an item takes part in authentication.
    func authMode(of item: OutboxItem) -> AuthMode {
        if let mode = OutboxContext(item.entry.origin.context).auth { return mode }
        let definition = around.api.loaded.definition
        let route = item.entry.origin.route.flatMap(definition.routes.route(key:))
        return definition.settings(of: route).auth ?? .full
    }
}

extension Lane {
    /// Makes the lane of an object, which all shapes of the object share. An identity that looks
    /// like a number is a number, so that all senders agree.
    init(of entity: Entity, _ identity: Identity) {
        guard case .string(let text) = identity, let integer = Int64(text), String(integer) == text
        else {
            self.init(entity: entity.family.name, identity)
            return
        }
        self.init(entity: entity.family.name, .integer(integer))
    }
}
