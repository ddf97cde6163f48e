import CRestway
import RestwayClient
import RestwayMapping
import RestwayObjects
import RestwayThreads

/// Makes questions during the mapping of a response call C functions.
enum Question {
    /// Makes one direction of a transform. Its context ends when nothing uses the transform any
    /// more.
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

    /// Makes a hook. Its context ends when nothing uses the hook any more.
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

    /// Returns a text for a message that says why a function of the program failed.
    static func reason(_ status: restway_status, _ message: String?) -> String {
        let name = String(cString: ConstantTexts.name(status))
        return message.map { "\($0) (\(name))" } ?? "failed with \(name)"
    }
}
