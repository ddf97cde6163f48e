import RestwayAuth
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwayThreads

/// A request that is ready to be sent, with everything that its answer is matched with.
///
/// It is a class because many functions pass it on and none of them changes it.
final class PreparedRequest: Sendable {
    let exchange: Exchange
    /// The reader that gives the body. The exchange itself then has no body.
    let reader: BodyReader?
    let method: Method
    /// The path below the base URL, with which descriptors are matched; `nil` for another origin.
    let path: String?
    /// The route that the caller or the object router chose; `nil` for a request by path.
    let route: Route?
    /// The name of the route's mapper for the answer.
    let dataMapper: String?
    /// The index of the transport that performs the request.
    let transport: Int
    /// False if the environment's credentials must not go to this URL.
    let isTrusted: Bool
    /// The object or the draft that the request is about.
    let submission: Submission?
    /// The objects that a DELETE removes.
    let deletions: [ChangeSet.Deletion]
    let sending: SendingRules
    /// Whether the body is made later, on a worker where the program may be asked.
    let owesBody: Bool
    let travelsInBatch: Bool
    /// The information for the outbox; `nil` if the request is never stored.
    let claim: OutboxClaim?
    let isFromOutbox: Bool

    init(
        exchange: Exchange, reader: BodyReader? = nil, method: Method, path: String?,
        route: Route?, dataMapper: String?, transport: Int = TransportTable.builtIn,
        isTrusted: Bool, submission: Submission? = nil, deletions: [ChangeSet.Deletion] = [],
        sending: SendingRules = SendingRules(), owesBody: Bool = false,
        travelsInBatch: Bool = false, claim: OutboxClaim? = nil, isFromOutbox: Bool = false
    ) {
        self.exchange = exchange
        self.reader = reader
        self.method = method
        self.path = path
        self.route = route
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
    }

    /// Returns the time limit of an attempt that begins `now`.
    func deadline(from now: Deadline, of start: Deadline) -> Deadline {
        let total = exchange.timeouts.totalMilliseconds
        let ofAttempt = total > 0 ? now.advanced(milliseconds: total) : .never
        let ofCall = sending.retry?.deadlineMilliseconds ?? 0
        return ofCall > 0 ? min(ofAttempt, start.advanced(milliseconds: ofCall)) : ofAttempt
    }

    /// The number of bytes of the body; `nil` if it is not known.
    var bodyCount: Int64? { reader.map(\.length) ?? exchange.body.count }

    /// Whether the body has bytes, or may have some.
    var hasBody: Bool { bodyCount != 0 }

    /// Whether the request can be sent again.
    var isRewindable: Bool { reader?.isRewindable ?? true }

    var descriptorChoice: DescriptorChoice { DescriptorChoice(route: route, path: path) }

    /// Returns the same request for the URL to which a redirect leads.
    func redirected(_ exchange: Exchange, keepsBody: Bool, isTrusted: Bool) -> PreparedRequest {
        PreparedRequest(
            exchange: exchange, reader: keepsBody ? reader : nil, method: method, path: path,
            route: route, dataMapper: dataMapper, transport: transport,
            isTrusted: isTrusted,
            submission: submission, deletions: deletions, sending: sending,
            isFromOutbox: isFromOutbox)
    }
}
