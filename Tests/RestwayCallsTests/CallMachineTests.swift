import XCTest

@testable import RestwayCalls
@testable import RestwayDocument
@testable import RestwayOutcome

/// Tests the journey of a call as a machine: each path, and random schedules against a simple
/// model.
final class CallMachineTests: XCTestCase {
    private typealias Stage = CallMachine.Stage
    private typealias Event = CallMachine.Event

    /// Takes the call from stage to stage; each stage lets it pass.
    private func stagesPassed(_ optional: CallMachine.OptionalStages) -> [Stage] {
        var machine = CallMachine(passing: optional)
        var stages: [Stage] = []
        var actions = machine.start()
        while case .enter(let stage, let entry) = actions.next {
            stages.append(stage)
            actions = machine.handle(stage == .recover ? .judged(entry, .take) : .passed(entry))
        }
        XCTAssertEqual(actions.next, .deliver(.outcome))
        return stages
    }

    /// A machine that has passed all stages before `stage`.
    private func machine(
        at stage: Stage, _ optional: CallMachine.OptionalStages = []
    ) -> CallMachine {
        var machine = CallMachine(passing: optional)
        _ = machine.start()
        while machine.stage != stage {
            let entry = machine.entry
            XCTAssertFalse(machine.isComplete)
            switch (machine.stage, stage) {
            case (.recover, .wait): _ = machine.handle(.judged(entry, .retry))
            case (.recover, .store): _ = machine.handle(.judged(entry, .store))
            case (.recover, _): _ = machine.handle(.judged(entry, .take))
            default: _ = machine.handle(.passed(entry))
            }
        }
        return machine
    }

    func testAPlainCallPassesOnlyTheStagesThatEveryCallHas() {
        XCTAssertEqual(
            stagesPassed([]), [.credential, .exchange, .recover, .parse, .commit])
    }

    func testOptionalStagesStandInTheOrderOfTheJourney() {
        XCTAssertEqual(
            stagesPassed([
                .intercept, .validate, .rate, .rewind, .upload, .cache, .lane, .prepare, .modify,
            ]),
            [
                .modify, .prepare, .lane, .cache, .upload, .credential, .rewind, .rate, .exchange,
                .recover, .validate, .intercept, .parse, .commit,
            ])
    }

    func testARequestThatIsWrittenAgainMayPassOtherStages() {
        var machine = machine(at: .prepare, [.prepare])
        XCTAssertEqual(
            machine.handle(.prepared(machine.entry, [.lane])).next, .enter(.lane, 2))
    }

    func testARedirectGoesBackToTheCredential() {
        var machine = machine(at: .recover, [.lane])
        let actions = machine.handle(.judged(machine.entry, .redirect))
        XCTAssertEqual(actions, .init(next: .enter(.credential, machine.entry)))
        XCTAssertEqual(machine.redirects, 1)
    }

    func testARedirectGoesBackToTheCacheIfTheCallAsksIt() {
        var machine = machine(at: .recover, [.lane, .cache])
        let actions = machine.handle(.judged(machine.entry, .redirect))
        XCTAssertEqual(actions, .init(next: .enter(.cache, machine.entry)))
        XCTAssertEqual(machine.redirects, 1)
        _ = machine.handle(.found(machine.entry))
        _ = machine.handle(.judged(machine.entry, .redirect))
        XCTAssertEqual(machine.stage, .cache)
        XCTAssertEqual(machine.redirects, 2)
    }

    func testAnAnswerOfTheCacheIsJudged() {
        var machine = machine(at: .cache, [.cache])
        XCTAssertEqual(
            machine.handle(.found(machine.entry)), .init(next: .enter(.recover, machine.entry)))
    }

    func testARetryDoesNotAskTheCacheAgain() {
        var machine = machine(at: .wait, [.cache])
        XCTAssertEqual(
            machine.handle(.passed(machine.entry)).next, .enter(.credential, machine.entry))
    }

    func testARetryOrAReplayAfterARedirectAsksTheCacheAgain() {
        for verdict in [CallMachine.Verdict.retry, .replay] {
            var machine = machine(at: .recover, [.cache])
            _ = machine.handle(.judged(machine.entry, .redirect))
            while machine.stage != .recover { _ = machine.handle(.passed(machine.entry)) }
            for expected in [Stage.cache, verdict == .retry ? .credential : .exchange] {
                _ = machine.handle(.judged(machine.entry, verdict))
                XCTAssertEqual(
                    machine.handle(.passed(machine.entry)).next, .enter(expected, machine.entry))
                while machine.stage != .recover { _ = machine.handle(.passed(machine.entry)) }
            }
        }
    }

    func testAReplayIsCountedAndWaitsForTheCredential() {
        var machine = machine(at: .recover)
        _ = machine.handle(.judged(machine.entry, .replay))
        XCTAssertEqual(machine.stage, .credential)
        XCTAssertEqual(machine.replays, 1)
        _ = machine.handle(.passed(machine.entry))
        XCTAssertEqual(machine.stage, .exchange)
        XCTAssertEqual(machine.replays, 1)
    }

    func testARetryWaitsAndGoesOnWithTheCredential() {
        var machine = machine(at: .wait, [.lane])
        XCTAssertEqual(machine.retries, 1)
        XCTAssertEqual(
            machine.handle(.passed(machine.entry)).next, .enter(.credential, machine.entry))
    }

    func testAStreamThatGoesOnStartsToCountAgain() {
        var machine = machine(at: .recover)
        for verdict in [CallMachine.Verdict.retry, .replay, .redirect, .reopen] {
            _ = machine.handle(.judged(machine.entry, verdict))
            XCTAssertEqual(
                machine.stage, verdict == .retry || verdict == .reopen ? .wait : .credential)
            while machine.stage != .recover { _ = machine.handle(.passed(machine.entry)) }
        }
        XCTAssertEqual(machine.retries + machine.replays + machine.redirects, 0)
    }

    func testTheNextRequestOfAnUploadAndARetryGoBackToTheUpload() {
        for verdict in [CallMachine.Verdict.restart, .retry] {
            var machine = machine(at: .recover, [.upload])
            _ = machine.handle(.judged(machine.entry, verdict))
            if verdict == .retry { _ = machine.handle(.passed(machine.entry)) }
            XCTAssertEqual(machine.stage, .upload)
        }
    }

    func testRedirectsAreCountedForEachRequestOfAnUpload() {
        var machine = machine(at: .recover, [.upload])
        _ = machine.handle(.judged(machine.entry, .redirect))
        XCTAssertEqual(machine.stage, .credential)
        XCTAssertEqual(machine.redirects, 1)
        while machine.stage != .recover { _ = machine.handle(.passed(machine.entry)) }
        _ = machine.handle(.judged(machine.entry, .restart))
        XCTAssertEqual(machine.redirects, 0)
    }

    func testRedirectsAreCountedForEachAttempt() {
        var machine = machine(at: .recover)
        _ = machine.handle(.judged(machine.entry, .redirect))
        _ = machine.handle(.passed(machine.entry))
        _ = machine.handle(.passed(machine.entry))
        _ = machine.handle(.judged(machine.entry, .retry))
        XCTAssertEqual(machine.redirects, 0)
    }

    func testAnAnswerWithoutAnExchangeIsValidatedAndParsed() {
        for stage in [Stage.lane, .cache, .modify] {
            var machine = machine(at: stage, [.lane, .cache, .modify])
            XCTAssertEqual(
                machine.handle(.answered(machine.entry)).next, .enter(.parse, machine.entry))
        }
    }

    func testAFinalFailureIsShownToInterceptorsBeforeItIsDelivered() {
        var with = machine(at: .recover, [.intercept])
        XCTAssertEqual(
            with.handle(.judged(with.entry, .fail)).next, .enter(.intercept, with.entry))
        var without = machine(at: .recover)
        XCTAssertEqual(
            without.handle(.judged(without.entry, .fail)).next, .deliver(.outcome))
    }

    func testAnInterceptorHasTheRequestWrittenAndSentAgain() {
        var machine = machine(at: .intercept, [.intercept, .lane])
        XCTAssertEqual(
            machine.handle(.sendAgain(machine.entry)).next, .enter(.prepare, machine.entry))
        XCTAssertEqual(machine.sendsAgain, 1)
        XCTAssertEqual(
            machine.handle(.prepared(machine.entry, [.intercept])).next,
            .enter(.credential, machine.entry))
    }

    func testInterceptorsSeeAFailureToMapTheAnswerThatTheyHaveSeenAndNoFurther() {
        var machine = machine(at: .parse, [.intercept])
        for stage in [Stage.intercept, .deliver] {
            _ = machine.handle(.failed(machine.entry))
            XCTAssertEqual(machine.stage, .recover)
            _ = machine.handle(.judged(machine.entry, .fail))
            XCTAssertEqual(machine.stage, stage)
            // The interceptors turn the failure into an answer.
            if stage == .intercept { _ = machine.handle(.passed(machine.entry)) }
        }
    }

    func testACommitAndAStoringAreNotCancelled() {
        for stage in [Stage.commit, .store] {
            var machine = machine(at: stage)
            XCTAssertEqual(machine.handle(.cancelled), .init())
            XCTAssertEqual(machine.handle(.interrupted(machine.entry)), .init())
            XCTAssertEqual(
                machine.handle(.passed(machine.entry)), .init(next: .deliver(.outcome)))
        }
    }

    func testACloseEndsEverythingButAStoring() {
        for stage in Stage.allCases where stage != .deliver {
            var machine = machine(
                at: stage,
                [
                    .modify, .prepare, .lane, .cache, .upload, .rewind, .rate, .validate,
                    .intercept,
                ])
            let actions = machine.handle(.closed)
            XCTAssertEqual(
                actions,
                stage == .store ? .init() : .init(leave: stage, next: .deliver(.closed)))
        }
    }

    func testACallCanEndBeforeItHasStarted() {
        for event in [Event.cancelled, .closed, .interrupted(0)] {
            var machine = CallMachine(passing: [])
            XCTAssertNotNil(machine.handle(event).next)
            XCTAssertNil(machine.handle(event).leave)
            XCTAssertTrue(machine.isComplete)
            XCTAssertEqual(machine.start(), .init())
        }
    }

    func testALateAnswerChangesNothing() {
        var machine = machine(at: .recover)
        let late = machine.entry - 1
        for event in [
            Event.passed(late), .failed(late), .interrupted(late), .mustStore(late),
            .sendAgain(late), .answered(late), .judged(late, .retry), .found(late),
        ] {
            XCTAssertEqual(machine.handle(event), .init())
        }
        XCTAssertEqual(machine.stage, .recover)
    }

    // MARK: Schedules

    /// The rules of the machine again, as lists of allowed transitions.
    private struct Model {
        let optional: Set<Stage>
        static let order: [Stage] = [
            .modify, .prepare, .lane, .cache, .upload, .credential, .rewind, .rate, .exchange,
            .recover, .validate, .intercept, .parse, .commit, .deliver,
        ]
        static let ofEveryCall: Set<Stage> = [
            .credential, .exchange, .recover, .parse, .commit, .deliver,
        ]

        private func next(_ index: Int) -> Stage {
            Self.order[index...].first { Self.ofEveryCall.contains($0) || optional.contains($0) }!
        }

        func after(_ stage: Stage) -> Stage { next(Self.order.firstIndex(of: stage)! + 1) }
        func from(_ stage: Stage) -> Stage { next(Self.order.firstIndex(of: stage)!) }

        /// Returns the state after an event that is not late; `nil` if the event is ignored.
        func follows(
            _ stage: Stage, _ event: Event, leavesRedirects: Bool, interceptions: Int
        ) -> Stage? {
            let endsHere: Set<Stage> = [.modify, .prepare, .recover, .intercept, .commit, .store]
            let afterFailure: Stage = endsHere.contains(stage) ? .deliver : .recover
            switch event {
            case .passed:
                let beginsAttempt = stage == .wait || stage == .credential
                if beginsAttempt, leavesRedirects { return from(.cache) }
                if stage == .wait { return from(.upload) }
                if stage == .store { return .deliver }
                return after(stage)
            case .prepared: return after(stage)
            case .answered: return from(.validate)
            case .judged(_, .take): return from(.validate)
            case .judged(_, .fail):
                let isShown = optional.contains(.intercept) && interceptions < 2
                return isShown ? .intercept : .deliver
            case .judged(_, .redirect): return optional.contains(.cache) ? .cache : .credential
            case .judged(_, .replay): return .credential
            case .found: return .recover
            case .judged(_, .restart): return from(.upload)
            case .judged(_, .retry), .judged(_, .reopen): return .wait
            case .judged(_, .store), .mustStore: return .store
            case .sendAgain: return .prepare
            case .failed: return afterFailure
            case .interrupted: return [.commit, .store].contains(stage) ? nil : afterFailure
            case .cancelled: return [.commit, .store].contains(stage) ? nil : .deliver
            case .closed: return stage == .store ? nil : .deliver
            }
        }
    }

    /// The answers that a stage may give.
    private func answers(_ stage: Stage, _ entry: Int) -> [Event] {
        switch stage {
        case .modify: [.passed(entry), .answered(entry), .failed(entry)]
        case .cache: [.passed(entry), .answered(entry), .failed(entry), .found(entry)]
        case .prepare: [.passed(entry), .failed(entry)]
        case .lane:
            [.passed(entry), .answered(entry), .mustStore(entry), .failed(entry)]
        case .recover: CallMachine.Verdict.allCases.map { .judged(entry, $0) }
        case .intercept: [.passed(entry), .sendAgain(entry), .failed(entry)]
        case .upload, .credential, .rewind, .rate, .exchange, .validate, .parse, .commit, .wait,
            .store:
            [.passed(entry), .failed(entry)]
        case .deliver: []
        }
    }

    func testRandomSchedulesAgreeWithTheModelAndEndOnce() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            let all: [(Stage, CallMachine.OptionalStages)] = [
                (.modify, .modify), (.prepare, .prepare), (.lane, .lane), (.cache, .cache),
                (.upload, .upload), (.rewind, .rewind), (.rate, .rate), (.validate, .validate),
                (.intercept, .intercept),
            ]
            let chosen = all.filter { _ in Bool.random(using: &random) }
            let model = Model(optional: Set(chosen.map(\.0)))
            var machine = CallMachine(passing: .init(chosen.map(\.1)))
            var held = model.from(.modify)
            XCTAssertEqual(machine.start().next, .enter(held, 1))
            var deliveries = 0
            var steps = 0
            var interceptions = 0
            while deliveries == 0 {
                steps += 1
                let entry = machine.entry
                let leavesRedirects = machine.leavesRedirects
                let dice = Int.random(in: 0..<20, using: &random)
                let event: Event =
                    switch dice {
                    case 0: .cancelled
                    case 1: steps > 5 ? .closed : .interrupted(entry)
                    case 2: .interrupted(entry)
                    case 3: .passed(entry - 1)
                    default: answers(held, entry).randomElement(using: &random)!
                    }
                let actions = machine.handle(event)
                let followed = model.follows(
                    held, event, leavesRedirects: leavesRedirects, interceptions: interceptions)
                guard dice != 3, let next = followed else {
                    XCTAssertEqual(actions, .init(), "\(held) \(event)")
                    continue
                }
                let isFromOutside = dice < 3
                XCTAssertEqual(actions.leave, isFromOutside ? held : nil, "\(held) \(event)")
                held = next
                if case .sendAgain = event { interceptions = 0 }
                if next == .intercept { interceptions += 1 }
                XCTAssertEqual(machine.stage, next, "\(event)")
                XCTAssertEqual(machine.entry, entry + 1)
                if next == .deliver {
                    deliveries += 1
                    guard case .deliver = actions.next else { return XCTFail("\(actions)") }
                } else {
                    XCTAssertEqual(actions.next, .enter(next, entry + 1))
                }
                XCTAssertLessThan(steps, 10_000)
            }
            for event in [Event.cancelled, .closed, .interrupted(machine.entry)] {
                XCTAssertEqual(machine.handle(event), .init())
            }
        }
    }
}
