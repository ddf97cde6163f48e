import RestwayHTTP
import RestwayOutcome
import RestwayThreads

@testable import RestwayCalls
@testable import RestwayDocument
@testable import RestwayRequests

/// The stages of a journey without their data, by their names.
enum StageName: String, CaseIterable {
    case start, modify, prepare, lane, cache, upload, credential, rewind, rate, exchange, recover,
        compare, validate, intercept, parse, commit, wait, store, follow, drop, takeBack, deliver

    init(_ stage: Journey.Stage) {
        self = StageName(rawValue: stage.name)!
    }

    /// The event with which the stage has done its part. `recover` takes the answer.
    var passing: Journey.Event {
        switch self {
        case .start, .deliver: .failed(Sample.failure)
        case .modify: .modified(Sample.spec)
        case .prepare: .prepared(Sample.request, [])
        case .lane: .admitted(Sample.request)
        case .cache: .missed(Sample.request)
        case .upload: .continued(Sample.request)
        case .credential: .authorized(Sample.exchange)
        case .rewind: .rewound(Sample.exchange)
        case .rate: .rated(Sample.exchange)
        case .exchange: .received(Sample.received)
        case .recover: .judged(.take(Sample.answer))
        case .compare: .compared(Sample.answer)
        case .validate: .validated(Sample.answer)
        case .intercept: .intercepted(Sample.answer)
        case .parse: .mapped(MappedAnswer(Sample.answer))
        case .commit: .committed(Sample.response)
        case .wait: .waited
        case .store: .stored(Sample.failure)
        case .follow: .answeredItem(.success(Sample.response))
        case .drop: .dropped(Sample.failure)
        case .takeBack: .tookBack
        }
    }

    /// The events that the stage may report.
    var answers: [Journey.Event] {
        switch self {
        case .start, .deliver: []
        case .modify: [passing, .answered(Sample.answer), .failed(Sample.failure)]
        case .cache:
            [
                passing, .answered(Sample.answer), .found(Sample.cached), .failed(Sample.failure),
            ]
        case .lane:
            [
                passing, .answered(Sample.answer), .mustStore(Sample.order),
                .mustStore(Sample.firstOrder), .mustStore(Sample.conflictOrder),
                .failed(Sample.failure),
            ]
        case .recover: Sample.verdicts.map { .judged($0) }
        case .compare: [passing, .sendAgain(Sample.spec)]
        case .intercept: [passing, .sendAgain(Sample.spec), .failed(Sample.failure)]
        case .store: [passing, .kept(item: 7, Sample.claim)]
        case .follow, .drop: [passing]
        case .prepare, .upload, .credential, .rewind, .rate, .exchange, .validate, .parse, .commit,
            .wait, .takeBack:
            [passing, .failed(Sample.failure)]
        }
    }
}

/// Data for the stages of a journey.
enum Sample {
    static let url = "http://api.test/things"
    static let spec = RequestSpec(target: .path(.get, "things"))
    static let exchange = Exchange(method: "GET", url: url)
    static let failure = Failure(.connect, "refused")
    static let received = ExchangeRecorder(bodyBytesMax: 0) { _ in }
    static let response = Response(plain)
    static let answer = plain
    static let cached = plain
    static var request: PreparedRequest { request("GET") }
    static let order = StoringOrder(
        call: 1, title: "POST \(url)", request: request("POST"), claim: claim, cause: .notSent,
        reason: "offline", place: .worker)
    static let firstOrder = StoringOrder(
        call: 1, title: "POST \(url)", request: request("POST"), claim: claim, cause: .first,
        reason: "it is stored before it is sent", place: .worker)
    static let conflictOrder = StoringOrder(
        call: 1, title: "PATCH \(url)", request: request("PATCH"), claim: claim,
        cause: .conflict(ConflictReport()), reason: "the object has changed", place: .worker)
    static let claim: any StorageClaim = Claim()

    private static let plain = Answer(status: 200, headers: Headers(), url: url)

    /// One of each verdict.
    static let verdicts: [Journey.Verdict] = [
        .take(answer), .fail(failure), .redirect(request), .replay(request),
        .retry(request, afterMilliseconds: 10), .restart(request),
        .reopen(request, afterMilliseconds: 10), .store(order), .store(conflictOrder),
        .compare(answer),
    ]

    /// A request that is an object of its own.
    static func request(_ method: String) -> PreparedRequest {
        PreparedRequest(
            exchange: Exchange(method: method, url: url),
            destination: .init(method: .get, url: url, path: "things", route: nil),
            sending: SendingRules(
                auth: .none, transport: 0, isTrusted: true, batchRole: .alone),
            dataMapper: nil, submission: nil, deletions: [])
    }

    static func question(asksModifiers: Bool) -> Call.Question {
        let function = StageFunction(number: 1, routes: []) { _ in nil }
        return Call.Question(
            spec: spec, modifiers: asksModifiers ? [function] : [], body: BodyQuestions())
    }

    /// A claim that is only handed on.
    private final class Claim: StorageClaim {
        let idempotencyKey = ""
        let deferred: RequestSpec? = nil
        let isStoredFirst = false
        let mayBeFollowed = false

        func adopt(_ request: PreparedRequest) {}
        func show(_ request: PreparedRequest) throws(Failure) -> OptimisticEdit {
            OptimisticEdit(.random(outbox: 1), laid: nil)
        }
        func endShowing(_ edit: OptimisticEdit) {}
        func enterLane(_ call: UInt64, go: @escaping @Sendable (Executor) -> Void) -> Bool { true }
        func leaveLane(_ call: UInt64) {}
        func reasonToStoreAtOnce(_ request: PreparedRequest) -> String? { nil }
        func reasonToStore() throws(Failure) -> String? { nil }
        func withdraw(_ request: PreparedRequest) throws(Failure) -> Answer? { nil }
        func takes(_ failure: Failure) -> Bool { false }
        func beginStoring(if judge: () -> Bool) -> Bool { judge() }
        func awaitTurn(_ call: UInt64, if isInLane: () -> Bool) {}
        func store(_ order: StoringOrder, _ ended: @escaping @Sendable (StoringResult) -> Void) {}
        func follow(_ item: Int64, _ ended: @escaping @Sendable (Call.Outcome) -> Void) {}
        func isOnItsWay(_ item: Int64) -> Bool { false }
        func letGo(_ item: Int64) {}
        func cancel(
            _ item: Int64, of call: UInt64, title: String,
            _ ended: @escaping @Sendable (Failure) -> Void
        ) {}
    }
}
