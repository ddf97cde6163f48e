import RestwayHTTP
import RestwayRouting
import RestwaySupport

extension Call {
    /// Goes where a redirect leads; false when this is an answer to be taken as it is.
    func follow(
        _ head: ResponseHead, _ summary: ExchangeSummary, of request: PreparedRequest,
        isOnWorker: Bool
    ) -> Bool {
        guard head.isRedirect, let max = client.options.redirectsMax, !travelsInBatch else {
            return false
        }
        let count = state.withLock { $0.redirects }
        let url = request.exchange.url
        let decision = RedirectPolicy(redirectsMax: max).decide(
            status: head.status, method: request.exchange.method,
            location: summary.redirectURL ?? head.redirectURL, from: url, followed: count)
        switch decision {
        case .stop:
            return false
        case .fail(let reason):
            let kind: Failure.Reason =
                switch reason {
                case .tooMany: .tooManyRedirects
                case .invalid: .invalidURL
                }
            finish(.failure(Failure(kind, "\(description): \(reason.message)", domain: .transport)))
        case .follow(_, _, true, _) where !request.isRewindable:
            cannotBeSentAgain()
            return false
        case .follow(let method, let target, let keepsBody, let isSameOrigin):
            var next = request.exchange
            next.method = method
            next.url = target
            if !keepsBody { next.body = .none }
            let isTrusted = isSameOrigin ? request.isTrusted : client.trusts(target)
            next.headers = next.headers.filter { field in
                if !keepsBody, field.name.lowercased().hasPrefix("content-") { return false }
                return isTrusted || isSameOrigin || SafeHeaders.contains(field.name)
            }
            let isWanted = state.withLock { state in
                guard state.phase.exchangeAgain() else { return false }
                state.redirects += 1
                return true
            }
            guard isWanted else { return true }
            log.isRedirected(to: target)
            perform(
                request.redirected(next, keepsBody: keepsBody, isTrusted: isTrusted),
                isOnWorker: isOnWorker)
        }
        return true
    }
}

extension Client {
    /// Whether the environment's credentials may go to `url`.
    func trusts(_ url: String) -> Bool {
        guard let origin = try? Origin(url: url) else { return false }
        return environment.trusts(origin)
    }
}
