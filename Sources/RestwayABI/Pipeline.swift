public import CRestway
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayThreads

extension PipelineContext: ArgumentObject { static let parameter = "context" }

// pipeline.h

@_cdecl("restway_pipeline_context_request") @implementation
public func restway_pipeline_context_request(_ context: InHandle) -> OpaquePointer! {
    guard let context = PipelineContext.object(context) else { return nil }
    return context.lending(.request) { RequestHandle(context.request) }
}

@_cdecl("restway_pipeline_context_route") @implementation
public func restway_pipeline_context_route(_ context: InHandle) -> CString! {
    guard let context = PipelineContext.object(context) else { return nil }
    let text = context.lend(.route) {
        context.route.map { name in
            let text = CText(name)
            return (text, UnsafeRawPointer(text.pointer))
        }
    }
    return text?.assumingMemoryBound(to: CChar.self)
}

@_cdecl("restway_pipeline_context_sends") @implementation
public func restway_pipeline_context_sends(_ context: InHandle) -> Int32 {
    Int32(clamping: PipelineContext.object(context)?.sends ?? 0)
}

@_cdecl("restway_pipeline_context_call_context") @implementation
public func restway_pipeline_context_call_context(_ context: InHandle) -> UnsafeMutableRawPointer! {
    guard let context = PipelineContext.object(context) else { return nil }
    return UnsafeMutableRawPointer(bitPattern: UInt(context.call.token))
}

@_cdecl("restway_pipeline_context_response") @implementation
public func restway_pipeline_context_response(_ context: InHandle) -> OpaquePointer! {
    guard let context = PipelineContext.object(context) else { return nil }
    return context.lending(.response) { context.response.map(ResponseHandle.init) }
}

@_cdecl("restway_pipeline_context_error") @implementation
public func restway_pipeline_context_error(_ context: InHandle) -> OpaquePointer! {
    guard let context = PipelineContext.object(context) else { return nil }
    return context.lending(.error) { context.failure.map(ErrorHandle.init) }
}

@_cdecl("restway_pipeline_context_set_answer") @implementation
public func restway_pipeline_context_set_answer(
    _ context: InHandle, _ status: Int32, _ body: UnsafeRawPointer?, _ length: Int,
    _ mediaType: CString?, _ outError: OutHandle?
) -> restway_status {
    PipelineContext.using(context, outError) { context throws(Failure) in
        try Argument.answerStatus(status)
        let bytes = Array(try Argument.bytes(body, length, "body"))
        var headers = Headers()
        if mediaType != nil { headers.set("Content-Type", try Argument.mediaType(mediaType)) }
        try context.answer(status: Int(status), headers: headers, body: bytes)
    }
}

@_cdecl("restway_pipeline_context_set_status") @implementation
public func restway_pipeline_context_set_status(
    _ context: InHandle, _ status: Int32, _ outError: OutHandle?
) -> restway_status {
    PipelineContext.using(context, outError) { context throws(Failure) in
        try Argument.answerStatus(status)
        try context.changeAnswer(status: Int(status))
    }
}

@_cdecl("restway_pipeline_context_set_header") @implementation
public func restway_pipeline_context_set_header(
    _ context: InHandle, _ name: CString?, _ value: CString?, _ outError: OutHandle?
) -> restway_status {
    PipelineContext.using(context, outError) { context throws(Failure) in
        let name = try Argument.headerName(name)
        let value = try Argument.optionalString(value, "value")
        if let value { try Argument.headerValue(value, "the value of header \(name)") }
        try context.changeAnswer { headers in
            if let value { headers.set(name, value) } else { headers.remove(name) }
        }
    }
}

@_cdecl("restway_pipeline_context_set_body") @implementation
public func restway_pipeline_context_set_body(
    _ context: InHandle, _ body: UnsafeRawPointer?, _ length: Int, _ outError: OutHandle?
) -> restway_status {
    PipelineContext.using(context, outError) { context throws(Failure) in
        try context.changeAnswer(body: Array(try Argument.bytes(body, length, "body")))
    }
}

@_cdecl("restway_pipeline_context_send_again") @implementation
public func restway_pipeline_context_send_again(_ context: InHandle, _ outError: OutHandle?)
    -> restway_status
{
    PipelineContext.using(context, outError) { context throws(Failure) in try context.sendAgain() }
}

@_cdecl("restway_pipeline_context_set_refusal") @implementation
public func restway_pipeline_context_set_refusal(
    _ context: InHandle, _ reason: CString?, _ cause: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    PipelineContext.using(context, outError) { context throws(Failure) in
        let reason = try Argument.nonEmptyString(reason, "reason")
        try HostContext.lending(cause, destroy) { cause throws(Failure) in
            try context.refuse(reason, cause: cause)
        }
    }
}

@_cdecl("restway_pipeline_context_hold") @implementation
public func restway_pipeline_context_hold(_ context: InHandle) -> OpaquePointer! {
    guard let context = PipelineContext.object(context), context.hold() else { return nil }
    return Handle.give(context)
}

@_cdecl("restway_pipeline_context_end") @implementation
public func restway_pipeline_context_end(
    _ context: InHandle, _ status: restway_status, _ outError: OutHandle?
) -> restway_status {
    PipelineContext.using(context, outError) { context throws(Failure) in
        guard context.end(context.failure(status)) else { throw PipelineContext.isOver }
    }
}

@_cdecl("restway_client_add_modifier") @implementation
public func restway_client_add_modifier(
    _ client: InHandle, _ modify: restway_modify_fn?, _ routes: In<CString?>?,
    _ routeCount: Int, _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outNumber: Out<Int64>?, _ outError: OutHandle?
) -> restway_status {
    outNumber?.pointee = 0
    return HostContext.setting(client, context, destroy, outError) {
        client, context throws(Failure) in
        guard let modify else { throw Argument.null("modify") }
        let routes = try Argument.routes(routes, routeCount)
        let number = try client.addStage(.modify, modify, routes, context)
        outNumber?.pointee = number
    }
}

@_cdecl("restway_client_add_interceptor") @implementation
public func restway_client_add_interceptor(
    _ client: InHandle, _ intercept: restway_intercept_fn?, _ routes: In<CString?>?,
    _ routeCount: Int, _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outNumber: Out<Int64>?, _ outError: OutHandle?
) -> restway_status {
    outNumber?.pointee = 0
    return HostContext.setting(client, context, destroy, outError) {
        client, context throws(Failure) in
        guard let intercept else { throw Argument.null("intercept") }
        let routes = try Argument.routes(routes, routeCount)
        let number = try client.addStage(.intercept, intercept, routes, context)
        outNumber?.pointee = number
    }
}

@_cdecl("restway_api_add_modifier") @implementation
public func restway_api_add_modifier(
    _ api: InHandle, _ name: CString?, _ modify: restway_modify_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.registering(
        api, name, modify, "modify", context, destroy, outError
    ) { api, name, modify, context throws(Failure) in
        try api.addModifier(name, Question.stage(modify, context))
    }
}

@_cdecl("restway_api_add_interceptor") @implementation
public func restway_api_add_interceptor(
    _ api: InHandle, _ name: CString?, _ intercept: restway_intercept_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.registering(
        api, name, intercept, "intercept", context, destroy, outError
    ) { api, name, intercept, context throws(Failure) in
        try api.addInterceptor(name, Question.stage(intercept, context))
    }
}

@_cdecl("restway_client_remove_stage") @implementation
public func restway_client_remove_stage(
    _ client: InHandle, _ number: Int64, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        guard try client.removeStage(number) else {
            throw Argument.wrong("number", "number \(number) is no modifier and no interceptor")
        }
    }
}

extension Client {
    /// Adds a function of the program to a stage. Returns its number.
    fileprivate func addStage(
        _ stage: Pipeline.Stage, _ function: @escaping restway_modify_fn, _ routes: [String],
        _ context: HostContext
    ) throws(Failure) -> Int64 {
        try addStage(stage, routes: routes, Question.stage(function, context))
    }
}

extension Question {
    /// A modifier or an interceptor of the program.
    fileprivate static func stage(
        _ function: @escaping restway_modify_fn, _ context: HostContext
    ) -> AskStage {
        { asked in asked.failure(Handle.lending(asked) { function(context.pointer, $0) }) }
    }
}

extension PipelineContext {
    /// Lends a handle that lives as long as this context.
    fileprivate func lending<Object: HandleObject>(
        _ loan: Loan, _ make: () -> Object?
    ) -> OpaquePointer? {
        let pointer = lend(loan) {
            make().map { object in (object, UnsafeRawPointer(Handle.lend(object))) }
        }
        return pointer.map { OpaquePointer($0) }
    }
}

extension StageContext {
    /// Returns the failure for a status that a function has returned.
    fileprivate func failure(_ status: restway_status) -> Failure? {
        guard status != .RESTWAY_OK else { return nil }
        return Failure(status, "\(noun) refused the request with \(status.name)")
    }
}

extension Argument {
    /// Checks the status of an answer that the program gives.
    fileprivate static func answerStatus(_ status: Int32) throws(Failure) {
        try inRange(Int64(status), 200...599, "status")
    }

    /// Reads the names of routes.
    fileprivate static func routes(
        _ names: In<CString?>?, _ count: Int
    ) throws(Failure) -> [String] {
        let names = try elements(names, count, "routes")
        // No memory is reserved for `count` names, because a program may give a wrong count.
        var routes: [String] = []
        for (index, name) in names.enumerated() {
            routes.append(try nonEmptyString(name, "routes[\(index)]"))
        }
        return routes
    }
}
