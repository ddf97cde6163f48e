package import RestwayDocument
package import RestwayHTTP
import RestwayJSON
import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayPlugins
package import RestwayRouting
import RestwayText
import RestwayThreads

/// Turns the request that a caller describes into the request that is sent.
package struct RequestPreparation {
    package let context: CallContext
    package let api: LoadedAPI
    let questions: BodyQuestions
    /// The identities that the request uses; `nil` without an outbox, where every object needs one
    /// from the server.
    package let identities: (any LocalIdentities)?

    var environment: Environment { context.environment }

    package struct Destination {
        package var method: Method
        package var url: String
        /// The path; `nil` for a URL that is not below the base URL.
        package var path: String?
        package var route: Route?
        /// Whether the URL is used as it was given, and the route only handles it.
        package var isGivenURL = false
        /// The request before the redirects that have led elsewhere, at which the next attempt
        /// starts; `nil` without such redirects. Their targets may be good for one attempt only
        /// (RFC 9110, section 15.4.8).
        var beforeRedirects: PreparedRequest?
        /// What the redirects since `beforeRedirects` say about keeping the answer behind them.
        var redirects = FollowedRedirects()
        /// The values of the route's variables, for a path in which they do not stand.
        package var givenVariables: [String: String] = [:]

        /// Returns the variables of the path. The objects of the answer remember those that are not
        /// attributes of the objects.
        ///
        /// - Parameter template: The template of the descriptors, for a request without a route.
        package func variables(_ template: PathTemplate?) -> RouteVariables? {
            guard let template = route?.template ?? template, template.hasPathVariables else {
                return nil
            }
            let values = path.flatMap { template.values(in: $0) } ?? givenVariables
            return values.isEmpty ? nil : RouteVariables(values)
        }

        package init(method: Method, url: String, path: String?, route: Route?) {
            self.method = method
            self.url = url
            self.path = path
            self.route = route
        }
    }

    package func prepare(_ spec: RequestSpec) throws(Failure) -> PreparedRequest {
        do {
            if let item = spec.stored { return try item.prepare(spec, by: self) }
            var submission = try submission(spec)
            var destination = try destination(spec, submission?.subject)
            let settings = api.definition.settings(of: destination.route)
            var content = try content(spec, &destination, settings, &submission)
            // An object has now filled the path of a relationship, and is not sent itself.
            if relationship(destination) != nil { submission = nil }

            let bodyDestination = try BodyDestination.of(
                spec, settings, destination.method, saveBytesMax: context.options.saveBytesMax)
            let isTrusted = try destination.path != nil || isTrusted(destination.url)
            var headers = headers(
                spec, settings, isTrusted: isTrusted, of: content, for: bodyDestination,
                acceptsAnything: acceptsAnything(spec, destination, settings))
            var sending = sending(spec, settings, destination.method, &headers)
            sending.isTrusted = isTrusted
            let cachingRoute = cachingRoute(destination)
            sending.caching = caching(
                cachingRoute.map { api.definition.settings(of: $0).cache.ofPath } ?? settings.cache,
                spec.reception.caching, destination, sending, bodyDestination,
                route: cachingRoute, given: spec.sentHeaders(isTrusted: isTrusted))
            // An event stream has no end, so the time limit for all attempts together does not hold
            // for it.
            if bodyDestination.isEvents { sending.retry?.deadlineMilliseconds = 0 }
            // Most requests are never stored, and describing them would cost more than this check.
            var claim: (any StorageClaim)?
            if isStorable(spec, destination, settings) {
                let storable = StorableRequest(
                    spec: spec, destination: destination, settings: settings,
                    submission: submission, mediaType: content.mediaType, body: content.body,
                    mapped: content.mapped, retry: sending.retry)
                claim = self.claim(storable, &headers)
                if claim != nil { sending.retry = nil }
            }
            if claim == nil, !bodyDestination.isMemory {
                sending.isKeptFromOutbox = try isKeptFromOutbox(spec, destination, settings)
            }
            try refuseWithoutOutbox(destination, settings)
            if claim == nil, let missing = identities?.missing { throw missing }
            var exchange = Exchange(
                method: destination.method.rawValue, url: destination.url, headers: headers,
                body: content.body, timeouts: timeouts(spec, settings, for: bodyDestination),
                usesCookies: context.options.usesCookies)
            exchange.priority = spec.sending.priority
            sending.isCompressed = try isCompressed(spec, settings, content, headers)
            try takeStatedLength(of: &exchange.headers, &content, sending)
            sending.upload = try upload(spec, settings, destination.method, sending)
            let answers = try AnswerRules.of(spec, destination, settings, api)
            let deletions = deletions(destination, submission)
            return PreparedRequest(
                exchange: consume exchange, reader: content.reader,
                destination: consume destination, dataMapper: settings.dataMapper,
                answers: answers, sending: sending, submission: submission,
                deletions: deletions, owesBody: content.isOwed, claim: claim,
                bodyDestination: bodyDestination)
        } catch let error as RoutingError {
            throw Failure(error)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.internal, "unexpected error while preparing a request: \(error)")
        }
    }

    /// Refuses a route with an outbox that was added after the client was made, which had no outbox
    /// then.
    private func refuseWithoutOutbox(
        _ destination: Destination, _ settings: RouteSettings
    ) throws(Failure) {
        guard context.outbox == nil, settings.mayBeStored == true, let route = destination.route,
            !destination.method.isSafe
        else { return }
        throw Failure(noOutboxFor: route.displayName)
    }

    /// Returns the claim of a request that the outbox may store, and gives the request the
    /// idempotency key that all its attempts share; `nil` if it cannot be stored.
    private func claim(
        _ request: StorableRequest, _ headers: inout [HeaderField]
    ) -> (any StorageClaim)? {
        let given = headers.first { $0.isNamed(IdempotencyKey.headerName) }?.value
        let claim = identities?.claim(request, api, idempotencyKey: given)
        if let claim, given == nil { headers.set(IdempotencyKey.headerName, claim.idempotencyKey) }
        return claim
    }

    /// Whether the outbox would keep the request if the body of its answer went into memory. A
    /// later flush has no receiver for the body. Throws if the request has a lane, which shows that
    /// the program wants the outbox to keep it.
    private func isKeptFromOutbox(
        _ spec: RequestSpec, _ destination: Destination, _ settings: RouteSettings
    ) throws(Failure) -> Bool {
        guard isOffered(spec, destination, settings) else { return false }
        guard spec.sending.lane == nil else {
            throw Failure(
                .invalidArgument,
                "a request with a lane is stored in the outbox if it cannot be sent, but a request "
                    + "whose answer is saved or streamed cannot be stored", field: "lane")
        }
        return true
    }

    /// Whether the outbox may keep the request.
    func isStorable(
        _ spec: RequestSpec, _ destination: Destination, _ settings: RouteSettings
    ) -> Bool {
        // A request that the cache alone may answer is never sent, not even later.
        guard spec.reception.bodyDestination.isMemory, !settings.answers.areSaved,
            spec.reception.caching.mode != .only
        else { return false }
        return isOffered(spec, destination, settings) && !spec.isOnlyIfCached
    }

    /// Whether the outbox keeps requests like this one.
    private func isOffered(
        _ spec: RequestSpec, _ destination: Destination, _ settings: RouteSettings
    ) -> Bool {
        guard let outbox = context.outbox, spec.batchRole != .call, !spec.isReadWhileSent,
            resumption(spec, settings) == nil, let path = destination.path
        else { return false }
        return outbox.definition.mayStore(
            destination.method, path,
            route: destination.route == nil
                ? api.definition.mayBeStored(destination.method, path) : settings.mayBeStored)
    }

    // MARK: The subject

    package func submission(_ spec: RequestSpec) throws(Failure) -> Submission? {
        // Most requests have no subject, and copying the description would cost more than this
        // check.
        if case nil = spec.subject { return nil }
        switch spec.captured().subject {
        case nil, .draft: return nil
        case .object(let object): return Submission(subject: .object(object))
        case .capture(let draft, let store):
            guard store === context.store else {
                throw Failure(
                    .invalidArgument, "the draft is of an object in another client's store",
                    field: "draft")
            }
            return Submission(subject: .draft(draft))
        }
    }

    /// Returns the name of the relationship whose links a request reads or changes.
    func relationship(_ destination: Destination) -> String? {
        api.relationship(
            destination.method,
            DescriptorChoice(route: destination.route, path: destination.path))
    }

    private func deletions(
        _ destination: Destination, _ submission: Submission?
    ) -> [ChangeSet.Deletion] {
        guard destination.method == .delete else { return [] }
        if let submission { return submission.deletion.map { [$0] } ?? [] }
        guard let path = destination.path else { return [] }
        return api.targets(.delete, path, destination.route).deletions
    }

    // MARK: The destination

    func destination(
        _ spec: RequestSpec, _ subject: EncodingSubject?
    ) throws -> Destination {
        let choice = DestinationChoice(
            lookup: VariableLookup(
                context: context, api: api, identities: identities, values: spec.values,
                subject: subject))
        return try choice.destination(of: spec)
    }

    func isTrusted(_ url: String) throws -> Bool {
        environment.trusts(try Origin(url: url))
    }

    // MARK: Headers

    package func headers(
        _ spec: RequestSpec, _ settings: RouteSettings, isTrusted: Bool,
        of content: RequestContent? = nil, for destination: BodyDestination = .memory,
        acceptsAnything: Bool = false
    ) -> [HeaderField] {
        var headers = Headers()
        if !spec.isInBatch {
            let standard = standardHeaders(settings, destination, acceptsAnything)
            headers = isTrusted ? standard.own : standard.foreign
        }
        // Ranges count coded bytes, so a coded body could not be resumed. The codings that the
        // document or the caller asks for are sent unchanged.
        if !destination.isMemory, headers[first: "Accept-Encoding"] == ContentDecoder.accepted {
            headers.set("Accept-Encoding", "identity")
        }
        spec.addClientHeaders(to: &headers, isTrusted: isTrusted)
        for line in settings.headers { headers.set(line.name, line.value) }
        if let content {
            if let mediaType = content.mediaType { headers.set("Content-Type", mediaType) }
            for field in content.digests { headers.set(field.name, field.value) }
            let isAnnounced = spec.given.expectsContinue ?? settings.body.expectsContinue
            if isAnnounced, content.hasBody, !spec.isInBatch {
                headers.set("Expect", "100-continue")
            }
        }
        for (name, value) in spec.headers {
            if let value { headers.set(name, value) } else { headers.remove(name) }
        }
        return headers.fields
    }

    /// Returns the transport of the requests of a route.
    package func transport(of settings: RouteSettings) -> Int {
        context.transports.index(settings.transport)
    }

    /// Whether the answer may have any media type: the request has a route that maps nothing of its
    /// answers, and names no media types.
    package func acceptsAnything(
        _ spec: RequestSpec, _ destination: Destination, _ settings: RouteSettings
    ) -> Bool {
        guard destination.route != nil else { return false }
        let parser = spec.reception.parser.map(ParserChoice.init(name:))
        switch parser ?? settings.body.answers.parser {
        case .json: return false
        case .text, .bytes, .headers, .nothing: return true
        case .objects, .function: break
        }
        let choice = DescriptorChoice(route: destination.route, path: destination.path)
        return !api.maps(destination.method, choice)
    }

    private func standardHeaders(
        _ settings: RouteSettings, _ destination: BodyDestination, _ acceptsAnything: Bool
    ) -> StandardHeaders {
        let accepted = settings.body.answers.accepted
        let ofDestination = destination.accepted
        if accepted.isEmpty, ofDestination == nil {
            if acceptsAnything { return context.headersOfAnything }
            if settings.dataMapper == nil { return context.standardHeaders }
        }
        return StandardHeaders(
            environment, userAgent: context.options.userAgent,
            accepted: accepted.isEmpty
                ? ofDestination ?? context.mappers.accepted(named: settings.dataMapper)
                : accepted.joined(separator: ", "))
    }

    package func timeouts(
        _ spec: RequestSpec, _ settings: RouteSettings, for destination: BodyDestination = .memory
    ) -> ExchangeTimeouts {
        var timeouts = context.options.timeouts
        // An event stream has no end, so it has a time limit only if the route or the request sets
        // a time limit.
        if destination.isEvents { timeouts.totalMilliseconds = 0 }
        timeouts.take(settings.timeouts)
        timeouts.take(spec.timeouts)
        // An item of a batch has no time limit of its own; the batch call's applies.
        if spec.isInBatch { timeouts.totalMilliseconds = 0 }
        return timeouts
    }
}

extension RouteTable {
    /// Returns the route with a name. The failure for any other name suggests a route.
    package func existing(_ name: String) throws(Failure) -> Route {
        if let route = try? route(named: name) { return route }
        let hint = NearestName.hint(for: name, in: all.compactMap(\.name))
        throw Failure(.unknownRoute, "there is no route \"\(name)\"\(hint)", field: name)
    }
}

/// Collects the sending rules of a request from the request, its route and the client.
extension RequestPreparation {
    package func sending(
        _ spec: RequestSpec, _ settings: RouteSettings, _ method: Method,
        _ headers: inout [HeaderField]
    ) -> SendingRules {
        var rules = SendingRules(
            auth: spec.sending.authMode ?? settings.auth ?? .full,
            transport: transport(of: settings),
            isInBatch: spec.isInBatch)
        rules.retry = settings.retry ?? context.retries.policy(of: api)
        rules.progress = spec.reception.progress
        rules.batchRole = spec.batchRole
        rules.mayGo = spec.mayGo
        // The rate concerns the batch call, and not its items.
        rules.isRated = !spec.isInBatch && context.rates.concernsCalls
        // A client or a caller that sets the header of the scheme replaces the scheme.
        if let name = api.definition.auth.header, spec.givesHeader(name) { rules.auth = .none }
        if let key = spec.sending.idempotencyKey {
            headers.set(IdempotencyKey.headerName, key.text)
        } else if let retry = rules.retry, retry.addsIdempotencyKey,
            !retry.methods.contains(method.rawValue),
            !headers.contains(where: { $0.isNamed(IdempotencyKey.headerName) })
        {
            headers.set(IdempotencyKey.headerName, IdempotencyKey.random.text)
        }
        return rules
    }
}

// The part of a request in the response cache.
extension RequestPreparation {
    /// Returns how a request takes part in the response cache; `nil` if it does not.
    ///
    /// - Parameters:
    ///   - route: The route whose rules these are, for a request by path.
    ///   - given: The headers that the client and the caller set.
    package func caching(
        _ rules: consuming CacheRules, _ wishes: CacheWishes, _ destination: Destination,
        _ sending: SendingRules, _ bodyDestination: BodyDestination, route: Route? = nil,
        given: [(name: String, value: String?)] = []
    ) -> CachePlan? {
        let secrets = CachePlan.secrets(among: given, api.definition.auth.header)
        var destination = destination
        destination.route = destination.route ?? route
        return .make(rules, wishes, destination, sending, bodyDestination, secrets, context)
    }

    /// Returns the route that says how a request by path takes part in the cache; `nil` for other
    /// requests. Nothing says that an unsafe request by path is one of a route whose answers are
    /// kept.
    private func cachingRoute(_ destination: Destination) -> Route? {
        guard destination.route == nil, let path = destination.path, destination.method.isSafe,
            context.cache != nil
        else { return nil }
        return api.routeOfCache(destination.method, path)
    }
}

extension String {
    func isSameHeader(as name: String) -> Bool {
        HeaderField(name: self, value: "").isNamed(name)
    }
}

/// The headers of every request of a client, before its route and its caller add theirs.
///
/// They are made once for answers of the usual type. Most requests have no other headers, and
/// transports can see that the headers are the same.
package struct StandardHeaders: Sendable {
    /// The headers for URLs that may receive the environment's headers.
    package let own: Headers
    package let foreign: Headers

    /// - Parameter accepted: The media types that the answer should have.
    package init(_ environment: Environment, userAgent: String, accepted: String) {
        var headers = Headers()
        headers.set("Accept", accepted)
        headers.set("Accept-Encoding", ContentDecoder.accepted)
        headers.set("User-Agent", userAgent)
        foreign = headers
        for line in environment.headers {
            headers.set(line.name, line.value)
        }
        own = headers
    }
}

extension [HeaderField] {
    package mutating func set(_ name: String, _ value: String) {
        var headers = Headers(self)
        // The array is not copied if nothing else refers to it.
        self = []
        headers.set(name, value)
        self = headers.fields
    }
}
