public import CRestway
import RestwayCalls
import RestwayClient
import RestwayHTTP
import RestwayOutcome
import RestwayThreads

/// The exchange that an authorize function changes.
///
/// `@unchecked Sendable`: lent to the thread that is asked, while the question is asked.
final class ExchangeHandle: TextLender, @unchecked Sendable {
    var outgoing: OutgoingExchange {
        didSet { texts = LentTexts() }
    }
    /// The texts of the present `outgoing`. A change drops them.
    private(set) var texts = LentTexts()
    /// The refusal that the function has given before it refuses.
    var refusal: (reason: String, cause: HostContext)?
    let generation = ProcessGeneration.current

    init(_ outgoing: OutgoingExchange) {
        self.outgoing = outgoing
    }
}

// The part of auth.h about exchanges

@_cdecl("restway_exchange_method") @implementation
public func restway_exchange_method(_ exchange: OpaquePointer?) -> CString! {
    Handle.text(ExchangeHandle.self, exchange, "method") { $0.outgoing.exchange.method }
}

@_cdecl("restway_exchange_url") @implementation
public func restway_exchange_url(_ exchange: OpaquePointer?) -> CString! {
    Handle.text(ExchangeHandle.self, exchange, "url") { $0.outgoing.exchange.url }
}

@_cdecl("restway_exchange_header") @implementation
public func restway_exchange_header(_ exchange: OpaquePointer?, _ name: CString?) -> CString! {
    Handle.header(ExchangeHandle.self, exchange, name) { $0.outgoing.headers }
}

@_cdecl("restway_exchange_body") @implementation
public func restway_exchange_body(
    _ exchange: OpaquePointer?, _ outLength: Out<Int>?
) -> UnsafeRawPointer! {
    Handle.bytes(ExchangeHandle.self, exchange, outLength) { $0.outgoing.bodyBytes }
}

@_cdecl("restway_exchange_attempt") @implementation
public func restway_exchange_attempt(_ exchange: OpaquePointer?) -> Int32 {
    Int32(clamping: Handle.object(ExchangeHandle.self, exchange)?.outgoing.attempt ?? 0)
}

@_cdecl("restway_exchange_set_header") @implementation
public func restway_exchange_set_header(
    _ exchange: OpaquePointer?, _ name: CString?, _ value: CString?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ExchangeHandle.self, exchange, "exchange")
        let name = try Argument.headerName(name)
        guard let value = try Argument.optionalString(value, "value") else {
            return handle.outgoing.headers.remove(name)
        }
        try Argument.headerValue(value, "the value of header \(name)")
        handle.outgoing.headers.set(name, value)
    }
}

@_cdecl("restway_exchange_add_parameter") @implementation
public func restway_exchange_add_parameter(
    _ exchange: OpaquePointer?, _ name: CString?, _ value: CString?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ExchangeHandle.self, exchange, "exchange")
        let name = try Argument.nonEmptyString(name, "name")
        handle.outgoing.addParameter(name, try Argument.string(value, "value"))
    }
}

@_cdecl("restway_exchange_set_refusal") @implementation
public func restway_exchange_set_refusal(
    _ exchange: OpaquePointer?, _ reason: CString?, _ cause: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let exchange = try Argument.handle(ExchangeHandle.self, exchange, "exchange")
        let reason = try Argument.nonEmptyString(reason, "reason")
        exchange.refusal = (reason, HostContext(cause, destroy))
    }
}
