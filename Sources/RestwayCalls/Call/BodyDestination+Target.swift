import RestwayBodies
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRequests

extension BodyDestination {
    /// Makes the target of a call.
    ///
    /// - Parameter request: The first request.
    func target(of call: Call, _ request: PreparedRequest) -> (any BodyTarget)? {
        let validation = request.answers.validation
        guard let target = plainTarget(of: call, request) else { return nil }
        if validation.isUsual, request.accepted.isEmpty { return target }
        return ValidatedTarget(target, validation) { head throws(Failure) in
            let processor = ResponseProcessor(call, request)
            try AnswerCheck(processor).validate(head)
            try processor.checkAccepted(head)
        }
    }

    private func plainTarget(of call: Call, _ request: PreparedRequest) -> (any BodyTarget)? {
        switch self {
        case .memory: nil
        case .file(let plan):
            plan.target(url: call.url, sharesFile: request.sending.caching != nil)
        case .descriptor(let descriptor, let bytesMax):
            descriptor.target(bytesMax: bytesMax)
        case .receiver(let receiver):
            receiver.target { head in
                Response(Answer(head), request: .sent(by: call, request))
            }
        case .events(let receiver, let format): EventTarget(receiver, format, of: call, request)
        }
    }
}
