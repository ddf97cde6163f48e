package import RestwayBodies
package import RestwayDocument
package import RestwayHTTP
package import RestwayMapping
package import RestwayObjects
import RestwayOutcome
import RestwayPlugins
package import RestwayRouting
import RestwayStore
package import RestwayThreads

/// A request that is ready to be sent, with everything that its answer is matched with.
///
/// It is a class because many functions pass it on. A request that other code knows never changes:
/// only the functions below `Changes` set fields, each in a copy that it has just made.
///
/// `@unchecked Sendable`: the copy is not shared before it is complete.
package final class PreparedRequest: @unchecked Sendable {
    package private(set) var exchange: Exchange
    /// The reader that gives the body. The exchange itself then has no body.
    package private(set) var reader: BodyReader?
    /// The destination of the request before any redirect. Descriptors are matched with it.
    package private(set) var destination: RequestDestination
    /// How the request is sent.
    package private(set) var sending: SendingRules
    /// Which answers are accepted, and how their bodies are read.
    package let answers: AnswerRules
    /// The name of the route's mapper for the answer.
    package let dataMapper: String?
    /// Where the body of a successful answer goes.
    package private(set) var bodyDestination: BodyDestination
    /// The object or the draft that the request is about.
    package let submission: Submission?
    /// The change of an object whose versions are known; `nil` for any other request, and for a
    /// request of the outbox, which compares by itself.
    package let versioned: VersionedChange?
    /// The objects that a DELETE removes, or to which a stored change no longer links.
    package let deletions: [ChangeSet.Deletion]
    /// Whether the body is made later, on a worker where the program may be asked.
    package let owesBody: Bool
    package let isFromOutbox: Bool
    /// The pending edit of the item from which the request comes; `nil` if it has none.
    package let edit: EditID?

    package init(
        exchange: Exchange, reader: BodyReader? = nil, destination: RequestDestination,
        sending: SendingRules, answers: AnswerRules = .usual, dataMapper: String?,
        bodyDestination: BodyDestination = .memory, submission: Submission?,
        versioned: VersionedChange? = nil, deletions: [ChangeSet.Deletion],
        owesBody: Bool = false, isFromOutbox: Bool = false, edit: EditID? = nil
    ) {
        self.exchange = exchange
        self.reader = reader
        self.destination = destination
        self.sending = sending
        self.answers = answers
        self.dataMapper = dataMapper
        self.bodyDestination = bodyDestination
        self.submission = submission
        self.versioned = versioned
        self.deletions = deletions
        self.owesBody = owesBody
        self.isFromOutbox = isFromOutbox
        self.edit = edit
    }

    /// Makes a copy. The compiler refuses a copy without all fields, as no field has a default
    /// value.
    private init(copying other: PreparedRequest) {
        exchange = other.exchange
        reader = other.reader
        destination = other.destination
        sending = other.sending
        answers = other.answers
        dataMapper = other.dataMapper
        bodyDestination = other.bodyDestination
        submission = other.submission
        versioned = other.versioned
        deletions = other.deletions
        owesBody = other.owesBody
        isFromOutbox = other.isFromOutbox
        edit = other.edit
    }

    package var method: Method { destination.method }

    /// The media types that the answer may have; empty for the types of the mappers.
    package var accepted: [String] { answers.accepted }

    /// Whether the body of a successful answer is dropped while it arrives.
    package var drains: Bool {
        answers.parser.dropsBody && bodyDestination.isMemory && sending.caching == nil
    }

    /// Returns the time limit of an attempt that begins `now`.
    package func deadline(from now: Deadline, of start: Deadline) -> Deadline {
        let total = exchange.timeouts.totalMilliseconds
        // All connections of an event stream share one time limit.
        let begin = bodyDestination.isEvents ? start : now
        let ofAttempt = total > 0 ? begin.advanced(milliseconds: total) : .never
        let ofCall = sending.retry?.deadlineMilliseconds ?? 0
        return ofCall > 0 ? min(ofAttempt, start.advanced(milliseconds: ofCall)) : ofAttempt
    }

    /// The time limits of its exchanges, as messages name them.
    package var statedTimeouts: ExchangeTimeouts {
        var timeouts = exchange.timeouts
        timeouts.statedTotalMilliseconds = timeouts.totalMilliseconds
        timeouts.allAttemptsMilliseconds = sending.retry?.deadlineMilliseconds ?? 0
        return timeouts
    }

    /// The number of bytes of the body; `nil` if it is not known.
    package var bodyCount: Int64? {
        if sending.isCompressed { return nil }
        return reader.map(\.length) ?? exchange.body.count
    }

    /// Whether the body has bytes, or may have some.
    package var hasBody: Bool { bodyCount != 0 }

    /// Whether the request can be sent again.
    package var isRewindable: Bool { reader?.isRewindable ?? true }

    /// The header fields with which the server receives the request, without its credential. An
    /// item of a batch shares the fields of the batch call.
    package var receivedHeaders: Headers {
        guard let shared = sending.caching?.shared, !shared.isEmpty else {
            return Headers(exchange.headers)
        }
        var headers = Headers(shared)
        for field in exchange.headers { headers.set(field.name, field.value) }
        return headers
    }

    /// Whether the request is sent with the cookies that the client keeps, and not with those of a
    /// plugin's transport or of a batch call.
    package var sendsCookiesOfClient: Bool {
        exchange.usesCookies && sending.transport == TransportTable.builtIn && !sending.isInBatch
    }

    package var descriptorChoice: DescriptorChoice {
        destination.descriptorChoice
    }

    /// The request before the redirects, by which the answer is found again; `nil` for a request
    /// whose answer is found by its own URL.
    package var redirection: (request: PreparedRequest, redirects: FollowedRedirects)? {
        guard let before = destination.beforeRedirects, !destination.redirects.areForbidden else {
            return nil
        }
        return (before, destination.redirects)
    }

    // MARK: Changes

    /// Returns a copy that differs from this request as `change` says.
    private func changed(_ change: (PreparedRequest) -> Void) -> PreparedRequest {
        let copy = PreparedRequest(copying: self)
        change(copy)
        return copy
    }

    /// Returns the same request for the URL to which a redirect leads.
    ///
    /// - Parameters:
    ///   - before: The request at which the next attempt starts; `nil` for the request that is
    ///     returned.
    ///   - headers: The headers of the redirect.
    package func redirected(
        _ exchange: Exchange, keepsBody: Bool, isTrusted: Bool, before: PreparedRequest?,
        by headers: Headers
    ) -> PreparedRequest {
        changed { next in
            next.exchange = exchange
            if !keepsBody { next.reader = nil }
            next.sending.setTrusted(isTrusted)
            next.destination.beforeRedirects = before
            if before == nil {
                next.destination.redirects = FollowedRedirects()
            } else {
                next.destination.redirects.follow(headers)
            }
        }
    }

    /// Returns the same request without `Expect: 100-continue`.
    package func unannounced() -> PreparedRequest {
        changed { $0.exchange.headers.removeAll { $0.isNamed("Expect") } }
    }

    /// Returns the same request with the header fields that make it conditional.
    package func conditional(_ conditions: [HeaderField]) -> PreparedRequest {
        guard !conditions.isEmpty else { return self }
        return changed { next in
            for field in conditions { next.exchange.headers.set(field.name, field.value) }
        }
    }

    /// Returns the request without its upload, from which the upload makes its own requests.
    func withoutUpload() -> PreparedRequest {
        changed { $0.sending.upload = nil }
    }

    /// Returns a request of the upload of this request, which comes back to the upload.
    ///
    /// - Parameters:
    ///   - reader: The reader of the piece; `nil` for a request without one.
    ///   - uploadedBefore: How many bytes of the body earlier requests have sent.
    func part(
        of upload: UploadSession, _ exchange: Exchange, reader: BodyReader? = nil,
        isTrusted: Bool, uploadedBefore: Int64 = 0
    ) -> PreparedRequest {
        changed { next in
            next.exchange = exchange
            next.reader = reader
            next.sending.setTrusted(isTrusted)
            next.sending.uploadedBefore = uploadedBefore
            next.sending.upload = upload
        }
    }

    /// Returns the same request for a call that the program does not know. It goes out by itself,
    /// and a body that is saved or streamed goes to a file that ends with the call.
    package func inBackground(_ context: any RequestContext) -> PreparedRequest {
        changed { next in
            // The outbox does not store a refresh in the background: no call waits for its answer.
            next.sending.claim = nil
            next.sending.progress = nil
            if sending.isInBatch {
                next.exchange.headers = receivedHeaders.fields
                next.exchange.timeouts.totalMilliseconds =
                    context.options.timeouts.totalMilliseconds
                next.sending.goByItself(isRated: context.limitsRates)
            }
            next.bodyDestination = bodyDestination.inBackground
        }
    }
}

/// The object or the draft that a request is about, as it was when the request was sent.
package struct Submission: Sendable {
    package private(set) var subject: EncodingSubject
    /// Whether only the changes were sent.
    package var isChangedOnly = false
    /// The objects that were written, the outermost first; empty if the object was not written into
    /// the body.
    package var sent: [SentObject]
    /// The identity that the store has for the object, if the route may rename the object; `nil` if
    /// the identity of the subject counts. A draft or a snapshot may be older than the present name
    /// of its object.
    package var presentIdentity: Identity?
    /// Whether the request makes an object again that the server has deleted. The server may give
    /// the object another identity.
    package var isMadeAgain = false

    package init(subject: EncodingSubject, sent: [SentObject] = []) {
        self.subject = subject
        self.sent = sent
    }

    package var entity: Entity { subject.entity }

    /// Makes the draft a draft of the newest object, so that an object that is sent whole has the
    /// newest values, pending edits included, except where the program has set values.
    mutating func rebase(on store: ObservedStore) throws(Failure) {
        guard case .draft(let draft) = subject else { return }
        subject = .draft(
            try draft.rebased { entity, key throws(Failure) in
                try store.newest(entity, storeKey: key)
            })
    }

    package var identity: Identity? { presentIdentity ?? entity.identity(subject.value) }

    /// Returns the present store key of an object in `sent`; 0 if no store knows the object.
    package func storeKey(of object: SentObject) -> Int64 {
        guard object.storeKey == 0, let member = object.member, case .draft(let draft) = subject
        else { return object.storeKey }
        return draft.members[member].currentKey
    }

    /// The object that a DELETE removes.
    package var deletion: ChangeSet.Deletion? {
        if let identity { return .identity(entity, identity) }
        return subject.storeKey == 0 ? nil : .object(entity, storeKey: subject.storeKey)
    }
}

/// The questions that the program answers while a body is made from an object, and whether it may
/// be asked now.
package struct BodyQuestions: Sendable {
    /// Returns whether a relationship of an object stays out of a request with this method to this
    /// path. It is a question.
    package typealias Exclusion =
        @Sendable (Method, String?, Entity, Relationship) throws(HostRefusal) -> Bool

    /// The function that may leave relationships out.
    package var exclusion: Exclusion?
    /// False where the program must not be asked. A body that needs an answer is then made later.
    var mayAsk = false
    /// Returns true if the call has ended, so that the writing ends too.
    package var isAbandoned: @Sendable () -> Bool = { false }

    package init(exclusion: Exclusion? = nil) {
        self.exclusion = exclusion
    }

    /// Returns the same questions for a worker, where the program may be asked.
    package func asking(
        unless isAbandoned: @escaping @Sendable () -> Bool = { false }
    ) -> BodyQuestions {
        var questions = self
        questions.mayAsk = true
        questions.isAbandoned = isAbandoned
        return questions
    }

    /// Whether a body for `api` cannot be made here because the program must be asked.
    func areOpen(_ api: LoadedAPI) -> Bool {
        !mayAsk && (exclusion != nil || api.definition.functions.mayRunWhileEncoding)
    }
}

extension PreparedRequest {
    /// Whether the program asks for an answer only if it has changed.
    package var isConditional: Bool {
        exchange.headers.contains { field in
            field.isNamed("If-None-Match") || field.isNamed("If-Modified-Since")
        }
    }
}
