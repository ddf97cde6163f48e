public import CRestway
import RestwayCalls
import RestwayClient
import RestwayHTTP
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// A request as it goes out, with the texts that C callers borrow from it.
final class OutgoingHandle: TextLender, Sendable {
    let request: OutgoingRequest
    let texts = LentTexts()
    let generation = ProcessGeneration.current

    init(_ request: OutgoingRequest) {
        self.request = request
    }

    func header(_ index: Int) -> HeaderField? { request.headers.at(index) }
}

// inspect.h

@_cdecl("restway_client_inspect") @implementation
public func restway_client_inspect(
    _ client: InHandle, _ request: InHandle, _ outOutgoing: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.creating(client, outOutgoing, outError, "out_outgoing") { client throws(Failure) in
        OutgoingHandle(try client.inspect(try RequestHandle.argument(request).copy()))
    }
}

@_cdecl("restway_client_check_objects") @implementation
public func restway_client_check_objects(
    _ client: InHandle, _ request: InHandle, _ type: CString?, _ entity: CString?,
    _ names: In<CString?>?, _ nameCount: Int, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        let spec = try RequestHandle.argument(request).copy()
        var wanted = WantedObjects(type: try Argument.nonEmptyString(type, "type"))
        if entity != nil { wanted.entity = try Argument.nonEmptyString(entity, "entity") }
        for (index, name) in try Argument.elements(names, nameCount, "names").enumerated() {
            wanted.names.append(try Argument.nonEmptyString(name, "names[\(index)]"))
        }
        try client.calls.check(spec, gives: wanted)
    }
}

@_cdecl("restway_client_url") @implementation
public func restway_client_url(
    _ client: InHandle, _ method: CString?, _ object: InHandle, _ buffer: Out<CChar>?,
    _ capacity: Int, _ outLength: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.filling(buffer, capacity, outLength, outError) { () throws(Failure) in
        let client = try ClientHandle.argument(client)
        let method = try Argument.method(method)
        let object = try Snapshot.argument(object)
        return try client.calls.url(
            RequestSpec(target: .subject(method), subject: .object(object)))
    }
}

@_cdecl("restway_response_request") @implementation
public func restway_response_request(_ response: InHandle) -> OpaquePointer! {
    ResponseHandle.object(response)?.response.request.map { Handle.give(OutgoingHandle($0)) }
}

@_cdecl("restway_error_request") @implementation
public func restway_error_request(_ error: InHandle) -> OpaquePointer! {
    ErrorHandle.object(error)?.failure.request.map { Handle.give(OutgoingHandle($0)) }
}

@_cdecl("restway_outgoing_method") @implementation
public func restway_outgoing_method(_ outgoing: InHandle) -> CString! {
    OutgoingHandle.text(outgoing, "method") { $0.request.method }
}

@_cdecl("restway_outgoing_url") @implementation
public func restway_outgoing_url(_ outgoing: InHandle) -> CString! {
    OutgoingHandle.text(outgoing, "url") { $0.request.url }
}

@_cdecl("restway_outgoing_route") @implementation
public func restway_outgoing_route(_ outgoing: InHandle) -> CString! {
    OutgoingHandle.text(outgoing, "route") { $0.request.route?.displayName }
}

@_cdecl("restway_outgoing_header") @implementation
public func restway_outgoing_header(_ outgoing: InHandle, _ name: CString?) -> CString! {
    OutgoingHandle.header(outgoing, name) { Headers($0.request.headers) }
}

@_cdecl("restway_outgoing_header_count") @implementation
public func restway_outgoing_header_count(_ outgoing: InHandle) -> Int {
    OutgoingHandle.object(outgoing)?.request.headers.count ?? 0
}

@_cdecl("restway_outgoing_header_name") @implementation
public func restway_outgoing_header_name(_ outgoing: InHandle, _ index: Int) -> CString! {
    OutgoingHandle.text(outgoing, "name \(index)") { $0.header(index)?.name }
}

@_cdecl("restway_outgoing_header_value") @implementation
public func restway_outgoing_header_value(_ outgoing: InHandle, _ index: Int) -> CString! {
    OutgoingHandle.text(outgoing, "value \(index)") { $0.header(index)?.value }
}

@_cdecl("restway_outgoing_body") @implementation
public func restway_outgoing_body(
    _ outgoing: InHandle, _ outLength: Out<Int>?
) -> UnsafeRawPointer! {
    OutgoingHandle.bytes(outgoing, outLength) { $0.request.body }
}

@_cdecl("restway_outgoing_text") @implementation
public func restway_outgoing_text(_ outgoing: InHandle) -> CString! {
    OutgoingHandle.text(outgoing, "text") { $0.request.text }
}

@_cdecl("restway_http_class_of") @implementation
public func restway_http_class_of(_ httpStatus: Int32) -> restway_http_class {
    (100...599).contains(httpStatus)
        ? restway_http_class(rawValue: UInt32(httpStatus / 100))! : .RESTWAY_HTTP_CLASS_NONE
}
