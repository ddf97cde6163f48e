public import CRestway
import RestwayAuth
import RestwayClient
import RestwayHTTP
import RestwayThreads

// auth.h, except for exchanges

@_cdecl("restway_credential_init") @implementation
public func restway_credential_init(
    _ credential: UnsafeMutablePointer<restway_credential>?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let credential = try Argument.out(credential, "credential")
        try SizedOptions.initialize(
            credential, size: size, sizeMin: Credential.structSizeMin, "credential")
    }
}

@_cdecl("restway_client_set_credential") @implementation
public func restway_client_set_credential(
    _ client: OpaquePointer?, _ credential: UnsafePointer<restway_credential>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let client = try Argument.handle(ClientHandle.self, client, "client").client
        try client.setCredential(try Credential.optional(credential))
    }
}

@_cdecl("restway_client_set_authorize") @implementation
public func restway_client_set_authorize(
    _ client: OpaquePointer?, _ authorize: restway_authorize_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let function = authorize.map { AuthQuestions.authorize($0, context) }
        try client.setAuthFunctions { $0.authorize = function }
    }
}

@_cdecl("restway_client_set_should_replay") @implementation
public func restway_client_set_should_replay(
    _ client: OpaquePointer?, _ shouldReplay: restway_should_replay_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let function = shouldReplay.map { AuthQuestions.shouldReplay($0, context) }
        try client.setAuthFunctions { $0.shouldReplay = function }
    }
}

@_cdecl("restway_client_set_refresh") @implementation
public func restway_client_set_refresh(
    _ client: OpaquePointer?, _ refresh: restway_refresh_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let function = refresh.map { AuthQuestions.refresh($0, context) }
        try client.setAuthFunctions { $0.refresh = function }
    }
}

@_cdecl("restway_client_set_persist") @implementation
public func restway_client_set_persist(
    _ client: OpaquePointer?, _ persist: restway_persist_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let function = persist.map { AuthQuestions.persist($0, context) }
        try client.setAuthFunctions { $0.persist = function }
    }
}

@_cdecl("restway_refresh_retain") @implementation
public func restway_refresh_retain(_ refresh: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(RefreshTicket.self, refresh)
}

@_cdecl("restway_refresh_release") @implementation
public func restway_refresh_release(_ refresh: OpaquePointer?) {
    Handle.release(RefreshTicket.self, refresh)
}

@_cdecl("restway_refresh_succeed") @implementation
public func restway_refresh_succeed(
    _ refresh: OpaquePointer?, _ credential: UnsafePointer<restway_credential>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let refresh = try Argument.handle(RefreshTicket.self, refresh, "refresh")
        let fields = try Credential.optional(credential)
        guard try refresh.succeed(fields) else { throw AuthQuestions.refreshIsOver }
    }
}

@_cdecl("restway_refresh_fail") @implementation
public func restway_refresh_fail(
    _ refresh: OpaquePointer?, _ reason: UnsafePointer<CChar>?, _ isFinal: Int32,
    _ cause: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let refresh = try Argument.handle(RefreshTicket.self, refresh, "refresh")
        let reason = try Argument.nonEmptyString(reason, "reason")
        try HostContext.lending(cause, destroy) { cause throws(Failure) in
            guard refresh.fail(reason, isFinal: isFinal != 0, cause: cause) else {
                throw AuthQuestions.refreshIsOver
            }
        }
    }
}

@_cdecl("restway_request_set_auth") @implementation
public func restway_request_set_auth(
    _ request: OpaquePointer?, _ mode: restway_auth_mode,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        let chosen: AuthMode?
        switch mode {
        case .RESTWAY_AUTH_DEFAULT: chosen = nil
        case .RESTWAY_AUTH_BYPASS: chosen = .bypass
        case .RESTWAY_AUTH_NONE: chosen = AuthMode.none
        default:
            throw Failure(
                .invalidArgument, "mode is \(mode.rawValue), which is no auth mode", field: "mode")
        }
        request.spec.withLock { $0.authMode = chosen }
    }
}
