import RestwayAuth
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwaySupport

/// A request with everything decided: what goes out, and what the answer will be matched with.
///
/// A class, as it passes through many hands, none of which changes it.
final class PreparedRequest: Sendable {
    let exchange: Exchange
    /// Gives the body, which the exchange then has not.
    let reader: BodyReader?
    let method: Method
    /// The path below the base URL, which descriptors are matched with; `nil` for another origin.
    let path: String?
    /// Whose own descriptors apply whatever the path.
    let routeName: String?
    /// The route's mapper for the answer, by name.
    let dataMapper: String?
    /// Which of the client's transports performs it.
    let transport: Int
    /// False when the environment's credentials must not go there.
    let isTrusted: Bool
    /// What it is about.
    let submission: Submission?
    /// What a DELETE removes.
    let deletions: [ChangeSet.Deletion]
    let sending: SendingRules
    /// Its body is still to be made: on a worker, where the host may be asked.
    let owesBody: Bool
    let travelsInBatch: Bool
    /// `nil`: it is never stored.
    let claim: OutboxClaim?
    let isFromOutbox: Bool
    /// Of an answer with status 200, when it was looked for beforehand.
    private let usualPlan: MappingPlan?

    init(
        exchange: Exchange, reader: BodyReader? = nil, method: Method, path: String?,
        routeName: String?, dataMapper: String?, transport: Int = TransportTable.builtIn,
        isTrusted: Bool, submission: Submission? = nil, deletions: [ChangeSet.Deletion] = [],
        sending: SendingRules = SendingRules(), owesBody: Bool = false,
        travelsInBatch: Bool = false, claim: OutboxClaim? = nil, isFromOutbox: Bool = false,
        usualPlan: MappingPlan? = nil
    ) {
        self.exchange = exchange
        self.reader = reader
        self.method = method
        self.path = path
        self.routeName = routeName
        self.dataMapper = dataMapper
        self.transport = transport
        self.isTrusted = isTrusted
        self.submission = submission
        self.deletions = deletions
        self.sending = sending
        self.owesBody = owesBody
        self.travelsInBatch = travelsInBatch
        self.claim = claim
        self.isFromOutbox = isFromOutbox
        self.usualPlan = usualPlan
    }

    /// When an attempt that begins `now` has taken too long.
    func deadline(from now: Deadline, of start: Deadline) -> Deadline {
        let total = exchange.timeouts.totalMilliseconds
        let ofAttempt = total > 0 ? now.advanced(milliseconds: total) : .never
        let ofCall = sending.retry?.deadlineMilliseconds ?? 0
        return ofCall > 0 ? min(ofAttempt, start.advanced(milliseconds: ofCall)) : ofAttempt
    }

    /// How many bytes the body has; `nil` when that is not known.
    var bodyCount: Int64? { reader.map(\.length) ?? exchange.body.count }

    /// Whether it can be sent once more.
    var isRewindable: Bool { reader?.isRewindable ?? true }

    /// The plan of all descriptors that apply to an answer with `status`; `nil` when none does.
    ///
    /// - Parameter api: What it was prepared with.
    func plan(of api: LoadedAPI, status: Int) -> MappingPlan? {
        if status == 200, let usualPlan { return usualPlan }
        return api.plan(for: self, status: status)
    }

    /// The same request, to be sent again and again: it knows the plan of its usual answer.
    func planned(_ api: LoadedAPI) -> PreparedRequest {
        PreparedRequest(
            exchange: exchange, reader: reader, method: method, path: path, routeName: routeName,
            dataMapper: dataMapper, transport: transport, isTrusted: isTrusted,
            submission: submission, deletions: deletions, sending: sending, owesBody: owesBody,
            travelsInBatch: travelsInBatch, claim: claim, isFromOutbox: isFromOutbox,
            usualPlan: api.plan(for: self, status: 200))
    }

    /// The same request, sent on to where a redirect leads.
    func redirected(_ exchange: Exchange, keepsBody: Bool, isTrusted: Bool) -> PreparedRequest {
        PreparedRequest(
            exchange: exchange, reader: keepsBody ? reader : nil, method: method, path: path,
            routeName: routeName, dataMapper: dataMapper, transport: transport,
            isTrusted: isTrusted,
            submission: submission, deletions: deletions, sending: sending,
            isFromOutbox: isFromOutbox)
    }
}
