public import CRestway
import RestwayBodies
import RestwayCalls
import RestwayOutcome
import RestwayRequests

// stream.h

@_cdecl("restway_request_set_body_receiver") @implementation
public func restway_request_set_body_receiver(
    _ request: InHandle, _ receiver: In<restway_body_receiver>?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.using(request, outError) { request throws(Failure) in
        guard let receiver else { return request.set(BodyDestination.memory) }
        let functions = try BodyReceiverFields(receiver)
        let context = HostContext(functions.context, functions.destroy)
        let made = BodyReceiver(
            receiveHead: functions.head.map { BodyReceiving.head($0, context) },
            receive: BodyReceiving.bytes(functions.receive, context))
        request.set(BodyDestination.receiver(made))
    }
}

@_cdecl("restway_call_resume") @implementation
public func restway_call_resume(_ call: InHandle) { Call.object(call)?.resume() }

/// Makes the functions of a body receiver from C functions.
enum BodyReceiving {
    static func head(
        _ head: @escaping restway_body_head_fn, _ context: HostContext
    ) -> BodyReceiver.ReceiveHead {
        { response in
            let failure = Handle.lending(ResponseHandle(response)) { handle in
                ask { head(context.pointer, handle, $0) }
            }
            return failure.map { .failure($0) } ?? .success(())
        }
    }

    static func bytes(
        _ receive: @escaping restway_body_receive_fn, _ context: HostContext
    ) -> BodyReceiver.Receive {
        { bytes in
            var pauses: Int32 = 0
            let failure = ask { answer in
                receive(context.pointer, bytes.baseAddress, bytes.count, &pauses, answer)
            }
            if let failure { return .failure(failure) }
            return .success(pauses == 0 ? .proceed : .pause)
        }
    }

    /// Asks a function of the program. Returns `nil` if the function reports no failure.
    static func ask(_ function: (OpaquePointer) -> restway_status) -> Failure? {
        Question.ask(function)?.failure("the body's receiver: ")
    }
}
