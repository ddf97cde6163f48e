public import CRestway
import RestwayAuth
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayOutcome
import RestwayRequests
import RestwayThreads

// auth.h, except for exchanges

@_cdecl("restway_client_set_credential") @implementation
public func restway_client_set_credential(
    _ client: InHandle, _ credential: In<restway_credential>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try ClientHandle.argument(client).setCredential(try Credential.optional(credential))
    }
}

@_cdecl("restway_client_set_authorize") @implementation
public func restway_client_set_authorize(
    _ client: InHandle, _ authorize: restway_authorize_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let function = authorize.map { AuthQuestions.authorize($0, context) }
        try client.setAuthFunctions { $0.authorize = function }
    }
}

@_cdecl("restway_client_set_should_replay") @implementation
public func restway_client_set_should_replay(
    _ client: InHandle, _ shouldReplay: restway_should_replay_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let function = shouldReplay.map { AuthQuestions.replayQuestion($0, context) }
        try client.setAuthFunctions { $0.shouldReplay = function }
    }
}

@_cdecl("restway_client_set_refresh") @implementation
public func restway_client_set_refresh(
    _ client: InHandle, _ refresh: restway_refresh_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let function = refresh.map { AuthQuestions.refresh($0, context) }
        try client.setAuthFunctions { $0.refresh = function }
    }
}

@_cdecl("restway_client_set_persist") @implementation
public func restway_client_set_persist(
    _ client: InHandle, _ persist: restway_persist_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        let function = persist.map { AuthQuestions.persist($0, context) }
        try client.setAuthFunctions { $0.persist = function }
    }
}

@_cdecl("restway_refresh_succeed") @implementation
public func restway_refresh_succeed(
    _ refresh: InHandle, _ credential: In<restway_credential>?, _ outError: OutHandle?
) -> restway_status {
    RefreshTicket.using(refresh, outError) { refresh throws(Failure) in
        let fields = try Credential.optional(credential)
        guard try refresh.succeed(fields) else { throw AuthQuestions.refreshIsOver }
    }
}

@_cdecl("restway_refresh_fail") @implementation
public func restway_refresh_fail(
    _ refresh: InHandle, _ reason: CString?, _ isFinal: Int32, _ cause: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    RefreshTicket.using(refresh, outError) { refresh throws(Failure) in
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
    _ request: InHandle, _ mode: restway_auth_mode, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        switch mode {
        case .RESTWAY_AUTH_DEFAULT: spec.sending.authMode = nil
        case .RESTWAY_AUTH_BYPASS: spec.sending.authMode = .bypass
        case .RESTWAY_AUTH_NONE: spec.sending.authMode = AuthMode.none
        default:
            throw Argument.wrong("mode", "mode is \(mode.rawValue), which is no auth mode")
        }
    }
}

/// Makes questions about authentication from C functions.
enum AuthQuestions {
    static let refreshIsOver = Failure(
        .closed, "the refresh is over: it has ended, timed out or been overtaken")

    static func authorize(
        _ function: restway_authorize_fn, _ context: HostContext
    ) -> AuthFunctions.Authorize {
        { exchange in
            let handle = ExchangeHandle(exchange)
            let status = Handle.lending(handle) { function(context.pointer, $0) }
            exchange = handle.exchange
            guard status != .RESTWAY_OK else { return nil }
            let why = handle.refusal.map { ": \($0.reason)" } ?? ""
            var failure = Failure(
                status, "the authorize function refused the request with \(status.name)\(why)")
            failure.cause = handle.refusal?.cause
            return failure
        }
    }

    static func replayQuestion(
        _ function: restway_should_replay_fn, _ context: HostContext
    ) -> AuthFunctions.ShouldReplay {
        { failure in
            let answer = Handle.lending(ErrorHandle(failure)) { function(context.pointer, $0) }
            return answer < 0 ? nil : answer != 0
        }
    }

    static func refresh(
        _ function: restway_refresh_fn, _ context: HostContext
    ) -> AuthFunctions.Refresh {
        { ticket in function(context.pointer, Handle.give(ticket)) }
    }

    static func persist(
        _ function: restway_persist_fn, _ context: HostContext
    ) -> AuthFunctions.Persist {
        { credential in credential.withC { function(context.pointer, $0) } }
    }
}

/// Converts credentials from and to the struct of the header.
extension Credential {
    /// Reads a credential; `nil` for NULL.
    static func optional(_ pointer: In<restway_credential>?) throws(Failure) -> Credential? {
        guard let pointer else { return nil }
        let fields = try CredentialFields(pointer)
        var credential = Credential()
        credential.user = fields.user
        credential.password = fields.password.map { Secret($0) }
        credential.token = fields.token.map { Secret($0) }
        credential.refreshToken = fields.refreshToken.map { Secret($0) }
        credential.expiresInMilliseconds = fields.expiresInMilliseconds
        return credential
    }

    /// Calls `body` with the fields as a C struct, and then overwrites the copies.
    func withC(_ body: (UnsafePointer<restway_credential>) -> Void) {
        let user = user.map { Secret($0) }
        Secret.lend(user) { user in
            Secret.lend(password) { password in
                Secret.lend(token) { token in
                    Secret.lend(refreshToken) { refreshToken in
                        let fields = restway_credential(
                            struct_size: MemoryLayout<restway_credential>.size, user: user,
                            password: password, token: token, refresh_token: refreshToken,
                            expires_in_milliseconds: expiresInMilliseconds ?? 0)
                        withUnsafePointer(to: fields, body)
                    }
                }
            }
        }
    }
}
