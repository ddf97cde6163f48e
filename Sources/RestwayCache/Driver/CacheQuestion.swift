import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// A request that asks the cache.
final class CacheQuestion: Sendable {
    let request: CacheRequest
    let label: EntryLabel
    let plan: CachePlan
    /// Whether the body of the answer stays in memory.
    let wantsBytes: Bool
    /// Whether the client knows the cookies that are sent with the request.
    let knowsCookies: Bool

    /// - Parameters:
    ///   - isOffline: Whether any answer, however old, is better than none.
    ///   - byOwnURL: Whether a request behind redirects asks for the answers to requests that were
    ///     made to its URL without redirects.
    convenience init(
        _ request: PreparedRequest, _ plan: CachePlan, isOffline: Bool = false,
        byOwnURL: Bool = false
    ) {
        let mode = isOffline && plan.mode == .standard ? .preferred : plan.mode
        guard !byOwnURL, let redirection = request.redirection,
            let firstPlan = redirection.request.sending.caching
        else {
            let asked = CacheRequest(request, as: request, plan, mode)
            self.init(
                asked, plan, wantsBytes: request.bodyDestination.isMemory,
                knowsCookies: request.sendsCookiesOfClient)
            return
        }
        // The answer is found again by the request before the redirects, so its cookies for the URL
        // behind them are not known then.
        let first = redirection.request
        self.init(
            CacheRequest(request, as: first, plan, mode, redirection.redirects), plan,
            wantsBytes: request.bodyDestination.isMemory,
            EntryLabel(CacheRequest(first, as: first, firstPlan, mode), firstPlan))
    }

    init(
        _ request: CacheRequest, _ plan: CachePlan, wantsBytes: Bool = true,
        knowsCookies: Bool = false, _ label: EntryLabel? = nil
    ) {
        self.request = request
        self.plan = plan
        self.wantsBytes = wantsBytes
        self.knowsCookies = knowsCookies
        self.label = label ?? EntryLabel(request, plan)
    }

    /// Returns the same question of a program that wants the server to be asked.
    func validating() -> CacheQuestion { with(request.with(.validate)) }

    /// Returns the same question of a request that has the same key.
    private func with(_ request: CacheRequest) -> CacheQuestion {
        CacheQuestion(request, plan, wantsBytes: wantsBytes, knowsCookies: knowsCookies, label)
    }

    /// Returns the same question with the cookies that the client sends now.
    ///
    /// - Parameter cookies: Returns them; see `ResponseCache.Options`.
    func withCookies(_ cookies: ResponseCache.Cookies?) -> CacheQuestion {
        guard knowsCookies, let cookies, request.addedCookies == nil,
            let text = cookies(request.url)
        else { return self }
        return with(request.adding(cookies: text))
    }
}

extension CacheRequest {
    /// - Parameter first: The request by which the answer is found again.
    fileprivate convenience init(
        _ request: PreparedRequest, as first: PreparedRequest, _ plan: CachePlan,
        _ mode: CacheMode, _ redirects: FollowedRedirects? = nil
    ) {
        var body: [UInt8]?
        if plan.rules.keepsUnsafe, case .bytes(let bytes) = request.exchange.body { body = bytes }
        self.init(
            method: request.exchange.method, url: request.exchange.url,
            headers: first.receivedHeaders, body: body, accepted: request.accepted,
            redirects: redirects, rules: plan.rules, mode: mode,
            addedCookies: request.exchange.usesCookies ? nil : "")
    }
}

extension EntryLabel {
    convenience init(_ request: CacheRequest, _ plan: CachePlan) {
        let owner = OwnerText.text(discriminator: plan.discriminator, holder: plan.holder)
        // If the answer to any other method is kept, it is kept for GET.
        let method = request.isAnswerable ? request.method : "GET"
        self.init(
            name: CacheKey(request, owner: owner, route: plan.route).text, method: method,
            route: plan.route, owner: owner)
    }
}

/// A kept answer with its body at hand.
struct HeldAnswer: Sendable {
    let answer: KeptAnswer
    let body: Body
    /// The file with the body; `body` is then empty.
    let file: CachedBodyFile?

    /// Makes the answer of a call.
    ///
    /// - Parameter part: The part of the body that is asked for.
    func answer(
        to question: CacheQuestion, _ state: CacheNote.State, _ age: EntryAge,
        _ status: CacheStatus, part: StoredRange? = nil, isNotModified: Bool = false
    ) -> Answer {
        let head = answer.head
        var status = status
        status.secondsToLive = age.lifetime - age.age
        var body = body
        if let part { body = Self.part(part, of: body, head) }
        var answer = Answer(
            status: isNotModified ? 304 : head.servedStatus(part: part),
            httpVersion: HTTPVersion(rawValue: Int32(clamping: head.httpVersion)),
            headers: head.served(age, status, part: part), url: head.url, body: body)
        answer.cache = CacheNote(
            state, ageSeconds: age.age, lifetimeSeconds: age.lifetime, isStale: !age.isFresh)
        let isWhole = part == nil && !isNotModified && question.request.method != "HEAD"
        if isWhole {
            answer.mappings = self.answer.mappings
            if let file { answer.bodyPlace = .kept(file) }
        }
        return answer
    }

    private static func part(_ part: StoredRange, of body: Body, _ head: StoredHead) -> Body {
        let start = Int(part.first - (head.range?.first ?? 0))
        return body.withBytes { bytes in
            guard start >= 0, start <= bytes.count else { return Body() }
            return Body([UInt8](bytes[start...].prefix(Int(part.length))))
        }
    }
}
