import CRestway
import RestwayClient

/// The interceptor of a client, as the host's function.
enum Interception {
    /// Asks `intercept` with a private copy of the request; its context ends with the last asker.
    static func asking(
        _ intercept: restway_intercept_fn, _ context: HostContext
    ) -> Call.Interceptor {
        { spec in
            let request = RequestHandle(spec)
            let status = withExtendedLifetime(request) {
                intercept(context.pointer, Handle.lend(request))
            }
            if status == .RESTWAY_OK { return .success(request.copy()) }
            let name = String(cString: ConstantTexts.name(status))
            return .failure(
                Failure(
                    Failure.Reason(status) ?? .invalidArgument,
                    "the interceptor refused the request with \(name)"))
        }
    }
}
