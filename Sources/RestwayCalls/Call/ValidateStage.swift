import RestwayBodies
import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayOutcome
import RestwayRequests
import RestwayText
import RestwayThreads

/// The stage in which a successful answer is checked before it is parsed: its headers, its media
/// type, and what the program's validator says.
///
/// The status is judged earlier, in `recover`, because a failed request may be sent again.
enum ValidateStage {
    static func enter(_ entry: StageEntry, _ answer: Answer) {
        // Without a version of HTTP, no server has sent the answer.
        guard answer.failure == nil, answer.httpVersion != nil,
            !ResponseProcessor(entry).isGone(answer)
        else { return _ = entry.report(.validated(answer)) }
        guard entry.request.answers.validation.function != nil else { return check(entry, answer) }
        entry.onWorker { check($0, answer) }
    }

    private static func check(_ entry: StageEntry, _ answer: Answer) {
        do throws(Failure) {
            try AnswerCheck(ResponseProcessor(entry)).validate(answer)
            entry.report(.validated(answer))
        } catch {
            if answer.cache?.hasEntry == true { entry.context.cache?.refused(entry.request) }
            entry.fail(entry.call.located(error))
        }
    }
}

/// Checks a successful answer by the rules of its request.
struct AnswerCheck {
    private let processor: ResponseProcessor

    init(_ processor: ResponseProcessor) {
        self.processor = processor
    }

    private var validation: Validation { processor.request.answers.validation }

    /// Throws if the rules, or the program, refuse an answer.
    func validate(_ answer: Answer) throws(Failure) {
        // A validator has seen a body that was saved or streamed before its first byte.
        let isSaved = answer.saved != nil
        let hasBody = !answer.body.isEmpty || (answer.saved?.length ?? 0) > 0
        if let (field, why) = validation.refusal(answer.headers, hasBody: hasBody) {
            throw refused(why, field: field, answer)
        }
        if !isSaved { try askValidator(answer) }
    }

    /// Throws if the rules, or the program, refuse an answer whose body is still to come.
    func validate(_ head: ResponseHead) throws(Failure) {
        let answer = Answer(head)
        let mayHaveBody = ![204, 205, 304].contains(head.status)
        if let (field, why) = validation.refusal(head.headers, hasBody: mayHaveBody) {
            throw refused(why, field: field, answer)
        }
        try askValidator(answer)
    }

    private func askValidator(_ answer: Answer) throws(Failure) {
        let functions = processor.call.api.definition.functions
        guard let name = validation.function, let validator = functions.validators[name] else {
            return
        }
        do throws(Failure) {
            try validator(processor.response(answer))
        } catch {
            var failure = refused(
                "validator \"\(name)\": \(error.message)", field: nil, answer)
            failure.reason = error.reason
            failure.cause = error.cause
            throw failure
        }
    }

    /// Returns the failure of an answer that is refused, with what its body says about an error.
    private func refused(
        _ why: String, field: String?, _ answer: Answer
    ) -> Failure {
        var failure = Failure(
            .mapping, "the answer is refused: \(why)", domain: .validation, field: field)
        let error = AnswerErrors(processor).apiError(answer)
        failure.apiCode = error.code
        failure.apiMessage = error.message
        failure.details = error.details
        failure.httpStatus = answer.status
        failure.response = processor.response(answer)
        return failure
    }
}

extension Validation {
    /// Returns why the headers of an answer do not fit, with the name of the header.
    fileprivate func refusal(_ headers: Headers, hasBody: Bool) -> (field: String, why: String)? {
        if let missing = self.headers.first(where: { headers[first: $0] == nil }) {
            return (missing, "the header \(missing) is missing")
        }
        guard hasBody, !mediaTypes.isEmpty else { return nil }
        let type = headers[first: "Content-Type"]
        if let type, MediaType.isAccepted(MediaType.essence(type), mediaTypes) { return nil }
        let expected = mediaTypes.joined(separator: ", ")
        return ("Content-Type", "expected \(expected), the server sent \(type ?? "no type")")
    }
}

extension CacheNote {
    /// Whether the cache may have the answer.
    fileprivate var hasEntry: Bool {
        switch state {
        case .hit, .stale, .validated, .stored, .shared: true
        case .none, .passed, .missing: false
        }
    }
}

/// Gives the body of an answer to a target if the answer is accepted, which is decided before the
/// first byte.
final class ValidatedTarget: BodyTarget {
    private let target: any BodyTarget
    private let validation: Validation
    private let validate: @Sendable (ResponseHead) throws(Failure) -> Void

    init(
        _ target: any BodyTarget, _ validation: Validation,
        _ validate: @escaping @Sendable (ResponseHead) throws(Failure) -> Void
    ) {
        self.target = target
        self.validation = validation
        self.validate = validate
    }

    var mayBeginAgain: Bool { target.mayBeginAgain }

    func prepare(_ exchange: inout Exchange) throws(Failure) { try target.prepare(&exchange) }

    func accepts(_ head: ResponseHead) -> Bool {
        validation.isSuccess(head.status) && target.accepts(head)
    }

    func begin(_ head: ResponseHead) throws(Failure) -> BodyBeginning {
        try validate(head)
        return try target.begin(head)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> BodyFlow {
        try target.write(bytes)
    }

    func finish() throws(Failure) -> SavedBody? { try target.finish() }

    func abandon() { target.abandon() }

    func reopeningMilliseconds(after error: Failure.Reason?) -> Int64? {
        target.reopeningMilliseconds(after: error)
    }
}
