import CRestway
import RestwayCalls
import RestwayOutcome

/// Makes the modifier of a client call a C function.
enum Modification {
    /// Calls `modify` with a private copy of the request. The context ends when nothing uses the
    /// modifier any more.
    static func asking(
        _ modify: restway_modify_fn, _ context: HostContext
    ) -> Call.Modifier {
        { spec in
            let request = RequestHandle(spec)
            let status = withExtendedLifetime(request) {
                modify(context.pointer, Handle.lend(request))
            }
            if status == .RESTWAY_OK { return .success(request.copy()) }
            let name = String(cString: ConstantTexts.name(status))
            return .failure(
                Failure(
                    Failure.Reason(status) ?? .invalidArgument,
                    "the modifier refused the request with \(name)"))
        }
    }
}
