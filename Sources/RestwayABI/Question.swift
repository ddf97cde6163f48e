import CRestway
import RestwayClient
import RestwayMapping
import RestwayObjects
import RestwaySupport

/// Questions that are asked while a response is mapped, as the host's functions.
enum Question {
    /// One direction of a transform; its context ends with the last asker.
    static func transform(
        _ ask: restway_transform_fn?, _ context: HostContext
    ) -> CustomTransform.Function? {
        guard let ask else { return nil }
        return { value throws(TransformError) in
            let answer = AnswerHandle(takesValue: true)
            let status = CallbackScope.run {
                value.lend { ask(context.pointer, $0, Handle.lend(answer)) }
            }
            guard status == .RESTWAY_OK else {
                throw TransformError(reason(status, answer.message))
            }
            return answer.value ?? .absent
        }
    }

    /// A hook; its context ends with the last asker.
    static func hook(_ ask: restway_hook_fn, _ context: HostContext) -> Hook {
        { rows throws(Failure) in
            let answer = AnswerHandle(takesValue: false)
            let handle = RowsHandle(rows)
            let status = withExtendedLifetime(handle) {
                CallbackScope.run { ask(context.pointer, Handle.lend(handle), Handle.lend(answer)) }
            }
            guard status == .RESTWAY_OK else {
                throw Failure(
                    Failure.Reason(status) ?? .invalidArgument, reason(status, answer.message))
            }
        }
    }

    /// Why a function of the host failed, for a message.
    static func reason(_ status: restway_status, _ message: String?) -> String {
        let name = String(cString: ConstantTexts.name(status))
        return message.map { "\($0) (\(name))" } ?? "failed with \(name)"
    }
}
