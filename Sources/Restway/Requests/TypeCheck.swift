import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayRequests

/// A sender that knows which client sends a request. A sender that the program has written does not
/// say it.
protocol KnownSender {
    func resolve(_ request: Request) throws(RestwayError) -> (client: Client, request: Request)?
}

extension Client: KnownSender {
    func resolve(_ request: Request) throws(RestwayError) -> (client: Client, request: Request)? {
        (self, request)
    }
}

extension RoutingClient: KnownSender {
    func resolve(_ request: Request) throws(RestwayError) -> (client: Client, request: Request)? {
        (try client(for: request), request)
    }
}

/// A list or an optional value, whose content is what objects are read into.
private protocol Wrapper {
    static var content: Any.Type { get }
}

extension Array: Wrapper {
    static var content: Any.Type { Element.self }
}

extension Optional: Wrapper {
    static var content: Any.Type { Wrapped.self }
}

extension RequestSender {
    /// Throws if it is known before the request is sent that its answer cannot be read into `type`.
    func check<Value>(_ request: Request, gives type: Value.Type) throws(RestwayError) {
        guard let found = try (self as? any KnownSender)?.resolve(request) else { return }
        var content: Any.Type = type
        while let wrapper = content as? any Wrapper.Type { content = wrapper.content }
        let wanted = WantedObjects(
            type: "\(type)", entity: (content as? any Mapped.Type)?.entity, mayBeValue: true)
        let spec = try found.request.spec()
        try RestwayError.explaining(found.client.source) { () throws(Failure) in
            try found.client.core.calls.check(spec, gives: wanted)
        }
    }
}
