import RandomRounds
import XCTest

@testable import RestwayCalls

/// Tests which events of a call are told: each rule, and random journeys.
final class LifecycleOrderTests: XCTestCase {
    /// Returns the events that are told while these things happen.
    private func told(_ happened: LifecycleKind...) -> [LifecycleKind] {
        var order = LifecycleOrder()
        return happened.flatMap { order.happened($0) }
    }

    func testTheBeginningComesFirstAndTheEndLast() {
        XCTAssertEqual(
            told(.willBegin, .didBegin, .uploaded, .downloaded, .willMap, .didSucceed),
            [.willBegin, .didBegin, .uploaded, .downloaded, .willMap, .didSucceed])
        XCTAssertEqual(told(.willBegin, .didFail, .didFail, .didBegin), [.willBegin, .didFail])
        XCTAssertEqual(told(.willBegin, .willBegin), [.willBegin])
    }

    func testAnEndThatOvertakesTheBeginningBringsTheBeginningAlong() {
        XCTAssertEqual(told(.didCancel, .willBegin, .didBegin), [.willBegin, .didCancel])
    }

    func testProgressComesOnlyDuringAnExchange() {
        XCTAssertEqual(told(.willBegin, .downloaded), [.willBegin])
        XCTAssertEqual(
            told(.willBegin, .didBegin, .willMap, .downloaded), [.willBegin, .didBegin, .willMap])
        XCTAssertEqual(
            told(.willBegin, .didBegin, .uploaded, .didBegin, .uploaded),
            [.willBegin, .didBegin, .uploaded, .didBegin, .uploaded])
    }

    func testACallIsTooSlowOnceAndNotAfterItsEnd() {
        XCTAssertEqual(told(.willBegin, .tooSlow, .tooSlow), [.willBegin, .tooSlow])
        XCTAssertEqual(told(.tooSlow), [])
        XCTAssertEqual(told(.willBegin, .didSucceed, .tooSlow), [.willBegin, .didSucceed])
    }

    func testEveryKindHasABitOfItsOwn() {
        XCTAssertEqual(LifecycleKind.allBits.nonzeroBitCount, LifecycleKind.allCases.count)
        XCTAssertEqual(LifecycleKind.willBegin.bit, 2)
    }

    // MARK: Schedules

    private static let letters: [LifecycleKind: Character] = [
        .willBegin: "B", .didBegin: "D", .uploaded: "U", .downloaded: "W", .willMap: "M",
        .tooSlow: "T", .didSucceed: "S", .didFail: "F", .didCancel: "C",
    ]

    private static let optional: [Journey.OptionalStages] = [
        .lane, .cache, .upload, .rewind, .rate, .validate,
    ]

    /// The answers that a stage may give. A failure of a stage behind the exchange is final, as
    /// `RecoverStage.judge` decides.
    private func answers(_ journey: Journey, isMapped: Bool) -> [Journey.Event] {
        if isMapped, case .recover = journey.stage { return [.judged(.fail(Sample.failure))] }
        return StageName(journey.stage).answers
    }

    /// Returns the letters of the events of one random journey.
    private func journey(_ random: inout SystemRandomNumberGenerator) -> String {
        let stages = Self.optional.filter { _ in Bool.random(using: &random) }
        let question = Bool.random(using: &random) ? Sample.question(asksModifiers: true) : nil
        var journey = Journey(Sample.request, passing: .init(stages), question)
        var order = LifecycleOrder()
        var told: [LifecycleKind] = []
        var isMapped = false
        func happen(_ kind: LifecycleKind) { told += order.happened(kind) }
        // A close may come before the beginning was told.
        if Int.random(in: 0..<20, using: &random) > 0 { happen(.willBegin) }
        var step = journey.start()
        while let entered = step, StageName(entered.stage) != .deliver {
            let (stage, entry) = (StageName(entered.stage), entered.entry)
            if stage == .exchange { happen(.didBegin) }
            if stage == .parse, Bool.random(using: &random) {
                happen(.willMap)
                isMapped = true
            }
            // Bytes are reported at any time, also those of an exchange that was left.
            for kind in [LifecycleKind.uploaded, .downloaded, .tooSlow] {
                if Int.random(in: 0..<3, using: &random) == 0 { happen(kind) }
            }
            let event: Journey.Event =
                switch Int.random(in: 0..<40, using: &random) {
                case 0: .cancelled
                case 1: .closed(nil)
                case 2: isMapped ? .failed(Sample.failure) : .interrupted(Sample.failure)
                default: answers(journey, isMapped: isMapped).randomElement(using: &random)!
                }
            // A commit is not cancelled.
            step = journey.handle(event, of: entry) ?? journey.handle(stage.passing, of: entry)
        }
        guard case .deliver(let ending)? = step?.stage else { return "no end" }
        switch ending {
        case .cancelled: happen(.didCancel)
        case .closed, .outcome(.failure), .followed(.failure): happen(.didFail)
        case .outcome(.success), .followed(.success): happen(.didSucceed)
        }
        // What comes late is not told.
        for kind in LifecycleKind.allCases { happen(kind) }
        return String(told.compactMap { Self.letters[$0] })
    }

    func testRandomJourneysTellTheirEventsInOrder() {
        var random = SystemRandomNumberGenerator()
        var seen: Set<Character> = []
        for _ in 0..<rounds(20_000) {
            let events = journey(&random)
            seen.formUnion(events)
            XCTAssertLessThanOrEqual(events.count { $0 == "T" }, 1, events)
            let rest = events.filter { $0 != "T" }
            XCTAssertNotNil(rest.wholeMatch(of: /B(D[UW]*)*M?[SFC]/), events)
            XCTAssertTrue(events.hasPrefix("B") && !events.hasSuffix("T"), events)
        }
        XCTAssertEqual(seen, Set(Self.letters.values))
    }
}
