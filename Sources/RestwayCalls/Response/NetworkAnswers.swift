import RestwayDocument
import RestwayHTTP
import RestwayJansson
import RestwayMapping
import RestwayOutcome
import RestwayPlugins
import RestwayRequests
import RestwayRouting
import RestwayText
import RestwayThreads

/// Tells the answers of the API from those of a network that answers in its place, like a hotspot
/// that wants a login. A request of the outbox must not end with such an answer.
struct NetworkAnswers {
    private let processor: ResponseProcessor
    private var call: Call { processor.call }
    private var request: PreparedRequest { processor.request }
    private var context: CallContext { processor.context }

    init(_ processor: ResponseProcessor) {
        self.processor = processor
    }

    init(_ entry: StageEntry) {
        self.init(ResponseProcessor(entry))
    }

    private static let pageTypes = ["text/html", "application/xhtml+xml"]

    /// Whether the request is in the outbox, or may be stored there.
    var isStorable: Bool {
        request.isFromOutbox
            || call.state.withLock { $0.resources.laneRequest?.sending.claim != nil }
    }

    /// Whether the request carries something that the server has to take: a draft, an object, or a
    /// request of the outbox.
    var isAboutContent: Bool { request.submission != nil || isStorable }

    // MARK: Redirects

    /// Returns an addition to the message of a failure whose redirect was not followed, because the
    /// next request would be a GET without the content of this one.
    static func wouldLose(_ exchange: Exchange, at target: String) -> String {
        let (from, target) = (URLText.withoutQuery(exchange.url), URLText.withoutQuery(target))
        let hint = target == from + "/" ? ": the path lacks its last slash" : ""
        return "; the redirect to \(target) was not followed, because it would make the "
            + "\(exchange.method) a GET, which brings the server nothing\(hint)"
    }

    /// Whether an answer redirects a request of the outbox within the API in such a way that the
    /// next request would be a GET without its content.
    func losesContent(_ answer: Answer) -> Bool {
        guard isStorable, let location = answer.location, !leadsAway(to: location),
            case .follow(let method, _, _, _) = RedirectPolicy.decide(
                status: answer.status, method: request.exchange.method, location: location,
                from: request.exchange.url, followed: 0, redirectsMax: 1)
        else { return false }
        return method != request.exchange.method
    }

    /// An addition to the message of a failure whose redirect was not followed.
    static let leadsAway =
        "; the redirect was not followed, because it leads to another origin: a hotspot or a proxy "
        + "may have answered in place of the API"

    /// Whether the network has answered, and not the API, as the status or the target of a redirect
    /// shows.
    func isOfNetwork(_ status: Int, _ target: String?) -> Bool {
        if AnswerMeaning(AnswerFacts(status: status)) == .notTheAPI { return true }
        return target.map(leadsAway) == true && isStorable
    }

    /// Whether a URL belongs neither to the origin of the request nor to an origin that the
    /// document trusts.
    func leadsAway(to url: String) -> Bool {
        guard let target = try? Origin(url: url) else { return true }
        return target != (try? Origin(url: request.exchange.url))
            && !context.environment.trusts(target)
    }

    /// Whether the answer is a redirect to another origin, and the request would end with it.
    func isLedAway(_ answer: Answer) -> Bool {
        guard let location = answer.location, isStorable else { return false }
        return leadsAway(to: location)
    }

    // MARK: Pages

    /// Whether a successful answer is a page of HTML that nothing here expects.
    func isPage(_ answer: Answer) -> Bool {
        guard answer.isSuccess else { return false }
        let isPage =
            switch answer.bodyPlace {
            case .memory(let body): body.isPage(answer.headers)
            case .dropped: Body.empty.isPage(answer.headers, isDropped: true)
            case .kept, .saved: false
            }
        return isPage && !takesPages
    }

    /// Whether the head of an answer can be that of such a page.
    func mayBePage(_ head: ResponseHead) -> Bool {
        (200..<300).contains(head.status)
            && head.headers[first: "Content-Type"].map(MediaType.isHTML) == true
    }

    /// Whether HTML can be the answer: the program reads the body itself, the request asks for it,
    /// the rules of the answer name it, or a mapper reads it.
    private var takesPages: Bool {
        switch request.answers.parser {
        case .text, .bytes, .function: return true
        case .objects, .json, .headers, .nothing: break
        }
        let rules = call.api.definition.answerRules(of: request.destination.route)
        let named = rules.accepted + rules.validation.mediaTypes + typesAskedFor
        if Self.pageTypes.contains(where: { MediaType.isAccepted($0, named) }) { return true }
        return Self.pageTypes.contains { type in
            context.mappers.mapper(named: request.dataMapper, type: type, looksLikeJSON: false)
                .map { MediaType.reads($0, type) } ?? false
        }
    }

    /// The types of the field `Accept`. Clients send "*/*" without meaning pages.
    private var typesAskedFor: [String] {
        let accept = Headers(request.exchange.headers).joined("Accept") ?? ""
        return accept.split(separator: ",").map { MediaType.essence(String($0)) }
            .filter { $0 != "*/*" }
    }

    /// Returns the failure of a request that has got such a page.
    func pageFailure(_ answer: Answer) -> Failure {
        var failure = processor.failure(
            .http,
            "answered \(answer.status) with a page of HTML in place of the API's answer; a "
                + "hotspot or a proxy may have answered. If HTML is the API's answer, the route "
                + "says so with \"accept\"", answer)
        failure.request = failure.response?.request
        failure.isOfNetwork = true
        failure.isRetryable = true
        return failure
    }
}
