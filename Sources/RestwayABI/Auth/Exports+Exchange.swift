import RestwayCalls
import RestwayHTTP
import RestwayOutcome

public import CRestway

// The part of auth.h about exchanges

@_cdecl("restway_exchange_method") @implementation
public func restway_exchange_method(_ exchange: OpaquePointer?) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ExchangeHandle.self, exchange) else { return nil }
    return handle.texts.pointer("method") { handle.outgoing.exchange.method }
}

@_cdecl("restway_exchange_url") @implementation
public func restway_exchange_url(_ exchange: OpaquePointer?) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ExchangeHandle.self, exchange) else { return nil }
    return handle.texts.pointer("url") { handle.outgoing.exchange.url }
}

@_cdecl("restway_exchange_header") @implementation
public func restway_exchange_header(
    _ exchange: OpaquePointer?, _ name: UnsafePointer<CChar>?
) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ExchangeHandle.self, exchange),
        let name = name.flatMap({ String(validatingCString: $0) })?.lowercased()
    else { return nil }
    return handle.texts.pointer("header \(name)") { handle.outgoing.headers.joined(name) }
}

@_cdecl("restway_exchange_body") @implementation
public func restway_exchange_body(
    _ exchange: OpaquePointer?, _ outLength: UnsafeMutablePointer<Int>?
) -> UnsafeRawPointer! {
    outLength?.pointee = 0
    guard let bytes = Handle.object(ExchangeHandle.self, exchange)?.outgoing.bodyBytes else {
        return nil
    }
    outLength?.pointee = bytes.count
    // The exchange keeps the array, which nothing changes.
    return bytes.withUnsafeBytes { $0.baseAddress }
}

@_cdecl("restway_exchange_attempt") @implementation
public func restway_exchange_attempt(_ exchange: OpaquePointer?) -> Int32 {
    Int32(clamping: Handle.object(ExchangeHandle.self, exchange)?.outgoing.attempt ?? 0)
}

@_cdecl("restway_exchange_set_header") @implementation
public func restway_exchange_set_header(
    _ exchange: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ExchangeHandle.self, exchange, "exchange")
        let name = try Argument.string(name, "name")
        guard Headers.isValidName(name) else {
            throw Failure(
                .invalidArgument, "name is not a header name (RFC 9110, section 5.1)",
                field: "name")
        }
        guard let value = try Argument.optionalString(value, "value") else {
            handle.outgoing.headers.remove(name)
            return
        }
        try Argument.headerValue(value, "the value of header \(name)")
        handle.outgoing.headers.set(name, value)
    }
}

@_cdecl("restway_exchange_add_parameter") @implementation
public func restway_exchange_add_parameter(
    _ exchange: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ExchangeHandle.self, exchange, "exchange")
        let name = try Argument.nonEmptyString(name, "name")
        handle.outgoing.addParameter(name, try Argument.string(value, "value"))
    }
}

@_cdecl("restway_exchange_set_refusal") @implementation
public func restway_exchange_set_refusal(
    _ exchange: OpaquePointer?, _ reason: UnsafePointer<CChar>?,
    _ cause: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let exchange = try Argument.handle(ExchangeHandle.self, exchange, "exchange")
        let reason = try Argument.nonEmptyString(reason, "reason")
        exchange.refusal = (reason, HostContext(cause, destroy))
    }
}
