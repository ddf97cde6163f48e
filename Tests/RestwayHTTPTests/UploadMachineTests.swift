import XCTest

@testable import RestwayHTTP

/// Tests which request of a resumable upload comes next: each answer, and random servers that
/// break connections, lose bytes and forget uploads.
final class UploadMachineTests: XCTestCase {
    private static let url = "http://a.test/uploads/1"

    private func machine(
        _ resumption: UploadProtocol = .tus, length: Int64 = 10, piece: Int64 = .max,
        url: String? = nil, isTerminated: Bool = false
    ) -> UploadMachine {
        var plan = UploadPlan(resumption)
        plan.pieceBytesMax = piece
        plan.isTerminated = isTerminated
        return UploadMachine(plan, resumption, length: length, url: url)
    }

    private func answer(
        _ status: Int, offset: Int64? = nil, complete: Bool? = nil, location: String? = nil,
        length: Int64? = nil
    ) -> UploadAnswer {
        var answer = UploadAnswer(status: status)
        answer.offset = offset
        answer.isComplete = complete
        answer.location = location
        answer.length = length
        return answer
    }

    /// A machine whose upload was created, and which sends its first piece.
    private func sending(
        _ resumption: UploadProtocol = .tus, length: Int64 = 10, piece: Int64 = .max
    ) -> UploadMachine {
        var machine = machine(resumption, length: length, piece: piece)
        XCTAssertEqual(machine.next(), .create)
        XCTAssertEqual(machine.answered(answer(201, location: Self.url)), .goOn)
        XCTAssertEqual(machine.next(), .send(0..<min(length, piece)))
        return machine
    }

    func testAnUploadIsCreatedAndSentInPieces() {
        for resumption in UploadProtocol.allCases {
            var machine = sending(resumption, length: 10, piece: 4)
            XCTAssertEqual(machine.url, Self.url)
            XCTAssertEqual(machine.answered(answer(204, offset: 4, complete: false)), .goOn)
            XCTAssertEqual(machine.next(), .send(4..<8))
            XCTAssertEqual(machine.answered(answer(204, offset: 8, complete: false)), .goOn)
            XCTAssertEqual(machine.next(), .send(8..<10))
            XCTAssertEqual(machine.answered(answer(204, offset: 10, complete: true)), .done)
        }
    }

    func testAnEmptyResourceEndsWithItsCreationInTusAndWithAnEmptyPieceElsewhere() {
        var tus = machine(length: 0)
        _ = tus.next()
        XCTAssertEqual(tus.answered(answer(201, location: Self.url)), .done)
        var ietf = sending(.ietf, length: 0)
        XCTAssertEqual(ietf.answered(answer(200, complete: true)), .done)
    }

    func testACreationWithoutAUsableLocationFails() {
        var machine = machine()
        _ = machine.next()
        guard case .fail = machine.answered(answer(201)) else { return XCTFail("it did not fail") }
    }

    func testACreationThatFailedIsSentAgain() {
        var machine = machine()
        XCTAssertEqual(machine.next(), .create)
        XCTAssertEqual(machine.next(), .create)
        XCTAssertEqual(machine.answered(answer(503)), .judge)
        XCTAssertEqual(machine.next(), .create)
    }

    func testAPieceWithoutAnAnswerIsFollowedByAQuestion() {
        var machine = sending()
        XCTAssertEqual(machine.next(), .askOffset)
        XCTAssertEqual(machine.next(), .askOffset)
        XCTAssertEqual(machine.answered(answer(200, offset: 6)), .goOn)
        XCTAssertEqual(machine.next(), .send(6..<10))
        XCTAssertEqual(machine.answered(answer(503)), .judge)
        XCTAssertEqual(machine.next(), .askOffset)
        XCTAssertEqual(machine.answered(answer(200, offset: 2)), .goOn, "the server lost bytes")
        XCTAssertEqual(machine.next(), .send(2..<10))
    }

    func testALaterCallAsksFirst() {
        var machine = machine(url: Self.url)
        XCTAssertEqual(machine.next(), .askOffset)
        XCTAssertEqual(machine.answered(answer(204, offset: 10)), .done)
        var ietf = self.machine(.ietf, url: Self.url)
        XCTAssertEqual(ietf.next(), .askOffset)
        XCTAssertEqual(ietf.answered(answer(204, offset: 10, complete: false)), .goOn)
        XCTAssertEqual(ietf.next(), .send(10..<10))
        XCTAssertEqual(ietf.answered(answer(503)), .judge)
        XCTAssertEqual(ietf.next(), .askOffset)
        XCTAssertEqual(ietf.answered(answer(204, offset: 10, complete: true)), .done)
    }

    func testAnUploadThatIsGoneIsCreatedAgainTwice() {
        for status in [403, 404, 410] {
            var machine = machine(url: Self.url)
            for _ in 0..<2 {
                XCTAssertEqual(machine.next(), machine.url == nil ? .create : .askOffset)
                XCTAssertEqual(machine.answered(answer(status)), .goOn)
                XCTAssertEqual(machine.next(), .create)
                XCTAssertEqual(machine.answered(answer(201, location: Self.url)), .goOn)
                XCTAssertEqual(machine.next(), .send(0..<10))
                XCTAssertEqual(machine.next(), .askOffset)
            }
            XCTAssertEqual(machine.answered(answer(status)), .giveUp)
        }
    }

    func testAnUploadOfSomethingElseIsCreatedAgain() {
        for wrong in [answer(200, offset: 11), answer(200, offset: 3, length: 11)] {
            var machine = machine(url: Self.url)
            _ = machine.next()
            XCTAssertEqual(machine.answered(wrong), .goOn)
            XCTAssertEqual(machine.next(), .create)
        }
    }

    func testAConflictIsFollowedByAQuestionAFewTimes() {
        var machine = sending()
        for _ in 0..<3 {
            XCTAssertEqual(machine.answered(answer(409)), .goOn)
            XCTAssertEqual(machine.next(), .askOffset)
            XCTAssertEqual(machine.answered(answer(200, offset: 5)), .goOn)
            XCTAssertEqual(machine.next(), .send(5..<10))
        }
        XCTAssertEqual(machine.answered(answer(409)), .judge)
    }

    func testAServerThatTakesNoBytesIsAskedAFewTimes() {
        var machine = sending()
        for _ in 0..<3 {
            XCTAssertEqual(machine.answered(answer(204, offset: 0)), .goOn)
            XCTAssertEqual(machine.next(), .askOffset)
            XCTAssertEqual(machine.answered(answer(200, offset: 0)), .goOn)
            XCTAssertEqual(machine.next(), .send(0..<10))
        }
        guard case .fail(let message) = machine.answered(answer(204, offset: 0)) else {
            return XCTFail("it did not fail")
        }
        XCTAssertTrue(message.contains("status 204, Upload-Offset: 0"), message)
    }

    /// Servers that confirm every request and never have all bytes: the upload ends soon, and never
    /// with success.
    func testAnUploadWhoseOffsetDoesNotReachTheLengthNeverSucceeds() {
        typealias Liar = (UploadMachine.Step) -> UploadAnswer
        var liars: [String: Liar] = [:]
        for offset: Int64? in [nil, 0, 1, 399, 999, 1_001] {
            for length: Int64? in [nil, 999, 1_000] {
                for complete in [nil, true, false] {
                    let name = "\(offset as Any) \(length as Any) \(complete as Any)"
                    liars[name] = { _ in
                        self.answer(204, offset: offset, complete: complete, length: length)
                    }
                }
            }
        }
        liars["forward and back"] = { step in
            if case .send = step { return self.answer(204, offset: 1) }
            return self.answer(200, offset: 0)
        }
        liars["unusable"] = { _ in
            var answer = UploadAnswer(status: 204)
            answer.hasUnusableOffset = true
            return answer
        }
        for resumption in UploadProtocol.allCases {
            for (name, liar) in liars {
                // In `ietf`, an answer to the last piece without any claim is its confirmation.
                if resumption == .ietf, name.hasPrefix("nil"), !name.hasSuffix("false)") {
                    continue
                }
                var machine = machine(resumption, length: 1_000, piece: 400)
                var decision = UploadMachine.Decision.goOn
                var steps = 0
                while decision == .goOn, steps < 100 {
                    steps += 1
                    let step = machine.next()
                    var answer = step == .create ? answer(201) : liar(step)
                    if step == .create { answer.location = Self.url }
                    decision = machine.answered(answer)
                }
                guard case .fail = decision else {
                    XCTFail("\(resumption), \(name): \(decision) after \(steps) steps")
                    continue
                }
            }
        }
    }

    func testTheAnswerStatesOneOffset() {
        func answer(_ values: String...) -> UploadAnswer {
            let fields = values.map { HeaderField(name: "Upload-Offset", value: $0) }
            let head = ResponseHead(status: 204, headers: Headers(fields), url: Self.url)
            return UploadAnswer(head, location: nil)
        }
        XCTAssertEqual(answer("7", "7").offset, 7)
        for unusable in [answer("0", "10"), answer("0, 10"), answer("-1"), answer("")] {
            XCTAssertNil(unusable.offset)
            XCTAssertTrue(unusable.hasUnusableOffset)
        }
        XCTAssertFalse(answer().hasUnusableOffset)
    }

    func testAnOffsetThatDoesNotFitFails() {
        for wrong in [answer(204), answer(204, offset: 9)] {
            var machine = sending(piece: 4)
            guard case .fail = machine.answered(wrong) else { return XCTFail("\(wrong)") }
        }
        var asking = machine(url: Self.url)
        _ = asking.next()
        guard case .fail = asking.answered(answer(200)) else { return XCTFail("no offset") }
    }

    func testACompleteUploadWhoseResourceWasRefusedDoesNotGoOn() {
        for status in [409, 422, 404, 500] {
            var machine = sending(.ietf)
            XCTAssertEqual(machine.answered(answer(status, complete: true)), .giveUp)
            XCTAssertEqual(machine.next(), .create)
        }
    }

    func testATerminationDeletesTheUpload() {
        var machine = machine(url: Self.url, isTerminated: true)
        XCTAssertEqual(machine.next(), .terminate)
        XCTAssertEqual(machine.answered(answer(503)), .judge)
        XCTAssertEqual(machine.next(), .terminate)
        XCTAssertEqual(machine.answered(answer(204)), .done)
        var gone = self.machine(url: Self.url, isTerminated: true)
        _ = gone.next()
        XCTAssertEqual(gone.answered(answer(404)), .giveUp)
        XCTAssertEqual(gone.next(), .terminate, "it creates nothing")
    }

    // MARK: Servers

    /// A server that keeps a prefix of what it receives.
    private struct Server {
        let resumption: UploadProtocol
        let length: Int64
        var offset: Int64?
        var isComplete = false

        mutating func answer(
            _ step: UploadMachine.Step, isLost: Bool, taken: Int64
        ) -> UploadAnswer? {
            var answer = UploadAnswer(status: 204)
            switch step {
            case .create:
                offset = 0
                isComplete = resumption == .tus && length == 0
                answer.location = UploadMachineTests.url
            case .askOffset:
                guard offset != nil else { return UploadAnswer(status: 404) }
            case .send(let range):
                guard let held = offset else { return UploadAnswer(status: 410) }
                guard range.lowerBound == held else { return UploadAnswer(status: 409) }
                offset =
                    isLost ? range.lowerBound + min(taken, Int64(range.count)) : range.upperBound
                if !isLost, offset == length { isComplete = true }
            case .terminate:
                offset = nil
            }
            answer.offset = offset
            if resumption == .ietf { answer.isComplete = isComplete }
            return isLost ? nil : answer
        }
    }

    func testEveryServerThatMostlyAnswersReceivesAllBytes() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            let length = Int64.random(in: 0...40, using: &random)
            let resumption = UploadProtocol.allCases.randomElement(using: &random)!
            var server = Server(resumption: resumption, length: length)
            var machine = machine(
                resumption, length: length, piece: .random(in: 1...50, using: &random))
            var faults = 12
            var renewals = 2
            var decision = UploadMachine.Decision.goOn
            var steps = 0
            while decision != .done {
                steps += 1
                guard steps < 200 else { return XCTFail("it does not end: \(machine)") }
                let step = machine.next()
                if case .send(let range) = step {
                    XCTAssertLessThanOrEqual(range.upperBound, length)
                }
                let dice = Int.random(in: 0..<6, using: &random)
                if dice == 0, renewals > 0, step != .create, server.offset != nil,
                    !server.isComplete
                {
                    renewals -= 1
                    server.offset = nil
                } else if dice == 1, !server.isComplete, let held = server.offset {
                    // The server has lost bytes. It loses bytes no more often than the machine
                    // accepts conflicts.
                    if faults > 9 { server.offset = held / 2 }
                    faults -= 1
                }
                let isLost = dice == 2 && faults > 0
                if isLost { faults -= 1 }
                let taken = Int64.random(in: 0...20, using: &random)
                guard let answer = server.answer(step, isLost: isLost, taken: taken) else {
                    continue
                }
                decision = machine.answered(answer)
                switch decision {
                case .goOn, .done: break
                default: return XCTFail("\(decision) after \(step) and \(answer)")
                }
            }
            XCTAssertEqual(server.offset, length)
        }
    }
}
