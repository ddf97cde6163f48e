import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// The stage of a call in which the body becomes rows. It changes no store and can be cancelled.
enum ParseStage {
    static func enter(_ entry: StageEntry, _ answer: Answer) {
        // The program is asked on a worker.
        if case .function = entry.request.answers.parser {
            return entry.onWorker { parse($0, answer) }
        }
        parse(entry, answer)
    }

    private static func parse(_ entry: StageEntry, _ answer: Answer) {
        do throws(Failure) {
            entry.report(.mapped(try ResponseProcessor(entry).parse(answer)))
        } catch {
            entry.fail(answer.ending(with: error, entry))
        }
    }
}

/// The stage of a call in which the store takes all rows or no row.
enum CommitStage {
    static func enter(_ entry: StageEntry, _ mapped: MappedAnswer) {
        let answer = mapped.answer
        do throws(Failure) {
            let response = try ResponseProcessor(entry).commit(mapped)
            if var failure = answer.failure {
                failure.response = response
                return entry.fail(failure)
            }
            if answer.cameByExchange, entry.request.sending.retry != nil {
                let retries = entry.call.state.withLock { $0.journey.retries }
                entry.context.retries.succeeded(entry.request.exchange.url, afterRetry: retries > 0)
            }
            entry.report(.committed(response))
        } catch {
            entry.fail(answer.ending(with: error, entry))
        }
    }
}

extension Answer {
    /// Returns the failure of a call whose answer could not be mapped because of `error`.
    fileprivate func ending(with error: Failure, _ entry: StageEntry) -> Failure {
        // The status of a failed request matters more than its body, which may be missing or wrong.
        guard var failure, error.domain == .mapping || error.reason == .plugin else { return error }
        if error.reason == .plugin { Log.shared.write(.error, .plugin, error.message) }
        failure.response = Response(self, request: .sent(by: entry.call, entry.request))
        return failure
    }
}
