import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

enum Redirection {
    case followed, notFollowed
    /// The answer is a failure with this text in its message.
    case refused(String)
}

extension StageEntry {
    /// Follows a redirect, or leaves its answer as it is.
    ///
    /// - Parameter location: The URL to which it leads; `nil` if it leads nowhere.
    func redirect(_ answer: Answer, to location: String?) -> Redirection {
        let status = answer.status
        let network = NetworkAnswers(self)
        let mayBeOfNetwork = network.isStorable && location.map(network.leadsAway) == true
        var facts = AnswerFacts(status: status)
        facts.isOfWrite = !request.exchange.isSafe
        facts.isOfNetwork = mayBeOfNetwork
        // The answer of a success is judged later.
        if !answer.isSuccess, AnswerMeaning(facts) == .done { noteTaken() }
        guard (300..<400).contains(status), context.options.followsRedirects,
            !request.sending.isInBatch
        else { return .notFollowed }
        let max = context.options.redirectsMax
        let (count, lookup) = call.state.withLock { ($0.journey.redirects, $0.resources.lookup) }
        func decide(followed count: Int, redirectsMax max: Int) -> RedirectDecision {
            RedirectPolicy.decide(
                status: status, method: request.exchange.method, location: location,
                from: request.exchange.url, followed: count, redirectsMax: max)
        }
        let decision = decide(followed: count, redirectsMax: max)
        // The redirect that is one too many may also be one that is not followed in any case.
        if case .fail(.tooMany) = decision, mayBeOfNetwork {
            return .refused(NetworkAnswers.leadsAway)
        }
        if case .fail(.tooMany) = decision,
            case .follow(let method, let target, _, _) = decide(followed: 0, redirectsMax: 1),
            wouldLose(method, status, network)
        {
            return .refused(NetworkAnswers.wouldLose(request.exchange, at: target))
        }
        switch decision {
        case .stop:
            return .notFollowed
        case .fail(.invalid) where network.isStorable:
            return .refused(NetworkAnswers.leadsAway)
        case .fail(let reason):
            let kind: Failure.Reason =
                switch reason {
                case .tooMany: .tooManyRedirects
                case .invalid: .invalidURL
                }
            let failure = Failure(
                kind, "\(call.description): \(reason.message)", domain: .transport)
            report(.judged(.fail(failure)))
            return .followed
        case .follow(let method, let target, _, _)
        where wouldLose(method, status, network) && !mayBeOfNetwork:
            return .refused(NetworkAnswers.wouldLose(request.exchange, at: target))
        case .follow(_, _, true, _) where !request.isRewindable:
            return .refused(Judgement.notRewindable)
        case .follow(let method, let target, let keepsBody, let isSameOrigin):
            let isTrusted =
                isSameOrigin
                ? request.sending.isTrusted : context.environment.trusts(url: target)
            let mayKnow = isSameOrigin || isTrusted
            let rules = call.api.definition.environments.redirects
            let mayLeave = mayKnow || keepsBody && rules.mayCarryBody(isTrusted: false)
            if !mayLeave, network.isStorable {
                return .refused(NetworkAnswers.leadsAway)
            }
            guard !keepsBody || !request.hasBody || rules.mayCarryBody(isTrusted: mayKnow) else {
                return .refused(
                    "; the redirect was not followed, because it leads to another origin and "
                        + "would carry the body of the request along (trustedOrigins or "
                        + "redirectBodies allow that)")
            }
            var next = (lookup?.request ?? request).exchange
            next.method = method
            next.url = target
            if !keepsBody { next.body = .none }
            next.headers = rules.headers(next.headers, keepsBody: keepsBody, isTrusted: mayKnow)
            // A server that answers with another method has taken the request.
            let before =
                method == request.exchange.method
                ? request.destination.beforeRedirects ?? lookup?.request ?? request : nil
            let redirected = request.redirected(
                next, keepsBody: keepsBody, isTrusted: isTrusted, before: before,
                by: answer.headers)
            call.log.noteRedirect(to: target)
            report(.judged(.redirect(redirected))) { $0.resources.lookup = nil }
            return .followed
        }
    }

    /// Whether a redirect to a request with `method` would leave out what the server has to take.
    private func wouldLose(_ method: String, _ status: Int, _ network: NetworkAnswers) -> Bool {
        method != request.exchange.method && status != 303 && network.isAboutContent
    }

    /// Returns the request with which the next attempt starts: the request before the redirects
    /// that this attempt has followed. The call no longer leads or shares the exchange to which
    /// they have led.
    func leaveRedirects() -> PreparedRequest {
        guard let before = request.destination.beforeRedirects else { return request }
        if let lookup = call.lookup { context.flights.leave(call, lookup) }
        return before
    }
}
