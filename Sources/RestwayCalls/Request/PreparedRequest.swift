package import RestwayDocument
package import RestwayHTTP
package import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayPlugins
package import RestwayRouting
package import RestwayThreads

/// A request that is ready to be sent, with everything that its answer is matched with.
///
/// It is a class because many functions pass it on and no function changes it.
package final class PreparedRequest: Sendable {
    package let exchange: Exchange
    /// The reader that gives the body. The exchange itself then has no body.
    package let reader: BodyReader?
    /// The destination of the request before any redirect. Descriptors are matched with it.
    package let destination: RequestPreparation.Destination
    /// The name of the route's mapper for the answer.
    package let dataMapper: String?
    /// Which answers are accepted, and how their bodies are read.
    package let answers: AnswerRules
    package let sending: SendingRules
    /// The object or the draft that the request is about.
    package let submission: Submission?
    /// The objects that a DELETE removes, or to which a stored change no longer links.
    package let deletions: [ChangeSet.Deletion]
    /// Whether the body is made later, on a worker where the program may be asked.
    package let owesBody: Bool
    /// The information for the outbox; `nil` if the request is never stored.
    package let claim: (any StorageClaim)?
    package let isFromOutbox: Bool
    /// Where the body of a successful answer goes.
    package let bodyDestination: BodyDestination

    package init(
        exchange: Exchange, reader: BodyReader? = nil,
        destination: RequestPreparation.Destination, dataMapper: String?,
        answers: AnswerRules = .usual, sending: SendingRules, submission: Submission?,
        deletions: [ChangeSet.Deletion], owesBody: Bool = false,
        claim: (any StorageClaim)? = nil, isFromOutbox: Bool = false,
        bodyDestination: BodyDestination = .memory
    ) {
        self.exchange = exchange
        self.reader = reader
        self.destination = destination
        self.dataMapper = dataMapper
        self.answers = answers
        self.sending = sending
        self.submission = submission
        self.deletions = deletions
        self.owesBody = owesBody
        self.claim = claim
        self.isFromOutbox = isFromOutbox
        self.bodyDestination = bodyDestination
    }

    package var method: Method { destination.method }

    /// The media types that the answer may have; empty for the types of the mappers.
    package var accepted: [String] { answers.accepted }

    /// Whether the body of a successful answer is dropped while it arrives.
    var drains: Bool {
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
        DescriptorChoice(route: destination.route, path: destination.path)
    }

    /// Returns the same request for the URL to which a redirect leads.
    ///
    /// - Parameters:
    ///   - before: The request at which the next attempt starts; `nil` for the request that is
    ///     returned.
    ///   - headers: The headers of the redirect.
    func redirected(
        _ exchange: Exchange, keepsBody: Bool, isTrusted: Bool, before: PreparedRequest?,
        by headers: Headers
    ) -> PreparedRequest {
        var place = destination
        place.beforeRedirects = before
        if before == nil {
            place.redirects = FollowedRedirects()
        } else {
            place.redirects.follow(headers)
        }
        return next(
            exchange, reader: keepsBody ? reader : nil, isTrusted: isTrusted,
            uploadedBefore: sending.uploadedBefore, place)
    }

    /// Returns the same request without `Expect: 100-continue`.
    func unannounced() -> PreparedRequest {
        var exchange = exchange
        exchange.headers.removeAll { $0.isNamed("Expect") }
        return copy(exchange, reader, sending)
    }

    /// Returns the same request as a part of another upload, or of no upload.
    func part(of upload: UploadSession?) -> PreparedRequest {
        var sending = sending
        sending.upload = upload
        return copy(exchange, reader, sending)
    }

    /// Returns the same request with the exchange that follows the answer to an earlier exchange.
    func next(
        _ exchange: Exchange, reader: BodyReader?, isTrusted: Bool, uploadedBefore: Int64 = 0,
        _ place: RequestPreparation.Destination? = nil
    ) -> PreparedRequest {
        var sending = sending
        if isTrusted != sending.isTrusted {
            sending.caching = sending.caching?.redirected(isTrusted: isTrusted)
        }
        sending.isTrusted = isTrusted
        sending.uploadedBefore = uploadedBefore
        return copy(exchange, reader, sending, place)
    }

    func copy(
        _ exchange: Exchange, _ reader: BodyReader?, _ sending: SendingRules,
        _ place: RequestPreparation.Destination? = nil, to destination: BodyDestination? = nil
    ) -> PreparedRequest {
        PreparedRequest(
            exchange: exchange, reader: reader, destination: place ?? self.destination,
            dataMapper: dataMapper, answers: answers, sending: sending,
            submission: submission, deletions: deletions, isFromOutbox: isFromOutbox,
            bodyDestination: destination ?? bodyDestination)
    }
}

/// How a prepared request is sent: with a credential or without, once or several times.
package struct SendingRules: Sendable {
    package var auth: AuthMode
    /// `nil` if a failure is not tried again.
    package var retry: RetryPolicy?
    package var progress: ProgressRequest?
    /// The index of the transport that performs the request.
    package var transport: Int
    /// Whether the body is compressed when it is sent.
    package var isCompressed = false
    /// False if the environment's credentials must not go to the URL.
    package var isTrusted: Bool
    var batchRole: BatchRole
    /// Whether the request waits until the rate of its origin admits it.
    package var isRated = false
    /// The resumable upload that sends the body; `nil` if one exchange sends the whole body.
    package var upload: UploadSession?
    /// How many bytes of the body earlier exchanges have sent.
    var uploadedBefore: Int64 = 0
    /// Whether the outbox would keep the request if its answer were not saved or streamed.
    package var isKeptFromOutbox = false
    /// How the request takes part in the response cache; `nil` if it does not.
    package var caching: CachePlan?
    /// Asked before the request gets a credential; false if the present credential may belong to
    /// somebody else. `nil` for a request that goes with any credential.
    package var mayGo: (@Sendable () -> Bool)?

    package var isInBatch: Bool { batchRole == .item }

    package init(auth: AuthMode, transport: Int, isTrusted: Bool = true, isInBatch: Bool) {
        self.auth = auth
        self.transport = transport
        self.isTrusted = isTrusted
        batchRole = isInBatch ? .item : .alone
    }

    /// Takes a request out of its batch, whose call would have had the credential.
    mutating func goesByItself(isRated: Bool) {
        batchRole = .alone
        auth = .full
        self.isRated = isRated
    }
}

/// The object or the draft that a request is about, as it was when the request was sent.
package struct Submission: Sendable {
    package let subject: EncodingSubject
    /// Whether only the changes were sent.
    package var isChangedOnly = false
    /// The objects that were written, the outermost first; empty if the object was not written into
    /// the body.
    package var sent: [SentObject]
    /// Returns the values of a stored request that the store has from now on, unless the answer has
    /// others. It may read the file of the outbox.
    package var acceptedValues: @Sendable () -> Result<[Restoration], Failure> = {
        .success([])
    }

    package init(subject: EncodingSubject, sent: [SentObject] = []) {
        self.subject = subject
        self.sent = sent
    }

    package var entity: Entity { subject.entity }

    package var identity: Identity? {
        entity.identityIndex.flatMap { Identity(subject.value(at: $0)) }
    }

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
    /// The function that may leave relationships out.
    package var exclusion: CallFunctions.Exclusion?
    /// False where the program must not be asked. A body that needs an answer is then made later.
    var mayAsk = false
    /// Returns true if the call has ended, so that the writing ends too.
    package var isAbandoned: @Sendable () -> Bool = { false }

    /// Returns the same questions for a worker, where the program may be asked.
    func asking(unless isAbandoned: @escaping @Sendable () -> Bool = { false }) -> BodyQuestions {
        BodyQuestions(exclusion: exclusion, mayAsk: true, isAbandoned: isAbandoned)
    }

    /// Whether a body for `api` cannot be made here because the program must be asked.
    func areOpen(_ api: LoadedAPI) -> Bool {
        !mayAsk && (exclusion != nil || api.definition.functions.mayRunWhileEncoding)
    }
}
