import RestwayAuth
import RestwayHTTP
import RestwayRouting

/// Collects what a request, its route and the client say about how the request is sent.
extension RequestPreparation {
    func sending(
        _ spec: RequestSpec, _ settings: RouteSettings, _ method: Method,
        _ headers: inout [HeaderField]
    ) -> SendingRules {
        var rules = SendingRules(
            auth: spec.authMode ?? settings.auth ?? .full,
            retry: settings.retry ?? client.retry.policy(of: api), progress: spec.progress)
        // A caller that sets the header of the scheme replaces the scheme.
        if let name = api.definition.auth.header,
            spec.headers.contains(where: { $0.value != nil && $0.name.isSameHeader(as: name) })
        {
            rules.auth = .none
        }
        if let key = spec.idempotencyKey {
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

extension String {
    fileprivate func isSameHeader(as name: String) -> Bool {
        HeaderField(name: self, value: "").isNamed(name)
    }
}
