import RestwayClient
import RestwayOutcome

public import CRestway

// client.h

@_cdecl("restway_client_options_init") @implementation
public func restway_client_options_init(
    _ options: UnsafeMutablePointer<restway_client_options>?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let options = try Argument.out(options, "options")
        try SizedOptions.initialize(
            options, size: size, sizeMin: ClientOptions.structSizeMin, "options")
    }
}

@_cdecl("restway_client_create") @implementation
public func restway_client_create(
    _ api: OpaquePointer?, _ options: UnsafePointer<restway_client_options>?,
    _ outClient: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outClient, outError, named: "out_client") { () throws(Failure) in
        let api = try Argument.handle(APIHandle.self, api, "api").api
        return ClientHandle(try Client(api: api, options: try ClientOptions(options)))
    }
}

@_cdecl("restway_client_retain") @implementation
public func restway_client_retain(_ client: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(ClientHandle.self, client)
}

@_cdecl("restway_client_release") @implementation
public func restway_client_release(_ client: OpaquePointer?) {
    Handle.release(ClientHandle.self, client)
}

@_cdecl("restway_client_close") @implementation
public func restway_client_close(_ client: OpaquePointer?) {
    Handle.object(ClientHandle.self, client)?.client.close()
}

@_cdecl("restway_client_store") @implementation
public func restway_client_store(_ client: OpaquePointer?) -> OpaquePointer! {
    Handle.object(ClientHandle.self, client).map { Handle.give(StoreHandle($0.client)) }
}

@_cdecl("restway_client_send") @implementation
public func restway_client_send(
    _ client: OpaquePointer?, _ request: OpaquePointer?, _ done: restway_done_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outCall: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCall?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let spec = request.copy()
        let call = try DoneNotice.sending(spec, through: client, done, context, destroy)
        outCall?.pointee = Handle.give(call)
    }
}

@_cdecl("restway_client_perform") @implementation
public func restway_client_perform(
    _ client: OpaquePointer?, _ request: OpaquePointer?, _ milliseconds: Int64,
    _ outResponse: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outResponse?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        let request = try Argument.handle(RequestHandle.self, request, "request")
        try Argument.wait(milliseconds)
        let response = try client.perform(request.copy(), milliseconds: milliseconds)
        outResponse?.pointee = Handle.give(ResponseHandle(response))
    }
}
