import RestwayCalls
import RestwayClient
import RestwayOutcome

public import CRestway

// event.h, and the part of client.h about delivery and questions

@_cdecl("restway_event_release") @implementation
public func restway_event_release(_ event: UnsafeMutablePointer<restway_event>?) {
    guard let event else { return }
    event.pointee.releasePayload()
    event.pointee.payload.response = nil
}

@_cdecl("restway_client_process") @implementation
public func restway_client_process(
    _ client: OpaquePointer?, _ milliseconds: Int64, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        guard milliseconds >= -1 else {
            throw Failure(
                .invalidArgument, "milliseconds is out of range: \(milliseconds)",
                field: "milliseconds")
        }
        let count = try client.delivery.process(milliseconds: milliseconds)
        outCount?.pointee = count
    }
}

@_cdecl("restway_client_descriptor") @implementation
public func restway_client_descriptor(_ client: OpaquePointer?) -> Int32 {
    Handle.object(ClientHandle.self, client)?.client.delivery.descriptor ?? -1
}

@_cdecl("restway_client_drain") @implementation
public func restway_client_drain(
    _ client: OpaquePointer?, _ events: UnsafeMutablePointer<restway_event>?, _ capacity: Int,
    _ outCount: UnsafeMutablePointer<Int>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        let events = try Argument.out(events, "events")
        let outCount = try Argument.out(outCount, "out_count")
        guard capacity > 0 else {
            throw Failure(.invalidArgument, "capacity is 0", field: "capacity")
        }
        let notices = try client.delivery.drain(max: capacity)
        var count = 0
        for notice in notices where restway_event.write(notice, to: events + count) { count += 1 }
        outCount.pointee = count
    }
}

@_cdecl("restway_client_set_modifier") @implementation
public func restway_client_set_modifier(
    _ client: OpaquePointer?, _ modify: restway_modify_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        let context = HostContext(context, destroy)
        do throws(Failure) {
            try client.setModifier(modify.map { Modification.asking($0, context) })
        } catch {
            context.giveBack()
            throw error
        }
    }
}

@_cdecl("restway_client_set_exclusion") @implementation
public func restway_client_set_exclusion(
    _ client: OpaquePointer?, _ exclude: restway_exclude_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        let context = HostContext(context, destroy)
        do throws(Failure) {
            try client.setExclusion(exclude.map { Exclusion.asking($0, context) })
        } catch {
            context.giveBack()
            throw error
        }
    }
}

@_cdecl("restway_request_to_curl") @implementation
public func restway_request_to_curl(
    _ request: OpaquePointer?, _ client: OpaquePointer?, _ flags: UInt32,
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int,
    _ outLength: UnsafeMutablePointer<Int>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outLength?.pointee = 0
    if capacity > 0 { buffer?.pointee = 0 }
    return Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        guard flags & ~RESTWAY_CURL_REVEAL == 0 else {
            throw Failure(.invalidArgument, "flags holds unknown bits", field: "flags")
        }
        _ = try Argument.bytes(buffer, capacity, "buffer")
        let reveals = flags & RESTWAY_CURL_REVEAL != 0
        let spec = request.copy()
        let command = Array(try client.curlCommand(spec, reveals: reveals).utf8)
        outLength?.pointee = command.count
        guard let buffer, capacity > 0 else { return }
        var count = min(command.count, capacity - 1)
        // The text is not cut inside a character, so that it stays UTF-8.
        while count > 0, count < command.count, command[count] & 0xC0 == 0x80 { count -= 1 }
        for index in 0..<count { buffer[index] = CChar(bitPattern: command[index]) }
        buffer[count] = 0
    }
}
