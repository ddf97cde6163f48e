import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRouting
import RestwayThreads

/// An answer that is taken, with its body decoded.
///
/// It is a class because several stages hand it on and none changes it.
final class TakenAnswer: Sendable {
    let received: ReceivedResponse
    /// The failure of the call; `nil` if it has succeeded.
    let failure: Failure?
    /// When the body was decoded.
    let started: Deadline
    /// What the body was mapped to before; `nil` if it is not kept.
    let memo: AnswerMemo?
    /// Whether the server has said just now that a kept answer still holds. The answer is then as
    /// new as one that the server sends.
    let isValidated: Bool

    init(
        received: ReceivedResponse, failure: Failure?, started: Deadline,
        memo: AnswerMemo? = nil, isValidated: Bool = false
    ) {
        self.received = received
        self.failure = failure
        self.started = started
        self.memo = memo
        self.isValidated = isValidated
    }
}

/// The result of phase one of mapping: the rows for the store, and the answer they come from.
///
/// It is a class because it has many references. A stage that hands it on then counts one reference
/// and not all of them.
final class ParsedAnswer {
    let answer: TakenAnswer
    /// The result without its change set; `nil` if nothing was mapped.
    var result: MappingResult?
    var changes = ChangeSet()
    /// Whether a descriptor applies, although there may be no body.
    var isMapped = false
    /// The template of the path of the descriptors; `nil` if they apply to any path.
    var template: PathTemplate?
    /// The number of descriptors, for an answer without a body.
    var descriptorCount = 0
    /// Whether the first descriptor describes a value and not objects.
    var beginsWithValue = false
    /// Whether a mapper has read the body as JSON.
    var bodyIsJSON = false
    /// How the body is mapped, for an answer with a memo.
    var manner: AnswerMemo.Manner?
    /// What the body was mapped to before, so that nothing was mapped now.
    var known: AnswerMemo.Mapped?
    /// What a parser has made of the body.
    var parsed = ParsedValue.objects

    init(_ answer: TakenAnswer) {
        self.answer = answer
    }
}

/// The stage of a call in which the body becomes rows. It changes no store and can be cancelled.
enum ParseStage {
    static func enter(_ entry: StageEntry, _ answer: TakenAnswer) {
        // The program is asked on a worker.
        if case .function = entry.request.answers.parser {
            return entry.onWorker { parse($0, answer) }
        }
        parse(entry, answer)
    }

    private static func parse(_ entry: StageEntry, _ answer: TakenAnswer) {
        do throws(Failure) {
            entry.report(.parsed(try ResponseProcessor(entry).parse(answer)))
        } catch {
            entry.fail(answer.ending(with: error, entry))
        }
    }
}

/// The stage of a call in which the store takes all rows or no row.
enum CommitStage {
    static func enter(_ entry: StageEntry, _ parsed: ParsedAnswer) {
        let answer = parsed.answer
        do throws(Failure) {
            let response = try ResponseProcessor(entry).commit(parsed)
            if var failure = answer.failure {
                failure.response = response
                return entry.fail(failure)
            }
            if answer.received.cameByExchange, entry.request.sending.retry != nil {
                let retries = entry.call.state.withLock { $0.journey.retries }
                entry.context.retries.succeeded(entry.request.exchange.url, afterRetry: retries > 0)
            }
            entry.report(.committed(response))
        } catch {
            entry.fail(answer.ending(with: error, entry))
        }
    }
}

extension TakenAnswer {
    /// Returns the failure of a call whose answer could not be mapped because of `error`.
    fileprivate func ending(with error: Failure, _ entry: StageEntry) -> Failure {
        // The status of a failed request matters more than its body, which may be missing or wrong.
        guard var failure, error.domain == .mapping || error.reason == .plugin else { return error }
        if error.reason == .plugin { Log.shared.write(.error, .plugin, error.message) }
        failure.response = Response(
            received, request: .sent(by: entry.call, entry.request))
        return failure
    }
}
