import RestwayDocument
import RestwayOutcome

/// The rules of the API document about the outbox, as far as decisions need them.
struct OutboxRules: Equatable, Sendable {
    /// Says what a dead letter at the head of a lane means for the items behind it.
    enum DeadLetters: Int64, Sendable {
        case blockTheirLane = 0
        case letOthersPass = 1
    }

    enum Order: Sendable {
        /// Items of the same lane keep their order.
        case lanes
        /// All items keep their order: the whole outbox is one lane.
        case strict
    }

    var order = Order.lanes
    var deadLetters = DeadLetters.blockTheirLane
    /// Whether the batch endpoint stops at the first failure. A call may then carry several items
    /// of a lane.
    var batchStopsAtFailure = false
    /// The statuses after which an item stays in the outbox, in place of those that `AnswerMeaning`
    /// calls temporary; `nil` if the document names none.
    var temporaryStatuses: [ClosedRange<Int>]?
    /// The problem types with which a server says, in a 409, that it is still working on an earlier
    /// attempt.
    var inProgressTypes: Set<String> = []
    /// The upper bound of the first wait. It doubles with every attempt.
    var baseMilliseconds: Int64 = 1_000
    /// The largest value that the upper bound of a wait grows to.
    var capMilliseconds: Int64 = 300_000
    /// The longest wait that a server can ask for. A longer wait is cut to this time.
    var retryAfterMaxMilliseconds: Int64 = 604_800_000
}

/// The result of an attempt to send an item.
enum OutboxOutcome: Equatable, Sendable {
    /// The server answered. `retryAfterMilliseconds` is set if the server sent it. `isTemporary` is
    /// set if the program decides that, rather than the answer.
    case answer(
        AnswerFacts, retryAfterMilliseconds: Int64? = nil, isTemporary: Bool? = nil,
        problem: OutboxProblem? = nil)
    /// There is no answer, but another attempt may bring one: connecting, DNS or the handshake
    /// failed, the time limit passed, the connection was lost, or a batch failed as a whole.
    case unreachable
    /// A function of the program failed, before the item was sent or when its answer was read.
    /// Another attempt may succeed.
    case interrupted
    /// There is no answer and no attempt will bring one: something that the request needs cannot be
    /// written or read.
    case impossible
    /// There is no credential to send the item with, and the outbox cannot get one by itself.
    case noCredential
    /// The server refused the credential that the item was sent with, and there is no other.
    case credentialRefused
    /// The item was not sent, or the server did not look at it: the flush or the batch ended before
    /// it.
    case untouched

    var isAnswer: Bool { if case .answer = self { true } else { false } }
}

/// The part of a problem document (RFC 9457) in an answer that matters to the outbox.
struct OutboxProblem: Equatable, Sendable {
    /// The problem type, usually a URI.
    var type: String?
    /// Whether the problem is about the Idempotency-Key of the request.
    var concernsKey = false

    private static let key = Array("idempoten".utf8)

    /// Whether a text of the problem names the key.
    ///
    /// Byte by byte: `String.contains` would link the whole of Swift's string processing, a MiB.
    private static func namesKey(_ words: String) -> Bool {
        let bytes = Array(words.lowercased().utf8)
        guard bytes.count >= key.count else { return false }
        return (0...bytes.count - key.count).contains { start in
            bytes[start..<start + key.count].elementsEqual(key)
        }
    }
}

extension OutboxProblem {
    /// - Parameter words: The texts of the problem: its type, title, detail and code.
    init(type: String?, words: [String]) {
        self.init(type: type, concernsKey: words.contains(where: Self.namesKey))
    }
}

/// Says what to do with an item after an attempt.
enum OutboxVerdict: Equatable, Sendable {
    /// Map the answer, then settle with `remove`.
    case remove
    /// Settle with `postpone`: wait `milliseconds` from now, of which the server asked for
    /// `askedMilliseconds`.
    case postpone(milliseconds: Int64, askedMilliseconds: Int64)
    /// Settle with `bury`.
    case bury
    /// Settle with `postpone`: the item waits for another credential, and is sent as soon as there
    /// is one.
    case awaitCredential
    /// Settle with `conflict`: the item stays, and is compared with the newest values of the server
    /// at once.
    case compare(ConflictAnswer)
    /// Call `release`: the item stays as it was, and the attempt is not counted.
    case release
}

/// An answer after which an item is compared with the newest values of the server.
enum ConflictAnswer: Equatable, Sendable {
    /// The object has changed at the server since the item was made.
    case changed
    /// The server acts on the item only with a condition.
    case needsCondition
    /// The object is no longer at the server.
    case gone

    fileprivate init?(_ meaning: AnswerMeaning) {
        switch meaning {
        case .conflict: self = .changed
        case .needsCondition: self = .needsCondition
        case .objectGone: self = .gone
        case .done, .alreadyGone, .limited, .locked, .inProgress, .temporary, .notTheAPI,
            .needsSignIn, .credentialRefused, .refused:
            return nil
        }
    }
}

/// Which items the outbox compares with the newest values of the server.
enum ItemComparability: Equatable, Sendable {
    case none
    /// The program has stated a condition by hand. Only "the server has these values already" is
    /// checked.
    case byHand
    /// Versions of the object are known.
    case full

    fileprivate func takes(_ answer: ConflictAnswer) -> Bool {
        switch self {
        case .none: false
        case .byHand: answer == .changed
        case .full: true
        }
    }
}

extension OutboxRules {
    /// Returns the consequence of `outcome` for an item after `attempts` attempts. The number
    /// includes the attempt that `outcome` ended.
    ///
    /// - Parameters:
    ///   - comparability: Whether the item can be compared with the newest values of the server.
    ///   - random: The source of the jitter.
    func verdict(
        _ outcome: OutboxOutcome, attempts: Int, comparability: ItemComparability = .none,
        random: inout some RandomNumberGenerator
    ) -> OutboxVerdict {
        switch outcome {
        case .answer(let facts, let retryAfter, let stated, _):
            if stated ?? keeps(facts) { return postponement(attempts, retryAfter, &random) }
            if let answer = ConflictAnswer(AnswerMeaning(facts)), comparability.takes(answer) {
                return .compare(answer)
            }
            return isDone(facts) ? .remove : .bury
        case .unreachable, .interrupted: return postponement(attempts, nil, &random)
        case .impossible: return .bury
        case .noCredential, .credentialRefused: return .awaitCredential
        case .untouched: return .release
        }
    }

    /// Returns why an item with this outcome is a dead letter.
    ///
    /// draft-ietf-httpapi-idempotency-key-header prescribes 422 for a key that was already used
    /// with another request. Servers also answer 422 to refuse values, so the problem has to name
    /// the key.
    func deathReason(_ outcome: OutboxOutcome) -> OutboxDeathReason {
        switch outcome {
        case .answer(let facts, _, _, let problem?)
        where facts.status == 422 && problem.concernsKey: .keyReused
        case .answer: .refused
        case .unreachable, .interrupted, .impossible, .noCredential, .credentialRefused,
            .untouched:
            .unsendable
        }
    }

    /// Returns whether an item stays in the outbox after this answer, as far as the program has not
    /// decided that.
    func keeps(_ answer: AnswerFacts) -> Bool {
        switch AnswerMeaning(answer) {
        // The document's statuses are about the API's answers to the request itself.
        case .notTheAPI, .needsSignIn: true
        // The server itself says that it works on an earlier attempt, whatever the statuses are.
        case .inProgress where answer.namesWork || answer.asksToWait && answer.wasSentBefore: true
        case .done, .alreadyGone, .limited, .locked, .inProgress, .temporary,
            .credentialRefused, .conflict, .needsCondition, .objectGone, .refused:
            answer.isTemporary(temporaryStatuses)
        }
    }

    /// Returns whether an item is done with this answer.
    func isDone(_ answer: AnswerFacts) -> Bool {
        switch AnswerMeaning(answer) {
        case .done, .alreadyGone: true
        case .limited, .locked, .inProgress, .temporary, .notTheAPI, .needsSignIn,
            .credentialRefused, .conflict, .needsCondition, .objectGone, .refused:
            false
        }
    }

    /// Returns a wait. Half of it is fixed, so that a server in trouble is left alone for a while.
    /// The other half is random, so that clients that failed together do not come back together.
    private func postponement(
        _ attempts: Int, _ retryAfter: Int64?, _ random: inout some RandomNumberGenerator
    ) -> OutboxVerdict {
        let bound = max(0, delayMax(afterAttempt: attempts))
        let delay = bound / 2 + Int64.random(in: 0...(bound - bound / 2), using: &random)
        let asked = min(max(0, retryAfter ?? 0), max(0, retryAfterMaxMilliseconds))
        return .postpone(milliseconds: max(delay, asked), askedMilliseconds: asked)
    }

    /// The longest wait that the outbox chooses itself, in microseconds.
    var ownMicrosecondsMax: Int64 { Self.microseconds(max(baseMilliseconds, capMilliseconds)) }

    /// The longest wait that a server can ask for, in microseconds.
    var askedMicrosecondsMax: Int64 { Self.microseconds(retryAfterMaxMilliseconds) }

    /// The latest end of a wait that begins now, in microseconds since 1970.
    func latestEnd(now: Int64) -> Int64 {
        let longest = max(ownMicrosecondsMax, askedMicrosecondsMax)
        let (end, overflows) = now.addingReportingOverflow(longest)
        return overflows ? .max : end
    }

    private static func microseconds(_ milliseconds: Int64) -> Int64 {
        let (product, overflow) = max(0, milliseconds).multipliedReportingOverflow(by: 1_000)
        return overflow ? .max : product
    }

    private func delayMax(afterAttempt number: Int) -> Int64 {
        let doublings = min(max(0, number - 1), 62)
        let (grown, overflow) = baseMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
        return overflow ? capMilliseconds : min(capMilliseconds, grown)
    }
}
