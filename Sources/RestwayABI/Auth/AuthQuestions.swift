import CRestway
import RestwayAuth
import RestwayOutcome

/// Makes questions about authentication from C functions.
enum AuthQuestions {
    static let refreshIsOver = Failure(
        .closed, "the refresh is over: it has ended, timed out or been overtaken")

    static func authorize(
        _ function: restway_authorize_fn, _ context: HostContext
    ) -> AuthFunctions.Authorize {
        { outgoing in
            let handle = ExchangeHandle(outgoing)
            let status = withExtendedLifetime(handle) {
                function(context.pointer, Handle.lend(handle))
            }
            outgoing = handle.outgoing
            guard status != .RESTWAY_OK else { return nil }
            let name = String(cString: ConstantTexts.name(status))
            let why = handle.refusal.map { ": \($0.reason)" } ?? ""
            var failure = Failure(
                Failure.Reason(status) ?? .invalidArgument,
                "the authorize function refused the request with \(name)\(why)")
            failure.cause = handle.refusal?.cause
            return failure
        }
    }

    static func shouldReplay(
        _ function: restway_should_replay_fn, _ context: HostContext
    ) -> AuthFunctions.ShouldReplay {
        { failure in
            let handle = ErrorHandle(failure)
            return withExtendedLifetime(handle) {
                let answer = function(context.pointer, Handle.lend(handle))
                return answer < 0 ? nil : answer != 0
            }
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
        { credential in
            credential.withC { fields in function(context.pointer, fields) }
        }
    }
}
