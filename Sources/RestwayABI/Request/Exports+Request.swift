public import CRestway
import RestwayClient
import RestwayHTTP
import RestwayJSON
import RestwayObjects
import RestwayRouting
import RestwayThreads

// request.h

@_cdecl("restway_request_create") @implementation
public func restway_request_create(
    _ method: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?,
    _ outRequest: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outRequest, outError, named: "out_request") { () throws(Failure) in
        let method = try Argument.method(method)
        return RequestHandle(
            RequestSpec(target: .path(method, try Argument.string(path, "path"))))
    }
}

@_cdecl("restway_request_create_route") @implementation
public func restway_request_create_route(
    _ route: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
    _ outRequest: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outRequest, outError, named: "out_request") { () throws(Failure) in
        let route = try Argument.nonEmptyString(route, "route")
        let method = method == nil ? nil : try Argument.method(method)
        return RequestHandle(RequestSpec(target: .route(route, method)))
    }
}

@_cdecl("restway_request_create_object") @implementation
public func restway_request_create_object(
    _ method: UnsafePointer<CChar>?, _ object: OpaquePointer?,
    _ outRequest: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outRequest, outError, named: "out_request") { () throws(Failure) in
        let method = try Argument.method(method)
        let object = try Argument.handle(Snapshot.self, object, "object")
        return RequestHandle(RequestSpec(target: .subject(method), subject: .object(object)))
    }
}

@_cdecl("restway_request_create_draft") @implementation
public func restway_request_create_draft(
    _ method: UnsafePointer<CChar>?, _ draft: OpaquePointer?,
    _ outRequest: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outRequest, outError, named: "out_request") { () throws(Failure) in
        let method = try Argument.method(method)
        let draft = try Argument.draft(draft)
        return RequestHandle(RequestSpec(target: .subject(method), subject: draft.subject))
    }
}

@_cdecl("restway_request_set_object") @implementation
public func restway_request_set_object(
    _ request: OpaquePointer?, _ object: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let object = try Argument.handle(Snapshot.self, object, "object")
        request.spec.withLock { $0.subject = .object(object) }
    }
}

@_cdecl("restway_request_set_draft") @implementation
public func restway_request_set_draft(
    _ request: OpaquePointer?, _ draft: OpaquePointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let draft = try Argument.draft(draft)
        request.spec.withLock { $0.subject = draft.subject }
    }
}

@_cdecl("restway_request_retain") @implementation
public func restway_request_retain(_ request: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(RequestHandle.self, request)
}

@_cdecl("restway_request_release") @implementation
public func restway_request_release(_ request: OpaquePointer?) {
    Handle.release(RequestHandle.self, request)
}

@_cdecl("restway_request_set_variable") @implementation
public func restway_request_set_variable(
    _ request: OpaquePointer?, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<restway_value>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let name = try Argument.nonEmptyString(name, "name")
        let variable = try HostValue(value, "value").variable(name)
        request.spec.withLock { $0.variables[name] = variable }
    }
}

@_cdecl("restway_request_set_parameter") @implementation
public func restway_request_set_parameter(
    _ request: OpaquePointer?, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<restway_value>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let name = try Argument.nonEmptyString(name, "name")
        let keys = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !keys.contains("") else {
            throw Failure(
                .invalidArgument, "name \"\(name)\" has nothing between two of its dots",
                field: "name")
        }
        let parameter = Parameter(keys: keys, value: try HostValue(value, "value").parameter(name))
        request.spec.withLock { $0.parameters.append(parameter) }
    }
}

@_cdecl("restway_request_set_parameters_json") @implementation
public func restway_request_set_parameters_json(
    _ request: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ length: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let members = try Argument.jsonObject(json, length)
        let parameters = members.map { Parameter(keys: [$0.key], value: $0.value) }
        request.spec.withLock { $0.parameters += parameters }
    }
}

@_cdecl("restway_request_set_header") @implementation
public func restway_request_set_header(
    _ request: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let name = try Argument.string(name, "name")
        guard Headers.isValidName(name) else {
            throw Failure(
                .invalidArgument, "name is not a header name (RFC 9110, section 5.1)",
                field: "name")
        }
        let value = try Argument.optionalString(value, "value")
        if let value { try Argument.headerValue(value, "the value of header \(name)") }
        request.spec.withLock { $0.headers.append((name, value)) }
    }
}

@_cdecl("restway_request_set_body") @implementation
public func restway_request_set_body(
    _ request: OpaquePointer?, _ body: UnsafeRawPointer?, _ length: Int,
    _ mediaType: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let bytes = Array(try Argument.bytes(body, length, "body"))
        let mediaType = try Argument.nonEmptyString(mediaType, "media_type")
        try Argument.headerValue(mediaType, "media_type")
        request.set(.init(bytes: bytes, mediaType: mediaType))
    }
}

@_cdecl("restway_request_set_timeout") @implementation
public func restway_request_set_timeout(
    _ request: OpaquePointer?, _ milliseconds: Int64,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        guard milliseconds >= -1 else {
            throw Failure(
                .invalidArgument, "milliseconds is out of range: \(milliseconds)",
                field: "milliseconds")
        }
        request.spec.withLock { $0.timeoutMilliseconds = milliseconds }
    }
}

@_cdecl("restway_request_set_priority") @implementation
public func restway_request_set_priority(
    _ request: OpaquePointer?, _ priority: Int32, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        request.spec.withLock { $0.priority = priority }
    }
}
