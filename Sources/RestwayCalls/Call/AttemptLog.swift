import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// The attempts of one call: why each began, how long it waited and took, and how it ended.
struct AttemptLog: Sendable {
    /// The attempts before the current one.
    private(set) var ended: [CallAttempt] = []
    private var reason = CallAttempt.Reason.first
    /// When the attempt, or the wait before it, began.
    private var began: Deadline
    private var waitedMicroseconds: Int64 = 0
    private var isUnderWay = true

    /// The number of the credential with which the last exchange was sent.
    var credential: UInt64?
    /// The parts that the last exchange got with its credential; `nil` if it had no credential.
    var authorized: AuthorizedParts?
    /// The request as the last exchange has sent it; `nil` if no exchange has sent it.
    var sent: OutgoingRequest?

    init(_ start: Deadline) {
        began = start
    }

    /// The number of the current attempt, from 1.
    var number: Int { ended.count + (isUnderWay ? 1 : 0) }

    /// Ends the current wait.
    mutating func endWait(_ now: Deadline) {
        waitedMicroseconds += now.microseconds(since: began)
        began = now
    }

    /// Ends the current attempt, which has failed.
    mutating func end(_ failure: Failure, _ now: Deadline) {
        guard isUnderWay else { return }
        isUnderWay = false
        var attempt = CallAttempt(
            reason: reason, failure: failure.reason, httpStatus: failure.httpStatus,
            apiCode: failure.apiCode, waitedMicroseconds: waitedMicroseconds,
            tookMicroseconds: now.microseconds(since: began))
        attempt.mayHaveArrived = failure.mayHaveArrived
        ended.append(attempt)
        began = now
    }

    /// Ends the current attempt with an answer, because an interceptor sends the request again.
    mutating func end(answeredWith status: Int, _ now: Deadline) {
        guard isUnderWay else { return }
        isUnderWay = false
        var attempt = CallAttempt(
            reason: reason, httpStatus: status, waitedMicroseconds: waitedMicroseconds,
            tookMicroseconds: now.microseconds(since: began))
        attempt.mayHaveArrived = AnswerMeaning(AnswerFacts(status: status)).mayHaveArrived
        ended.append(attempt)
        began = now
    }

    /// Begins another attempt, which waits first.
    mutating func begin(_ reason: CallAttempt.Reason) {
        self.reason = reason
        waitedMicroseconds = 0
        isUnderWay = true
    }

    /// Returns all attempts of a call that ends with an answer; empty if the call had only one
    /// attempt.
    func ending(with status: Int, _ now: Deadline) -> [CallAttempt] {
        guard isUnderWay else { return ended }
        guard !ended.isEmpty else { return [] }
        let last = CallAttempt(
            reason: reason, httpStatus: status, waitedMicroseconds: waitedMicroseconds,
            tookMicroseconds: now.microseconds(since: began))
        return ended + [last]
    }

    /// Returns `outcome` and, if it is a failure, adds the attempts that led to it and the request.
    ///
    /// - Parameter prepared: The present request, which is the failed one if no exchange has sent
    ///   another.
    mutating func completing(
        _ outcome: Call.Outcome, _ prepared: PreparedRequest?, _ api: LoadedAPI, isTaken: Bool,
        _ now: @autoclosure () -> Deadline
    ) -> Call.Outcome {
        authorized = nil
        let sent = self.sent.take()
        guard case .failure(var failure) = outcome else { return outcome }
        end(failure, now())
        failure.attempts = ended
        failure.request = sent ?? prepared.map { OutgoingRequest($0, api) }
        if isTaken {
            failure.isOfTakenRequest = true
            failure.isRetryable = false
        }
        return .failure(failure)
    }
}

extension OutgoingRequest {
    /// The request as it was prepared.
    convenience init(_ prepared: PreparedRequest, _ api: LoadedAPI) {
        self.init(
            prepared.exchange, hasReader: prepared.reader != nil,
            route: prepared.destination.route, api)
    }

    /// Returns the request as the last exchange of a call has sent it. If no exchange has sent it,
    /// the result is the request as it was prepared.
    static func sent(by call: Call, _ prepared: PreparedRequest) -> OutgoingRequest {
        call.state.withLock { $0.attempts.sent } ?? OutgoingRequest(prepared, call.api)
    }
}
