package import RestwayHTTP
package import RestwayOutcome
import RestwayThreads

/// The functions of the program that receive the body of an answer while it arrives.
package final class BodyReceiver: Sendable {
    /// Receives the answer without its body. It is a question.
    package typealias ReceiveHead = @Sendable (Response) -> Result<Void, Failure>
    /// Receives the next bytes, borrowed until it returns. It is a question.
    package typealias Receive = @Sendable (UnsafeRawBufferPointer) -> Result<BodyFlow, Failure>

    let receiveHead: ReceiveHead?
    let receive: Receive

    package init(receiveHead: ReceiveHead?, receive: @escaping Receive) {
        self.receiveHead = receiveHead
        self.receive = receive
    }

    /// Makes the target of a call.
    ///
    /// - Parameter makeResponse: Makes the response that the program receives before the body.
    package func target(
        _ makeResponse: @escaping @Sendable (ResponseHead) -> Response
    ) -> any BodyTarget {
        ReceiverTarget(self, makeResponse)
    }

    /// Calls a function of the program.
    package static func ask<Answer>(
        _ function: () -> Result<Answer, Failure>
    ) throws(Failure) -> Answer {
        do throws(Failure) {
            return try CallbackScope.run(function).get()
        } catch {
            var failure = error
            failure.isOfProgram = true
            throw failure
        }
    }
}

/// Gives the body of the successful answer of a call to the program.
///
/// `@unchecked Sendable`: `BodyPump` calls one function at a time.
final class ReceiverTarget: BodyTarget, @unchecked Sendable {
    private let receiver: BodyReceiver
    /// Makes the response that the program receives before the body.
    private let makeResponse: @Sendable (ResponseHead) -> Response
    private var hasBegun = false
    private var length: Int64 = 0

    init(
        _ receiver: BodyReceiver, _ makeResponse: @escaping @Sendable (ResponseHead) -> Response
    ) {
        self.receiver = receiver
        self.makeResponse = makeResponse
    }

    var mayBeginAgain: Bool { !hasBegun }

    func prepare(_ exchange: inout Exchange) {}

    func accepts(_ head: ResponseHead) -> Bool { head.isSuccess }

    func begin(_ head: ResponseHead) throws(Failure) -> BodyBeginning {
        hasBegun = true
        if let receiveHead = receiver.receiveHead {
            let response = makeResponse(head)
            try BodyReceiver.ask { receiveHead(response) }
        }
        return .takes
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> BodyFlow {
        let flow = try BodyReceiver.ask { receiver.receive(bytes) }
        length += Int64(bytes.count)
        return flow
    }

    func finish() -> SavedBody? {
        SavedBody(path: nil, length: length, digest: nil, resumedFrom: 0)
    }

    func abandon() {}
}
