public import CRestway
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayThreads

extension Turn: ArgumentObject { static let parameter = "turn" }

// pipeline.h

@_cdecl("restway_turn_request") @implementation
public func restway_turn_request(_ turn: InHandle) -> OpaquePointer! {
    guard let turn = Turn.object(turn) else { return nil }
    return turn.lending(.request) { RequestHandle(turn.request) }
}

@_cdecl("restway_turn_route") @implementation
public func restway_turn_route(_ turn: InHandle) -> CString! {
    guard let turn = Turn.object(turn) else { return nil }
    let text = turn.lend(.route) {
        turn.route.map { name in
            let text = CText(name)
            return (text, UnsafeRawPointer(text.pointer))
        }
    }
    return text?.assumingMemoryBound(to: CChar.self)
}

@_cdecl("restway_turn_sends") @implementation
public func restway_turn_sends(_ turn: InHandle) -> Int32 {
    Int32(clamping: Turn.object(turn)?.sends ?? 0)
}

@_cdecl("restway_turn_context") @implementation
public func restway_turn_context(_ turn: InHandle) -> UnsafeMutableRawPointer! {
    guard let turn = Turn.object(turn) else { return nil }
    return UnsafeMutableRawPointer(bitPattern: UInt(turn.call.token))
}

@_cdecl("restway_turn_response") @implementation
public func restway_turn_response(_ turn: InHandle) -> OpaquePointer! {
    guard let turn = Turn.object(turn) else { return nil }
    return turn.lending(.response) { turn.response.map(ResponseHandle.init) }
}

@_cdecl("restway_turn_error") @implementation
public func restway_turn_error(_ turn: InHandle) -> OpaquePointer! {
    guard let turn = Turn.object(turn) else { return nil }
    return turn.lending(.error) { turn.failure.map(ErrorHandle.init) }
}

@_cdecl("restway_turn_set_answer") @implementation
public func restway_turn_set_answer(
    _ turn: InHandle, _ status: Int32, _ body: UnsafeRawPointer?, _ length: Int,
    _ mediaType: CString?, _ outError: OutHandle?
) -> restway_status {
    Turn.using(turn, outError) { turn throws(Failure) in
        try Argument.answerStatus(status)
        let bytes = Array(try Argument.bytes(body, length, "body"))
        var headers = Headers()
        if mediaType != nil { headers.set("Content-Type", try Argument.mediaType(mediaType)) }
        try turn.answer(status: Int(status), headers: headers, body: bytes)
    }
}

@_cdecl("restway_turn_set_status") @implementation
public func restway_turn_set_status(
    _ turn: InHandle, _ status: Int32, _ outError: OutHandle?
) -> restway_status {
    Turn.using(turn, outError) { turn throws(Failure) in
        try Argument.answerStatus(status)
        try turn.changeAnswer(status: Int(status))
    }
}

@_cdecl("restway_turn_set_header") @implementation
public func restway_turn_set_header(
    _ turn: InHandle, _ name: CString?, _ value: CString?, _ outError: OutHandle?
) -> restway_status {
    Turn.using(turn, outError) { turn throws(Failure) in
        let name = try Argument.headerName(name)
        let value = try Argument.optionalString(value, "value")
        if let value { try Argument.headerValue(value, "the value of header \(name)") }
        try turn.changeAnswer { headers in
            if let value { headers.set(name, value) } else { headers.remove(name) }
        }
    }
}

@_cdecl("restway_turn_set_body") @implementation
public func restway_turn_set_body(
    _ turn: InHandle, _ body: UnsafeRawPointer?, _ length: Int, _ outError: OutHandle?
) -> restway_status {
    Turn.using(turn, outError) { turn throws(Failure) in
        try turn.changeAnswer(body: Array(try Argument.bytes(body, length, "body")))
    }
}

@_cdecl("restway_turn_send_again") @implementation
public func restway_turn_send_again(_ turn: InHandle, _ outError: OutHandle?) -> restway_status {
    Turn.using(turn, outError) { turn throws(Failure) in try turn.sendAgain() }
}

@_cdecl("restway_turn_set_refusal") @implementation
public func restway_turn_set_refusal(
    _ turn: InHandle, _ reason: CString?, _ cause: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    Turn.using(turn, outError) { turn throws(Failure) in
        let reason = try Argument.nonEmptyString(reason, "reason")
        try HostContext.lending(cause, destroy) { cause throws(Failure) in
            try turn.refuse(reason, cause: cause)
        }
    }
}

@_cdecl("restway_turn_hold") @implementation
public func restway_turn_hold(_ turn: InHandle) -> OpaquePointer! {
    guard let turn = Turn.object(turn), turn.hold() else { return nil }
    return Handle.give(turn)
}

@_cdecl("restway_turn_release") @implementation
public func restway_turn_release(_ turn: InHandle) { Turn.release(turn) }

@_cdecl("restway_turn_end") @implementation
public func restway_turn_end(
    _ turn: InHandle, _ status: restway_status, _ outError: OutHandle?
) -> restway_status {
    Turn.using(turn, outError) { turn throws(Failure) in
        guard turn.end(turn.failure(status)) else { throw Turn.isOver }
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
        { turn in turn.failure(Handle.lending(turn) { function(context.pointer, $0) }) }
    }
}

extension Turn {
    /// Lends a handle that lives as long as this turn.
    fileprivate func lending<Object: HandleObject>(
        _ loan: Loan, _ make: () -> Object?
    ) -> OpaquePointer? {
        let pointer = lend(loan) {
            make().map { object in (object, UnsafeRawPointer(Handle.lend(object))) }
        }
        return pointer.map { OpaquePointer($0) }
    }
}

extension StageTurn {
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
