public import CRestway
import RestwayClient
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// A request that the program builds, from any thread.
final class RequestHandle: HandleObject, Sendable {
    let spec: Lock<RequestSpec>
    let generation = ProcessGeneration.current

    init(_ spec: RequestSpec) {
        self.spec = Lock(spec)
    }

    /// - Parameter spec: A request that others see, too.
    init(_ spec: Lock<RequestSpec>) {
        self.spec = spec
    }

    /// Runs `change` with the properties of a request, which the program may change from several
    /// threads at once. A lock is held meanwhile, so a property that holds a destroy function of
    /// the program is set elsewhere. Properties that `change` sets before it fails stay set.
    static func changing(
        _ request: InHandle, _ outError: OutHandle?,
        _ change: (inout RequestSpec) throws(Failure) -> Void
    ) -> restway_status {
        Boundary.run(outError) { () throws(Failure) in
            try RequestHandle.argument(request).spec.withLock(change)
        }
    }

    func set(_ body: RequestSpec.Body) {
        // The previous value may end here, which may run a destroy function of the program.
        var body: RequestSpec.Body? = body
        spec.withLock { swap(&$0.given.body, &body) }
    }

    func set(_ destination: BodyDestination) {
        // The previous value may end here, which may run a destroy function of the program.
        var destination = destination
        spec.withLock { swap(&$0.reception.bodyDestination, &destination) }
    }

    /// Returns the present request.
    func copy() -> RequestSpec {
        spec.withLock { $0 }
    }
}

// request.h

@_cdecl("restway_request_create") @implementation
public func restway_request_create(
    _ method: CString?, _ path: CString?, _ outRequest: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outRequest, outError, "out_request") { () throws(Failure) in
        let path = try Argument.string(path, "path")
        let method = try Argument.method(method, path: path)
        return RequestHandle(RequestSpec(target: .path(method, path)))
    }
}

@_cdecl("restway_request_create_route") @implementation
public func restway_request_create_route(
    _ method: CString?, _ route: CString?, _ outRequest: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outRequest, outError, "out_request") { () throws(Failure) in
        let method = method == nil ? nil : try Argument.method(method)
        let route = try Argument.nonEmptyString(route, "route")
        return RequestHandle(RequestSpec(target: .route(route, method)))
    }
}

@_cdecl("restway_request_set_route") @implementation
public func restway_request_set_route(
    _ request: InHandle, _ route: CString?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        try spec.setRoute(try Argument.nonEmptyString(route, "route"))
    }
}

@_cdecl("restway_request_create_object") @implementation
public func restway_request_create_object(
    _ method: CString?, _ object: InHandle, _ outRequest: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outRequest, outError, "out_request") { () throws(Failure) in
        let method = try Argument.method(method)
        let object = try Snapshot.argument(object)
        return RequestHandle(RequestSpec(target: .subject(method), subject: .object(object)))
    }
}

@_cdecl("restway_request_create_draft") @implementation
public func restway_request_create_draft(
    _ method: CString?, _ draft: InHandle, _ outRequest: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outRequest, outError, "out_request") { () throws(Failure) in
        let method = try Argument.method(method)
        let draft = try DraftHandle.argument(draft)
        return RequestHandle(RequestSpec(target: .subject(method), subject: draft.subject))
    }
}

@_cdecl("restway_request_set_object") @implementation
public func restway_request_set_object(
    _ request: InHandle, _ object: InHandle, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.subject = .object(try Snapshot.argument(object))
    }
}

@_cdecl("restway_request_set_draft") @implementation
public func restway_request_set_draft(
    _ request: InHandle, _ draft: InHandle, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.subject = try DraftHandle.argument(draft).subject
    }
}

@_cdecl("restway_request_set_variable") @implementation
public func restway_request_set_variable(
    _ request: InHandle, _ name: CString?, _ value: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        let name = try Argument.nonEmptyString(name, "name")
        spec.variables[name] = try HostValue(value, "value").variable(name)
    }
}

@_cdecl("restway_request_set_parameter") @implementation
public func restway_request_set_parameter(
    _ request: InHandle, _ name: CString?, _ value: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.parameters.append(try parameter(name, value))
    }
}

@_cdecl("restway_request_add_parameter") @implementation
public func restway_request_add_parameter(
    _ request: InHandle, _ name: CString?, _ value: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.add(try parameter(name, value))
    }
}

/// Reads a parameter, in whose name dots nest.
private func parameter(
    _ name: CString?, _ value: In<restway_value>?
) throws(Failure) -> Parameter {
    let name = try Argument.nonEmptyString(name, "name")
    let keys = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !keys.contains("") else {
        throw Argument.wrong("name", "name \"\(name)\" has nothing between two of its dots")
    }
    return Parameter(keys: keys, value: try HostValue(value, "value").parameter(name))
}

@_cdecl("restway_request_set_parameters_json") @implementation
public func restway_request_set_parameters_json(
    _ request: InHandle, _ json: CString?, _ length: Int, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        let members = try Argument.jsonObject(json, length)
        spec.parameters += members.map { Parameter(keys: [$0.key], value: $0.value) }
    }
}

@_cdecl("restway_request_set_header") @implementation
public func restway_request_set_header(
    _ request: InHandle, _ name: CString?, _ value: CString?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        let name = try Argument.headerName(name)
        let value = try Argument.optionalString(value, "value")
        if let value { try Argument.headerValue(value, "the value of header \(name)") }
        spec.headers.append((name, value))
    }
}

@_cdecl("restway_request_set_body") @implementation
public func restway_request_set_body(
    _ request: InHandle, _ body: UnsafeRawPointer?, _ length: Int, _ mediaType: CString?,
    _ outError: OutHandle?
) -> restway_status {
    RequestHandle.using(request, outError) { request throws(Failure) in
        let bytes = Array(try Argument.bytes(body, length, "body"))
        request.set(.init(bytes: bytes, mediaType: try Argument.mediaType(mediaType)))
    }
}

@_cdecl("restway_request_set_timeout") @implementation
public func restway_request_set_timeout(
    _ request: InHandle, _ milliseconds: Int64, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        spec.timeouts.totalMilliseconds = try Argument.limit(milliseconds, "milliseconds")
    }
}

@_cdecl("restway_request_set_phase_timeout") @implementation
public func restway_request_set_phase_timeout(
    _ request: InHandle, _ phase: restway_phase, _ milliseconds: Int64, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        let limit = try Argument.limit(milliseconds, "milliseconds")
        switch phase {
        case .RESTWAY_PHASE_CONNECT: spec.timeouts.connectMilliseconds = limit
        case .RESTWAY_PHASE_FIRST_BYTE: spec.timeouts.firstByteMilliseconds = limit
        case .RESTWAY_PHASE_IDLE: spec.timeouts.idleMilliseconds = limit
        default: throw Argument.outOfRange("phase", Int64(phase.rawValue))
        }
    }
}

@_cdecl("restway_request_set_priority") @implementation
public func restway_request_set_priority(
    _ request: InHandle, _ priority: Int32, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec in spec.sending.priority = priority }
}

@_cdecl("restway_request_set_optimistic") @implementation
public func restway_request_set_optimistic(
    _ request: InHandle, _ optimistic: Int32, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        guard (-1...1).contains(optimistic) else {
            throw Argument.outOfRange("optimistic", Int64(optimistic))
        }
        spec.sending.isOptimistic = optimistic < 0 ? nil : optimistic == 1
    }
}

@_cdecl("restway_request_to_curl") @implementation
public func restway_request_to_curl(
    _ request: InHandle, _ client: InHandle, _ flags: UInt32, _ buffer: Out<CChar>?,
    _ capacity: Int, _ outLength: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.filling(buffer, capacity, outLength, outError) { () throws(Failure) in
        let spec = try RequestHandle.argument(request).copy()
        let client = try ClientHandle.argument(client)
        try Argument.flags(flags, known: RESTWAY_CURL_REVEAL)
        return try client.curlCommand(spec, reveals: flags != 0)
    }
}
