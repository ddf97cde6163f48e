package import RestwayDocument
import RestwayHTTP
import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
package import RestwayRouting
import RestwayStore
import RestwayText

/// Turns the request that a caller describes into the request that is sent, in three steps. Each
/// step is a function of the values of the steps before it:
///
/// 1. `destination`: where the request goes. Method, route, path, URL, trust in the URL.
/// 2. `content`: what it sends, and what it asks for. Query, headers, body, compression, the place
///    of the answer's body.
/// 3. `sending`: how it is sent. Credential, transport, batch, rate, retries, cache, outbox,
///    resumable upload.
package struct RequestPreparation {
    package let context: any RequestContext
    package let api: LoadedAPI
    let questions: BodyQuestions
    /// The identities that the request uses; `nil` without an outbox, where every object needs one
    /// from the server.
    package let identities: (any LocalIdentities)?

    package init(
        context: any RequestContext, api: LoadedAPI, questions: BodyQuestions,
        identities: (any LocalIdentities)?
    ) {
        self.context = context
        self.api = api
        self.questions = questions
        self.identities = identities
    }

    var environment: Environment { context.environment }

    package func prepare(_ spec: RequestSpec) throws(Failure) -> PreparedRequest {
        try Failure.wrapping("preparing a request") {
            if let item = spec.stored { return try item.prepare(spec, by: self) }
            var submission = try submission(spec)
            var destination = try destination(of: spec, about: submission?.subject)
            let settings = api.definition.settings(of: destination.route)
            if settings.answers.renames, let subject = submission?.subject {
                submission?.presentIdentity = presentIdentity(of: subject)
            }
            if [.put, .patch].contains(destination.method) {
                try submission?.rebase(on: context.store)
            }
            let content = try content(of: spec, about: submission, to: destination, settings)
            destination.url = URLText.appendingQuery(content.query, to: destination.url)
            let sending = try sending(spec, content, to: destination, settings)
            return request(
                spec, destination, content, sending, settings,
                answers: try AnswerRules.of(spec, destination, settings, api),
                deletions: deletions(destination, content.submission))
        }
    }

    /// Returns the identity that the store has for an object or for the object of a draft. A store
    /// that cannot be read counts as one without the object.
    private func presentIdentity(of subject: EncodingSubject) -> Identity? {
        guard subject.storeKey != 0 else { return nil }
        return (try? context.store.newest(subject.entity, storeKey: subject.storeKey))?.identity
    }

    /// Returns the URL of the object that `spec` is about, without writing a body.
    package func url(of spec: RequestSpec) throws(Failure) -> String {
        try Failure.wrapping("finding a URL") {
            let subject = try submission(spec)?.subject
            return try destination(of: spec, about: subject).url
        }
    }

    /// Returns the route and the method of a request by the name of a route or about an object;
    /// `nil` for a request by path.
    package func route(of spec: RequestSpec) throws(Failure) -> (route: Route, method: Method)? {
        let routes = api.definition.routes
        return try Failure.wrapping("finding a route") {
            switch spec.target {
            case .route(let name, let method):
                let route = try routes.existing(name)
                return (route, try routes.method(method, of: route))
            case .subject(let method):
                guard let subject = try submission(spec)?.subject else { return nil }
                return (try api.route(for: subject.entity, method: method), method)
            case .routed(let method, _, let name):
                let route = try routes.existing(name)
                return (route, try routes.method(method, of: route))
            case .path, .link: return nil
            }
        }
    }

    /// Puts the values of the three steps together.
    package func request(
        _ spec: RequestSpec, _ destination: RequestDestination, _ content: RequestContent,
        _ sending: SendingRules, _ settings: RouteSettings, answers: AnswerRules,
        deletions: [ChangeSet.Deletion], isFromOutbox: Bool = false, edit: EditID? = nil
    ) -> PreparedRequest {
        var exchange = Exchange(
            method: destination.method.rawValue, url: destination.url, headers: content.headers,
            body: content.body, timeouts: timeouts(spec, settings, for: content.bodyDestination),
            usesCookies: context.options.usesCookies)
        exchange.priority = spec.sending.priority
        if let key = sending.idempotencyKey {
            exchange.headers.set(IdempotencyKey.headerName, key)
        }
        return PreparedRequest(
            exchange: exchange, reader: content.reader, destination: destination,
            sending: sending, answers: answers, dataMapper: settings.dataMapper,
            bodyDestination: content.bodyDestination, submission: content.submission,
            versioned: content.versioned, deletions: deletions, owesBody: content.isOwed,
            isFromOutbox: isFromOutbox, edit: edit)
    }

    /// Returns the time limits of each attempt.
    private func timeouts(
        _ spec: RequestSpec, _ settings: RouteSettings, for destination: BodyDestination
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

    /// Returns the object or the draft that a request is about; `nil` if it is about none.
    func submission(_ spec: RequestSpec) throws(Failure) -> Submission? {
        switch spec.subject {
        case nil: return nil
        case .object(let object): return Submission(subject: .object(object))
        case .draft(let draft, let store): return try submission(draft.capture(), store)
        case .capture(let draft, let store): return try submission(draft, store)
        }
    }

    private func submission(
        _ draft: DraftCapture, _ store: ObservedStore
    ) throws(Failure) -> Submission {
        guard store === context.store else {
            throw Failure(
                .invalidArgument, "the draft is of an object in another client's store",
                field: "draft")
        }
        return Submission(subject: .draft(draft))
    }

    /// Returns the name of the relationship whose links a request reads or changes.
    func relationship(_ destination: RequestDestination) -> String? {
        api.relationship(
            destination.method,
            destination.descriptorChoice)
    }

    private func deletions(
        _ destination: RequestDestination, _ submission: Submission?
    ) -> [ChangeSet.Deletion] {
        guard destination.method == .delete else { return [] }
        if let submission { return submission.deletion.map { [$0] } ?? [] }
        guard let path = destination.path else { return [] }
        return api.targets(.delete, path, destination.route).deletions
    }
}

extension Failure {
    /// Returns what `body` returns. Whatever it throws is thrown as a failure.
    ///
    /// - Parameter deed: What `body` does, for a message.
    static func wrapping<Value>(
        _ deed: String, _ body: () throws -> Value
    ) throws(Failure) -> Value {
        do {
            return try body()
        } catch let error as RoutingError {
            throw Failure(error)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.internal, "unexpected error while \(deed): \(error)")
        }
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
