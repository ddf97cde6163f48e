public import CRestway
import RestwayCalls
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// The exchange that an authorize function changes.
///
/// `@unchecked Sendable`: lent to the thread that is asked, while the question is asked.
final class ExchangeHandle: TextLender, @unchecked Sendable {
    var exchange: Exchange {
        didSet { texts = LentTexts() }
    }
    /// The texts of the present `exchange`. A change drops them.
    private(set) var texts = LentTexts()
    /// The refusal that the function has given before it refuses.
    var refusal: (reason: String, cause: HostContext)?
    let generation = ProcessGeneration.current

    init(_ exchange: Exchange) {
        self.exchange = exchange
    }
}

// The part of auth.h about exchanges

@_cdecl("restway_exchange_method") @implementation
public func restway_exchange_method(_ exchange: InHandle) -> CString! {
    ExchangeHandle.text(exchange, "method") { $0.exchange.method }
}

@_cdecl("restway_exchange_url") @implementation
public func restway_exchange_url(_ exchange: InHandle) -> CString! {
    ExchangeHandle.text(exchange, "url") { $0.exchange.url }
}

@_cdecl("restway_exchange_header") @implementation
public func restway_exchange_header(_ exchange: InHandle, _ name: CString?) -> CString! {
    ExchangeHandle.header(exchange, name) { Headers($0.exchange.headers) }
}

@_cdecl("restway_exchange_body") @implementation
public func restway_exchange_body(
    _ exchange: InHandle, _ outLength: Out<Int>?
) -> UnsafeRawPointer! {
    ExchangeHandle.bytes(exchange, outLength) { $0.exchange.body.bytes }
}

@_cdecl("restway_exchange_attempt") @implementation
public func restway_exchange_attempt(_ exchange: InHandle) -> Int32 {
    Int32(clamping: ExchangeHandle.object(exchange)?.exchange.attempt ?? 0)
}

@_cdecl("restway_exchange_set_header") @implementation
public func restway_exchange_set_header(
    _ exchange: InHandle, _ name: CString?, _ value: CString?, _ outError: OutHandle?
) -> restway_status {
    ExchangeHandle.using(exchange, outError) { handle throws(Failure) in
        let name = try Argument.headerName(name)
        guard let value = try Argument.optionalString(value, "value") else {
            return handle.exchange.headers.removeAll { $0.isNamed(name) }
        }
        try Argument.headerValue(value, "the value of header \(name)")
        handle.exchange.headers.set(name, value)
    }
}

@_cdecl("restway_exchange_add_parameter") @implementation
public func restway_exchange_add_parameter(
    _ exchange: InHandle, _ name: CString?, _ value: CString?, _ outError: OutHandle?
) -> restway_status {
    ExchangeHandle.using(exchange, outError) { handle throws(Failure) in
        let name = try Argument.nonEmptyString(name, "name")
        handle.exchange.addParameter(name, try Argument.string(value, "value"))
    }
}

@_cdecl("restway_exchange_set_refusal") @implementation
public func restway_exchange_set_refusal(
    _ exchange: InHandle, _ reason: CString?, _ cause: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    ExchangeHandle.using(exchange, outError) { exchange throws(Failure) in
        let reason = try Argument.nonEmptyString(reason, "reason")
        exchange.refusal = (reason, HostContext(cause, destroy))
    }
}
