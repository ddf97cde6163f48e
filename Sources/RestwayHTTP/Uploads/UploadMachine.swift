/// Decides which request of a resumable upload comes next.
///
/// It has no clock, no lock and no I/O. Its caller asks for the next step, performs it, and passes
/// the answer to the machine. A step without an answer has failed; the next step then asks the
/// server how many bytes it has.
package struct UploadMachine: Equatable, Sendable {
    /// A request of the upload.
    package enum Step: Equatable, Sendable {
        /// Creates the upload on the server.
        case create
        /// Asks how many bytes the server has.
        case askOffset
        /// Sends these bytes.
        case send(Range<Int64>)
        /// Deletes the upload from the server.
        case terminate
    }

    /// The meaning of an answer.
    package enum Decision: Equatable, Sendable {
        /// The next step follows.
        case goOn
        /// The upload has ended, and this is its answer.
        case done
        /// The answer is judged like any other. The upload can go on later.
        case judge
        /// The answer is judged like any other. The upload cannot go on.
        case giveUp
        /// The server does not keep to the protocol.
        case fail(String)
    }

    /// How often the server may refuse the offset that it has stated before, or take no bytes.
    private static let conflictsMax = 3
    /// How often an upload that the server does not know any more is created again.
    private static let renewalsMax = 2

    private let resumption: UploadProtocol
    private let length: Int64
    private let pieceBytesMax: Int64
    private let isTerminated: Bool
    /// The upload's URL; `nil` before it is created.
    package private(set) var url: String?
    /// How many bytes the server has; `nil` if it must be asked.
    private var offset: Int64?
    /// The step whose answer is expected.
    private var underWay: Step?
    private var conflicts = 0
    private var renewals = 0
    /// The highest offset that the server has stated after a piece. Only a higher one is progress:
    /// a server that goes back and forth would otherwise be asked for ever.
    private var farthest: Int64 = 0

    /// - Parameter url: The URL of an upload that an earlier call has created.
    package init(_ plan: UploadPlan, _ resumption: UploadProtocol, length: Int64, url: String?) {
        self.resumption = resumption
        self.length = length
        pieceBytesMax = max(1, plan.pieceBytesMax)
        isTerminated = plan.isTerminated
        self.url = url
    }

    /// Returns the request that goes out now.
    package mutating func next() -> Step {
        // The server may have taken any part of a piece without an answer.
        if underWay != nil { offset = nil }
        let step: Step
        if isTerminated {
            step = .terminate
        } else if url == nil {
            step = .create
        } else if let offset {
            step = .send(offset..<offset + min(length - offset, pieceBytesMax))
        } else {
            step = .askOffset
        }
        underWay = step
        return step
    }

    /// Takes the answer to the last step.
    package mutating func answered(_ answer: UploadAnswer) -> Decision {
        guard let step = underWay else { return .judge }
        let decision: Decision =
            switch step {
            case .create: created(answer)
            case .askOffset: toldOffset(answer)
            case .send(let range): sent(range, answer)
            case .terminate: terminated(answer)
            }
        if decision == .goOn { underWay = nil }
        return decision
    }

    private mutating func created(_ answer: UploadAnswer) -> Decision {
        guard answer.isSuccess else { return .judge }
        guard let location = answer.location else {
            return .fail("the server has created an upload, and its Location is no usable URL")
        }
        url = location
        offset = 0
        // An empty resource needs no piece in tus.
        return resumption == .tus && length == 0 ? .done : .goOn
    }

    private mutating func toldOffset(_ answer: UploadAnswer) -> Decision {
        if Self.isGone(answer) { return renew(after: answer) }
        guard answer.isSuccess else { return .judge }
        guard let told = answer.offset else {
            return .fail(
                "the server does not say how many bytes it has (Upload-Offset): it answers with "
                    + stated(by: answer))
        }
        // This is an upload of something else.
        guard told <= length, answer.length ?? length == length else {
            return renew(after: answer)
        }
        guard answer.isComplete != true || told == length else { return .fail(claim(of: answer)) }
        offset = told
        let isOver = resumption == .tus || answer.isComplete == true
        return told == length && isOver ? .done : .goOn
    }

    private mutating func sent(_ range: Range<Int64>, _ answer: UploadAnswer) -> Decision {
        if Self.isGone(answer), answer.isComplete != true { return renew(after: answer) }
        if answer.status == 409, answer.isComplete != true { return conflict(after: answer) }
        guard answer.isSuccess else {
            guard answer.isComplete == true else { return .judge }
            // The server has all bytes and refuses them. Another request would not change that.
            url = nil
            return .giveUp
        }
        // The `ietf` answer to a piece may leave the offset out. A value that cannot be read is no
        // absent one.
        let implied = resumption == .ietf && !answer.hasUnusableOffset ? range.upperBound : nil
        guard let told = answer.offset ?? implied,
            range.contains(told) || told == range.upperBound
        else {
            return .fail(
                "the server's Upload-Offset does not fit the bytes that were sent: it answers with "
                    + stated(by: answer))
        }
        if answer.isComplete == true, told < length { return .fail(claim(of: answer)) }
        // In `ietf`, false says that the server waits for more, and the last answer need not say
        // that the upload is complete.
        let isOpen = resumption == .ietf && answer.isComplete == false
        if told == length, !isOpen { return .done }
        guard told > range.lowerBound, told < length else { return conflict(after: answer) }
        if told > farthest { (farthest, conflicts) = (told, 0) }
        offset = told
        return .goOn
    }

    private mutating func terminated(_ answer: UploadAnswer) -> Decision {
        if answer.isSuccess { return .done }
        return Self.isGone(answer) ? .giveUp : .judge
    }

    /// Whether the server does not know the upload, or does not let it go on.
    private static func isGone(_ answer: UploadAnswer) -> Bool {
        [403, 404, 410].contains(answer.status)
    }

    /// Begins a new upload.
    private mutating func renew(after answer: UploadAnswer) -> Decision {
        renewals += 1
        url = nil
        offset = nil
        (farthest, conflicts) = (0, 0)
        if renewals <= Self.renewalsMax { return .goOn }
        return answer.isSuccess ? .fail(claim(of: answer)) : .giveUp
    }

    /// Asks the server again how many bytes it has.
    private mutating func conflict(after answer: UploadAnswer) -> Decision {
        conflicts += 1
        offset = nil
        if conflicts <= Self.conflictsMax { return .goOn }
        // A success would become the answer of the call, although the server lacks bytes.
        return answer.isSuccess ? .fail(claim(of: answer)) : .judge
    }

    /// Says what the server has stated about an upload that cannot succeed.
    private func claim(of answer: UploadAnswer) -> String {
        "the server does not store the \(length) bytes of the upload: it answers with "
            + stated(by: answer)
    }

    private func stated(by answer: UploadAnswer) -> String {
        var claims = ["status \(answer.status)"]
        if let offset = answer.offset { claims.append("Upload-Offset: \(offset)") }
        if answer.hasUnusableOffset { claims.append("an Upload-Offset that is not one number") }
        if let length = answer.length { claims.append("Upload-Length: \(length)") }
        if let isComplete = answer.isComplete {
            claims.append("Upload-Complete: \(isComplete ? "?1" : "?0")")
        }
        return claims.joined(separator: ", ")
    }
}
