import RestwayBodies
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads
import Synchronization

/// Divides the answers of a call into events, maps and stores them, and tells the program.
///
/// `@unchecked Sendable`: `BodyPump` calls one function at a time, and the call asks between two
/// exchanges whether the stream is opened again.
final class EventTarget: BodyTarget, @unchecked Sendable {
    private let receiver: EventReceiver
    private let format: EventStreamFormat?
    /// The call. It refers to this target until it ends.
    private let call: Call
    /// The request before any redirect.
    private let request: PreparedRequest

    private var reconnection: Reconnection
    /// The format of the stream; `nil` until it was opened.
    private var opened: EventStreamFormat?
    private var parser: (any EventParser)?
    private var mapping: EventMapping?
    private var batch = EventBatch()
    private var lastEventID = ""
    private var length: Int64 = 0
    /// The unknown coding of a stream that has had no event yet.
    private var unknownCoding: String?

    /// - Parameter format: The format of the stream; `nil` if the media type decides.
    init(
        _ receiver: EventReceiver, _ format: EventStreamFormat?, of call: Call,
        _ request: PreparedRequest
    ) {
        self.receiver = receiver
        self.format = format
        self.call = call
        self.request = request
        reconnection = Reconnection(inARowMax: receiver.options.reconnectionsMax)
    }

    // MARK: Exchanges

    func prepare(_ exchange: inout Exchange) {
        if !lastEventID.isEmpty, Headers.isValidValue(lastEventID) {
            exchange.headers.set("Last-Event-ID", lastEventID)
        }
        if !exchange.headers.contains(where: { $0.isNamed("Cache-Control") }) {
            exchange.headers.set("Cache-Control", "no-cache")
        }
    }

    func accepts(_ head: ResponseHead) -> Bool { head.isSuccess }

    func begin(_ head: ResponseHead) throws(Failure) -> BodyBeginning {
        parser = nil
        switch EventStreamOpening(head, format) {
        case .nothing:
            opened = nil
        case .refused(let why):
            opened = nil
            throw Failure(.mapping, why)
        case .events(let found):
            unknownCoding = ContentDecoder.reasonNotDecoded(head.headers)
            if let unknownCoding {
                Log.shared.write(.warning, .transport, "\(call.description): \(unknownCoding)")
            }
            opened = found
            parser = found.parser(
                lastEventID: lastEventID, bytesMax: receiver.options.bytesMax)
            let answer = Answer(head)
            mapping = try EventMapping(ResponseProcessor(call, request), answer)
            if let receiveHead = receiver.receiveHead {
                let response = Response(answer, request: .sent(by: call, request))
                try BodyReceiver.ask { receiveHead(response) }
            }
        }
        return .takes
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> BodyFlow {
        length += Int64(bytes.count)
        var excess: EventTooLarge?
        do throws(EventTooLarge) {
            try parser?.feed(bytes, into: &batch)
        } catch {
            excess = error
        }
        let flow = try tellEvents()
        if let excess { throw Failure(.tooLarge, excess.message, field: "event_bytes_max") }
        return flow
    }

    func finish() throws(Failure) -> SavedBody? {
        parser?.end(into: &batch)
        _ = try tellEvents()
        // The text of an event was not found in any of these bytes.
        if let unknownCoding, length > 0 { throw Failure(.mapping, unknownCoding) }
        return SavedBody(path: nil, length: length, digest: nil, resumedFrom: 0)
    }

    func abandon() {
        parser = nil
        batch.removeAll()
    }

    /// Maps the events that have arrived, and gives them to the program.
    private func tellEvents() throws(Failure) -> BodyFlow {
        defer { batch.removeAll() }
        if !batch.events.isEmpty { unknownCoding = nil }
        if let parser {
            lastEventID = parser.lastEventID
            reconnection.received(
                events: batch.events.count, milliseconds: parser.reconnectionMilliseconds)
        }
        var flow = BodyFlow.proceed
        try mapping?.map(&batch) { (event) throws(Failure) in
            guard !call.hasEnded.load(ordering: .relaxed) else {
                throw Failure(.cancelled, "the events are not wanted any more")
            }
            // The program receives all events of a commit, also after a pause.
            if try BodyReceiver.ask({ receiver.receive(event) }) == .pause { flow = .pause }
        }
        return flow
    }

    // MARK: Between exchanges

    var mayBeginAgain: Bool { length == 0 && opened == nil || mayReopen && reconnection.isAllowed }

    /// Whether the stream can be opened again. Only a GET is sent again without harm, and only
    /// Server-Sent Events have IDs, with which a server can continue a stream.
    private var mayReopen: Bool { opened == .events && request.method == .get }

    func reopeningMilliseconds(after error: Failure.Reason?) -> Int64? {
        mayReopen ? reconnection.next(after: error, at: call.context.clock.now()) : nil
    }
}
