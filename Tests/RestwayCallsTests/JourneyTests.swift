import XCTest

@testable import RestwayCalls
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Tests the journey of a call: each path, and random schedules against a simple model.
final class JourneyTests: XCTestCase {
    private typealias Event = Journey.Event

    private func journey(
        _ optional: Journey.OptionalStages = [], asksModifiers: Bool? = nil
    ) -> Journey {
        Journey(Sample.request, passing: optional, asksModifiers.map(Sample.question))
    }

    /// Takes the call from stage to stage; each stage lets it pass.
    private func stagesPassed(
        _ optional: Journey.OptionalStages, asksModifiers: Bool? = nil
    ) -> [StageName] {
        var journey = journey(optional, asksModifiers: asksModifiers)
        var stages: [StageName] = []
        var step = journey.start()
        while let entered = step, StageName(entered.stage) != .deliver {
            let name = StageName(entered.stage)
            stages.append(name)
            // A request that was written again passes the same stages.
            let event: Event =
                name == .prepare ? .prepared(Sample.request, optional) : name.passing
            step = journey.handle(event, of: entered.entry)
        }
        guard case .deliver(.outcome(.success))? = step?.stage else {
            XCTFail("\(stages) ends without a response")
            return stages
        }
        return stages
    }

    /// A journey that has passed all stages before `name`.
    private func journey(
        at name: StageName, _ optional: Journey.OptionalStages = [], asksModifiers: Bool? = nil
    ) -> Journey {
        var journey = journey(optional, asksModifiers: asksModifiers)
        _ = journey.start()
        while StageName(journey.stage) != name, !journey.isComplete {
            switch (StageName(journey.stage), name) {
            case (.recover, .wait):
                report(&journey, .judged(.retry(Sample.request, afterMilliseconds: 10)))
            case (.recover, .store): report(&journey, .judged(.store(Sample.order)))
            case (.recover, .compare): report(&journey, .judged(.compare(Sample.answer)))
            case (.recover, .takeBack):
                journey.show()
                report(&journey, .judged(.fail(Sample.failure)))
            case (.intercept, .takeBack): report(&journey, .failed(Sample.failure))
            case (.lane, .follow), (.lane, .drop):
                report(&journey, .mustStore(Sample.firstOrder))
            case (.store, .follow), (.store, .drop):
                report(&journey, .kept(item: 7, Sample.claim))
            case (.follow, .drop): _ = journey.handle(.cancelled, of: nil)
            case (.prepare, _): report(&journey, .prepared(Sample.request, optional))
            default: report(&journey, StageName(journey.stage).passing)
            }
        }
        XCTAssertFalse(journey.isComplete)
        return journey
    }

    /// Lets the present stage report an event. Returns the stage that follows.
    @discardableResult
    private func report(_ journey: inout Journey, _ event: Event) -> StageName? {
        journey.handle(event, of: journey.entry).map { StageName($0.stage) }
    }

    private func pass(_ journey: inout Journey, until name: StageName) {
        while StageName(journey.stage) != name, !journey.isComplete {
            report(&journey, StageName(journey.stage).passing)
        }
    }

    // MARK: The order

    func testAPlainCallPassesOnlyTheStagesThatEveryCallHas() {
        XCTAssertEqual(
            stagesPassed([]), [.credential, .exchange, .recover, .parse, .commit])
    }

    func testOptionalStagesStandInTheOrderOfTheJourney() {
        XCTAssertEqual(
            stagesPassed(
                [.intercept, .validate, .rate, .rewind, .upload, .cache, .lane],
                asksModifiers: true),
            [
                .modify, .prepare, .lane, .cache, .upload, .credential, .rewind, .rate, .exchange,
                .recover, .validate, .intercept, .parse, .commit,
            ])
    }

    func testAQuestionWithoutModifiersHasTheRequestWrittenAgain() {
        XCTAssertEqual(
            stagesPassed([], asksModifiers: false),
            [.prepare, .credential, .exchange, .recover, .parse, .commit])
    }

    func testARequestThatIsWrittenAgainMayPassOtherStages() {
        var journey = journey(at: .prepare, asksModifiers: false)
        XCTAssertEqual(report(&journey, .prepared(Sample.request, [.lane])), .lane)
        XCTAssertEqual(journey.entry, 2)
    }

    // MARK: The data

    func testAStageGetsWhatTheStageBeforeHasBrought() {
        var journey = journey(at: .modify, asksModifiers: true)
        report(&journey, .modified(RequestSpec(target: .path(.post, "changed"))))
        guard case .prepare(let spec, let question) = journey.stage,
            case .path(.post, _) = spec.target
        else { return XCTFail(journey.stage.name) }
        XCTAssertEqual(question?.modifiers.count, 1)

        let written = Sample.request
        let step = journey.handle(.prepared(written, [.rewind, .rate]), of: journey.entry)
        XCTAssertTrue(step?.request === written)
        XCTAssertTrue(journey.request === written)

        var exchange = Sample.exchange
        exchange.url = "http://api.test/other"
        report(&journey, .authorized(exchange))
        guard case .rewind(let authorized) = journey.stage else {
            return XCTFail(journey.stage.name)
        }
        XCTAssertEqual(authorized.url, exchange.url)
    }

    func testTheNextAttemptStartsWithTheRequestOfTheVerdict() {
        let next = Sample.request
        let verdicts: [Journey.Verdict] = [
            .redirect(next), .replay(next), .retry(next, afterMilliseconds: 1), .restart(next),
            .reopen(next, afterMilliseconds: 1),
        ]
        for verdict in verdicts {
            var journey = journey(at: .recover)
            let step = journey.handle(.judged(verdict), of: journey.entry)
            XCTAssertTrue(step?.request === next, "\(verdict)")
            XCTAssertTrue(journey.request === next, "\(verdict)")
        }
        var journey = journey(at: .recover)
        let held = journey.request
        report(&journey, .judged(.take(Sample.answer)))
        XCTAssertTrue(journey.request === held)
    }

    func testACallThatHasEndedHoldsNoRequest() {
        var journey = journey(at: .commit)
        let held = journey.request
        let step = journey.handle(.committed(Sample.response), of: journey.entry)
        XCTAssertNil(journey.request)
        XCTAssertTrue(step?.request === held)
    }

    // MARK: Ways back

    func testARedirectGoesBackToTheCredential() {
        var journey = journey(at: .recover, [.lane])
        XCTAssertEqual(report(&journey, .judged(.redirect(Sample.request))), .credential)
        XCTAssertEqual(journey.redirects, 1)
    }

    func testARedirectGoesBackToTheCacheIfTheCallAsksIt() {
        var journey = journey(at: .recover, [.lane, .cache])
        XCTAssertEqual(report(&journey, .judged(.redirect(Sample.request))), .cache)
        XCTAssertEqual(journey.redirects, 1)
        report(&journey, .found(Sample.cached))
        XCTAssertEqual(report(&journey, .judged(.redirect(Sample.request))), .cache)
        XCTAssertEqual(journey.redirects, 2)
    }

    func testAnAnswerOfTheCacheIsJudged() {
        var journey = journey(at: .cache, [.cache])
        XCTAssertEqual(report(&journey, .found(Sample.cached)), .recover)
    }

    func testARetryDoesNotAskTheCacheAgain() {
        var journey = journey(at: .wait, [.cache])
        XCTAssertEqual(report(&journey, .waited), .credential)
    }

    func testARetryOrAReplayAfterARedirectAsksTheCacheAgain() {
        let again: [(Journey.Verdict, StageName)] = [
            (.retry(Sample.request, afterMilliseconds: 10), .credential),
            (.replay(Sample.request), .exchange),
        ]
        for (verdict, withoutRedirects) in again {
            var journey = journey(at: .recover, [.cache])
            report(&journey, .judged(.redirect(Sample.request)))
            pass(&journey, until: .recover)
            for expected in [StageName.cache, withoutRedirects] {
                report(&journey, .judged(verdict))
                XCTAssertEqual(report(&journey, StageName(journey.stage).passing), expected)
                pass(&journey, until: .recover)
            }
        }
    }

    func testAReplayIsCountedAndWaitsForTheCredential() {
        var journey = journey(at: .recover)
        XCTAssertEqual(report(&journey, .judged(.replay(Sample.request))), .credential)
        XCTAssertEqual(journey.replays, 1)
        XCTAssertEqual(report(&journey, .authorized(Sample.exchange)), .exchange)
        XCTAssertEqual(journey.replays, 1)
    }

    func testARetryWaitsAndGoesOnWithTheCredential() {
        var journey = journey(at: .wait, [.lane])
        guard case .wait(milliseconds: 10) = journey.stage else {
            return XCTFail("\(journey.stage)")
        }
        XCTAssertEqual(journey.retries, 1)
        XCTAssertEqual(report(&journey, .waited), .credential)
    }

    func testAStreamThatGoesOnStartsToCountAgain() {
        var journey = journey(at: .recover)
        let next = Sample.request
        let verdicts: [(Journey.Verdict, StageName)] = [
            (.retry(next, afterMilliseconds: 10), .wait), (.replay(next), .credential),
            (.redirect(next), .credential), (.reopen(next, afterMilliseconds: 10), .wait),
        ]
        for (verdict, expected) in verdicts {
            XCTAssertEqual(report(&journey, .judged(verdict)), expected)
            pass(&journey, until: .recover)
        }
        XCTAssertEqual(journey.retries + journey.replays + journey.redirects, 0)
    }

    func testTheNextRequestOfAnUploadAndARetryGoBackToTheUpload() {
        var restarted = journey(at: .recover, [.upload])
        XCTAssertEqual(report(&restarted, .judged(.restart(Sample.request))), .upload)
        var retried = journey(at: .wait, [.upload])
        XCTAssertEqual(report(&retried, .waited), .upload)
    }

    func testRedirectsAreCountedForEachRequestOfAnUpload() {
        var journey = journey(at: .recover, [.upload])
        XCTAssertEqual(report(&journey, .judged(.redirect(Sample.request))), .credential)
        XCTAssertEqual(journey.redirects, 1)
        pass(&journey, until: .recover)
        report(&journey, .judged(.restart(Sample.request)))
        XCTAssertEqual(journey.redirects, 0)
    }

    func testRedirectsAreCountedForEachAttempt() {
        var journey = journey(at: .recover)
        report(&journey, .judged(.redirect(Sample.request)))
        pass(&journey, until: .recover)
        report(&journey, .judged(.retry(Sample.request, afterMilliseconds: 10)))
        XCTAssertEqual(journey.redirects, 0)
    }

    func testAnAnswerWithoutAnExchangeIsValidatedAndParsed() {
        for name in [StageName.lane, .cache, .modify] {
            var journey = journey(
                at: name, [.lane, .cache], asksModifiers: name == .modify ? true : nil)
            XCTAssertEqual(report(&journey, .answered(Sample.answer)), .parse)
        }
    }

    func testAFinalFailureIsShownToInterceptorsBeforeItIsDelivered() {
        var with = journey(at: .recover, [.intercept])
        XCTAssertEqual(report(&with, .judged(.fail(Sample.failure))), .intercept)
        guard case .intercept(.failure(let shown)) = with.stage else { return XCTFail() }
        XCTAssertEqual(shown.message, Sample.failure.message)

        var without = journey(at: .recover)
        report(&without, .judged(.fail(Sample.failure)))
        guard case .deliver(.outcome(.failure(let final))) = without.stage else {
            return XCTFail(without.stage.name)
        }
        XCTAssertEqual(final.message, Sample.failure.message)
    }

    func testAnInterceptorHasTheRequestWrittenAndSentAgain() {
        var journey = journey(at: .intercept, [.intercept, .lane])
        XCTAssertEqual(report(&journey, .sendAgain(Sample.spec)), .prepare)
        XCTAssertEqual(journey.sendsAgain, 1)
        guard case .prepare(_, nil) = journey.stage else { return XCTFail() }
        XCTAssertEqual(report(&journey, .prepared(Sample.request, [.intercept])), .credential)
    }

    func testInterceptorsSeeAFailureToMapTheAnswerThatTheyHaveSeenAndNoFurther() {
        var journey = journey(at: .parse, [.intercept])
        for expected in [StageName.intercept, .deliver] {
            XCTAssertEqual(report(&journey, .failed(Sample.failure)), .recover)
            XCTAssertEqual(report(&journey, .judged(.fail(Sample.failure))), expected)
            // The interceptors turn the failure into an answer.
            if expected == .intercept { report(&journey, .intercepted(Sample.answer)) }
        }
    }

    // MARK: Conflicts

    func testAConflictIsComparedBeforeItsAnswerIsTaken() {
        var journey = journey(at: .recover, [.validate, .intercept])
        for count in 1...2 {
            XCTAssertEqual(report(&journey, .judged(.compare(Sample.answer))), .compare)
            XCTAssertEqual(journey.comparisons, count)
            if count == 1 {
                XCTAssertEqual(report(&journey, .sendAgain(Sample.spec)), .prepare)
                report(&journey, .prepared(Sample.request, [.validate, .intercept]))
                pass(&journey, until: .recover)
            }
        }
        XCTAssertEqual(report(&journey, .compared(Sample.answer)), .validate)
    }

    func testTheOutboxTakesAConflictOverAndTheCallWaitsForTheAnswer() {
        for cancels in [false, true] {
            var journey = journey(at: .recover, [.lane])
            XCTAssertEqual(report(&journey, .judged(.store(Sample.conflictOrder))), .store)
            if cancels { XCTAssertNil(journey.handle(.cancelled, of: nil)) }
            XCTAssertEqual(
                report(&journey, .kept(item: 7, Sample.claim)), cancels ? .drop : .follow)
        }
    }

    // MARK: Ends

    func testACommitAndAStoringAreNotCancelled() {
        for name in [StageName.commit, .store, .takeBack] {
            var journey = journey(at: name)
            XCTAssertNil(journey.handle(.cancelled, of: nil))
            XCTAssertNil(journey.handle(.interrupted(Sample.failure), of: journey.entry))
            let step = journey.handle(name.passing, of: journey.entry)
            XCTAssertEqual(step?.isInterrupted, false)
            XCTAssertEqual(step.map { StageName($0.stage) }, .deliver)
        }
    }

    private static let everyStage: Journey.OptionalStages = [
        .lane, .cache, .upload, .rewind, .rate, .validate, .intercept,
    ]

    func testACloseEndsEveryCallThatCannotBeStored() {
        for name in StageName.allCases where ![.deliver, .start, .follow].contains(name) {
            var journey = journey(at: name, Self.everyStage, asksModifiers: true)
            let step = journey.handle(.closed(nil), of: nil)
            guard name != .store, name != .drop, name != .takeBack else {
                XCTAssertNil(step)
                continue
            }
            XCTAssertEqual(step?.isInterrupted, true)
            XCTAssertEqual(step.map { StageName($0.left) }, name)
            guard case .deliver(.closed)? = step?.stage else { return XCTFail(name.rawValue) }
        }
    }

    func testWhatTheStoreShowsIsTakenBackBeforeACallFails() {
        for event in [Event.cancelled, .closed(nil), .judged(.fail(Sample.failure))] {
            var journey = journey(at: .recover)
            journey.show()
            XCTAssertEqual(
                journey.handle(event, of: nil).map { StageName($0.stage) }, .takeBack)
            XCTAssertEqual(report(&journey, .tookBack), .deliver)
        }
        var succeeding = journey(at: .commit)
        succeeding.show()
        XCTAssertEqual(report(&succeeding, .committed(Sample.response)), .deliver)
    }

    func testTheOutboxKeepsWhatTheStoreShowsOfARequestThatItHasStored() {
        for (reason, next) in [(Failure.Reason.queued, StageName.deliver), (.outbox, .takeBack)] {
            var journey = journey(at: .store)
            journey.show()
            XCTAssertEqual(report(&journey, .stored(Failure(reason, ""))), next)
        }
    }

    func testWhatTheStoreShowsBelongsToTheItemOfARequestThatIsStoredFirst() {
        for cancels in [false, true] {
            var journey = journey(at: .lane, [.lane])
            journey.show()
            report(&journey, .mustStore(Sample.firstOrder))
            report(&journey, .kept(item: 7, Sample.claim))
            XCTAssertFalse(journey.isShown)
            if cancels {
                XCTAssertEqual(
                    journey.handle(.cancelled, of: nil).map { StageName($0.stage) }, .drop)
                XCTAssertEqual(report(&journey, .dropped(Sample.failure)), .deliver)
            } else {
                XCTAssertEqual(
                    report(&journey, .answeredItem(.failure(Sample.failure))), .deliver)
            }
        }
    }

    func testACloseStoresARequestInFlightAndSaysWhetherItMayHaveArrived() {
        let onItsWay: [StageName: Bool] = [
            .cache: false, .upload: false, .credential: false, .rewind: false, .rate: false,
            .exchange: true, .recover: true, .wait: true,
        ]
        for (name, arrives) in onItsWay {
            var journey = journey(at: name, Self.everyStage, asksModifiers: true)
            let step = journey.handle(.closed(Sample.order), of: nil)
            guard case .store(let order)? = step?.stage,
                case .closed(let mayHaveArrived) = order.cause
            else { return XCTFail(name.rawValue) }
            XCTAssertEqual(mayHaveArrived, arrives, name.rawValue)
            XCTAssertEqual(step?.isInterrupted, true)
            // It is stored once.
            XCTAssertNil(journey.handle(.closed(Sample.order), of: nil))
            XCTAssertEqual(report(&journey, .stored(Sample.failure)), .deliver)
        }
    }

    func testARequestThatWasRedirectedMayHaveArrivedAlthoughItWaitsForACredential() {
        var journey = journey(at: .recover)
        report(&journey, .judged(.redirect(Sample.request)))
        _ = journey.handle(.closed(Sample.order), of: nil)
        guard case .store(let order) = journey.stage, case .closed(true) = order.cause else {
            return XCTFail(journey.stage.name)
        }
    }

    func testACloseLeavesACallInItsLane() {
        var journey = journey(at: .lane, [.lane])
        XCTAssertNil(journey.handle(.closed(Sample.order), of: nil))
        XCTAssertEqual(report(&journey, .mustStore(Sample.order)), .store)
    }

    func testACloseStoresNoRequestWhoseAnswerIsThere() {
        for name in [StageName.compare, .validate, .intercept, .parse, .commit] {
            var journey = journey(at: name, Self.everyStage, asksModifiers: true)
            guard case .deliver(.closed)? = journey.handle(.closed(Sample.order), of: nil)?.stage
            else { return XCTFail(name.rawValue) }
        }
    }

    // MARK: Stored first

    private func outbox(of step: Journey.Step?) -> (Failure.Reason, Int64)? {
        guard case .deliver(.outcome(.failure(let failure)))? = step?.stage else { return nil }
        return (failure.reason, failure.outboxID)
    }

    func testARequestThatIsStoredFirstHasTheAnswerOfItsItem() {
        var journey = journey(at: .follow, [.lane])
        guard case .follow(item: 7, _) = journey.stage else { return XCTFail() }
        let step = journey.handle(
            .answeredItem(.success(Sample.response)), of: journey.entry)
        guard case .deliver(.followed(.success))? = step?.stage else { return XCTFail() }
        XCTAssertEqual(step?.isInterrupted, false)
    }

    func testACancelledCallHasItsItemDropped() {
        var journey = journey(at: .follow, [.lane])
        let step = journey.handle(.cancelled, of: nil)
        guard case .drop(item: 7, _)? = step?.stage else { return XCTFail() }
        XCTAssertEqual(step?.isInterrupted, true)
        for event in [Event.cancelled, .closed(Sample.order), .interrupted(Sample.failure)] {
            XCTAssertNil(journey.handle(event, of: nil))
        }
        XCTAssertEqual(report(&journey, .dropped(Sample.failure)), .deliver)
    }

    func testACancelWhileTheRequestIsStoredFirstIsNotForgotten() {
        var journey = journey(at: .lane, [.lane])
        report(&journey, .mustStore(Sample.firstOrder))
        XCTAssertNil(journey.handle(.cancelled, of: nil))
        XCTAssertEqual(report(&journey, .kept(item: 7, Sample.claim)), .drop)
    }

    func testACloseEndsTheWaitForTheAnswerAndTheItemStays() {
        var waiting = journey(at: .follow, [.lane])
        let ended = outbox(of: waiting.handle(.closed(nil), of: nil))
        XCTAssertEqual(ended?.0, .queued)
        XCTAssertEqual(ended?.1, 7)
        var storing = journey(at: .lane, [.lane])
        report(&storing, .mustStore(Sample.firstOrder))
        XCTAssertNil(storing.handle(.closed(nil), of: nil))
        let kept = outbox(of: storing.handle(.kept(item: 7, Sample.claim), of: storing.entry))
        XCTAssertEqual(kept?.0, .queued)
        XCTAssertEqual(kept?.1, 7)
    }

    func testTheTimeLimitEndsTheWaitAndTheItemStays() {
        var journey = journey(at: .follow, [.lane])
        let step = journey.handle(.interrupted(Sample.failure), of: journey.entry)
        XCTAssertEqual(outbox(of: step)?.0, .queued)
        XCTAssertEqual(outbox(of: step)?.1, 7)
    }

    func testACallCanEndBeforeItHasStarted() {
        for event in [Event.cancelled, .closed(nil), .interrupted(Sample.failure)] {
            var journey = journey(asksModifiers: true)
            let step = journey.handle(event, of: nil)
            XCTAssertEqual(step.map { StageName($0.stage) }, .deliver)
            XCTAssertEqual(step.map { StageName($0.left) }, .start)
            XCTAssertTrue(journey.isComplete)
            XCTAssertNil(journey.start())
        }
    }

    func testALateAnswerChangesNothing() {
        var journey = journey(at: .recover)
        let late = journey.entry - 1
        for name in StageName.allCases {
            for event in name.answers + [.interrupted(Sample.failure)] {
                XCTAssertNil(journey.handle(event, of: late))
            }
        }
        XCTAssertEqual(StageName(journey.stage), .recover)
    }

    // MARK: Schedules

    /// The rules of the journey again, as lists of allowed transitions.
    private struct Model {
        var optional: Set<StageName>
        /// Whether the store shows what the request changes.
        var isShown = false
        /// Whether the call waits for the answer of its stored request, and what has happened
        /// meanwhile.
        private var isFollowed = false
        private var isCancelled = false
        private var isClosed = false

        init(optional: Set<StageName>) { self.optional = optional }

        static let order: [StageName] = [
            .lane, .cache, .upload, .credential, .rewind, .rate, .exchange, .recover, .validate,
            .intercept, .parse, .commit, .deliver,
        ]
        static let ofEveryCall: Set<StageName> = [
            .credential, .exchange, .recover, .parse, .commit, .deliver,
        ]

        func from(_ name: StageName) -> StageName {
            let index = Self.order.firstIndex(of: name)!
            return Self.order[index...].first {
                Self.ofEveryCall.contains($0) || optional.contains($0)
            }!
        }

        func after(_ name: StageName) -> StageName {
            from(Self.order[Self.order.firstIndex(of: name)! + 1])
        }

        /// Notes an event that is not late.
        mutating func note(_ name: StageName, _ event: Event) {
            switch (name, event) {
            case (_, .mustStore(let order)), (.recover, .judged(.store(let order))):
                switch order.cause {
                case .first, .conflict: isFollowed = true
                case .notSent, .failed, .closed: isFollowed = false
                }
            case (.store, .cancelled): if isFollowed { isCancelled = true }
            case (.store, .closed): isClosed = true
            case (_, .kept): isShown = false
            default: break
            }
        }

        /// Returns the state after an event that is not late; `nil` if the event is ignored.
        func follows(
            _ name: StageName, _ event: Event, leavesRedirects: Bool, interceptions: Int
        ) -> StageName? {
            let next = goesOn(
                name, event, leavesRedirects: leavesRedirects, interceptions: interceptions)
            // The server has taken the request, or its item keeps what the store shows.
            switch event {
            case .committed, .kept: return next
            default: break
            }
            return isShown && next == .deliver && name != .takeBack ? .takeBack : next
        }

        private func goesOn(
            _ name: StageName, _ event: Event, leavesRedirects: Bool, interceptions: Int
        ) -> StageName? {
            let lasting: Set<StageName> = [.commit, .store, .drop, .takeBack]
            let endsHere = lasting.union([
                .modify, .prepare, .recover, .compare, .intercept, .follow,
            ])
            let isStored: Set<StageName> = [
                .cache, .upload, .credential, .rewind, .rate, .exchange, .recover, .wait,
            ]
            let afterFailure: StageName = endsHere.contains(name) ? .deliver : .recover
            switch event {
            case .modified: return .prepare
            case .prepared: return from(.lane)
            case .authorized, .waited:
                if leavesRedirects { return from(.cache) }
                return from(name == .wait ? .upload : .rewind)
            case .stored, .answeredItem, .dropped, .tookBack: return .deliver
            case .kept: return isCancelled ? .drop : isClosed ? .deliver : .follow
            case .admitted, .missed, .continued, .rewound, .rated, .received, .validated,
                .intercepted, .mapped, .committed:
                return after(name)
            case .answered: return from(.validate)
            case .judged(.take), .compared: return from(.validate)
            case .judged(.compare): return .compare
            case .judged(.fail):
                let isShown = optional.contains(.intercept) && interceptions < 2
                return isShown ? .intercept : .deliver
            case .judged(.redirect): return optional.contains(.cache) ? .cache : .credential
            case .judged(.replay): return .credential
            case .found: return .recover
            case .judged(.restart): return from(.upload)
            case .judged(.retry), .judged(.reopen): return .wait
            case .judged(.store), .mustStore: return .store
            case .sendAgain: return .prepare
            case .failed: return afterFailure
            case .interrupted: return lasting.contains(name) ? nil : afterFailure
            case .cancelled:
                return lasting.contains(name) ? nil : name == .follow ? .drop : .deliver
            case .closed(let order):
                if [.store, .drop, .takeBack].contains(name) || name == .lane && order != nil {
                    return nil
                }
                return order != nil && isStored.contains(name) ? .store : .deliver
            }
        }
    }

    func testRandomSchedulesAgreeWithTheModelAndEndOnce() {
        var random = SystemRandomNumberGenerator()
        let all: [(StageName, Journey.OptionalStages)] = [
            (.lane, .lane), (.cache, .cache), (.upload, .upload), (.rewind, .rewind),
            (.rate, .rate), (.validate, .validate), (.intercept, .intercept),
        ]
        for _ in 0..<5_000 {
            func choose() -> (Set<StageName>, Journey.OptionalStages) {
                let chosen = all.filter { _ in Bool.random(using: &random) }
                return (Set(chosen.map(\.0)), .init(chosen.map(\.1)))
            }
            let (names, optional) = choose()
            var model = Model(optional: names)
            let asksModifiers = [true, false, nil].randomElement(using: &random)!
            var journey = journey(optional, asksModifiers: asksModifiers)
            var held = asksModifiers.map { $0 ? StageName.modify : .prepare } ?? model.from(.lane)
            XCTAssertEqual(journey.start().map { StageName($0.stage) }, held)
            if Bool.random(using: &random) {
                model.isShown = true
                journey.show()
            }
            var deliveries = 0
            var steps = 0
            var interceptions = 0
            while deliveries == 0 {
                steps += 1
                let entry = journey.entry
                let leavesRedirects = journey.leavesRedirects
                let dice = Int.random(in: 0..<20, using: &random)
                var event: Event =
                    switch dice {
                    case 0: .cancelled
                    case 1: steps > 5 ? .closed(nil) : .interrupted(Sample.failure)
                    case 4: steps > 5 ? .closed(Sample.order) : .cancelled
                    case 2: .interrupted(Sample.failure)
                    default: held.answers.randomElement(using: &random)!
                    }
                if dice > 4, case .prepared = event {
                    let (names, optional) = choose()
                    model.optional = names
                    event = .prepared(Sample.request, optional)
                }
                let isFromOutside = dice < 3 || dice == 4
                let step = journey.handle(
                    event, of: isFromOutside ? nil : dice == 3 ? entry - 1 : entry)
                let followed = model.follows(
                    held, event, leavesRedirects: leavesRedirects, interceptions: interceptions)
                if dice != 3 { model.note(held, event) }
                guard dice != 3, let next = followed else {
                    XCTAssertNil(step, "\(held) \(event)")
                    continue
                }
                XCTAssertEqual(step?.isInterrupted, isFromOutside, "\(held) \(event)")
                XCTAssertEqual(step.map { StageName($0.left) }, held, "\(event)")
                held = next
                if case .sendAgain = event { interceptions = 0 }
                if next == .intercept { interceptions += 1 }
                XCTAssertEqual(StageName(journey.stage), next, "\(event)")
                XCTAssertEqual(step.map { StageName($0.stage) }, next, "\(event)")
                XCTAssertEqual(journey.entry, entry + 1)
                XCTAssertEqual(step?.entry, entry + 1)
                XCTAssertEqual(journey.isComplete, next == .deliver)
                if next == .deliver { deliveries += 1 }
                XCTAssertLessThan(steps, 10_000)
            }
            for event in [Event.cancelled, .closed(nil), .interrupted(Sample.failure)] {
                XCTAssertNil(journey.handle(event, of: nil))
            }
        }
    }
}
