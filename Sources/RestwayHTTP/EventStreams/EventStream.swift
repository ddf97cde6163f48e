import RestwayText

/// The formats of event streams: bodies that are a sequence of events.
package enum EventStreamFormat: String, CaseIterable, Sendable {
    /// Server-Sent Events (WHATWG HTML, section 9.2).
    case events
    /// A JSON text in each line.
    case lines
    /// JSON text sequences (RFC 7464).
    case sequence

    /// The media types of the format. The first is the usual one.
    package var mediaTypes: [String] {
        switch self {
        case .events: ["text/event-stream"]
        case .lines:
            [
                "application/x-ndjson", "application/ndjson", "application/jsonl",
                "application/x-jsonl", "application/jsonlines", "application/x-jsonlines",
            ]
        case .sequence: ["application/json-seq"]
        }
    }

    /// The format of bodies with a media type; `nil` if no event stream has this media type.
    package init?(mediaType: String) {
        let essence = MediaType.essence(mediaType)
        let found = Self.allCases.first { $0.mediaTypes.contains(essence) }
        guard let format = found ?? (essence.hasSuffix("+json-seq") ? .sequence : nil) else {
            return nil
        }
        self = format
    }

    /// The `Accept` header of a request for an event stream.
    ///
    /// - Parameter format: `nil` for any format.
    package static func accepted(_ format: EventStreamFormat?) -> String {
        let formats = format.map { [$0] } ?? allCases
        return formats.flatMap { $0.mediaTypes.prefix(3) }.joined(separator: ", ")
    }

    /// Makes the parser of one body.
    ///
    /// - Parameters:
    ///   - lastEventID: The last ID in the bodies before this body.
    ///   - bytesMax: The limit on the data of an event, and on a line.
    package func parser(lastEventID: String, bytesMax: Int) -> any EventParser {
        switch self {
        case .events: ServerSentEvents(lastEventID: lastEventID, bytesMax: bytesMax)
        case .lines: JSONLines(bytesMax: bytesMax)
        case .sequence: JSONSequence(bytesMax: bytesMax)
        }
    }
}

/// The meaning of the head of a successful answer for a program that waits for events.
package enum EventStreamOpening: Equatable, Sendable {
    case events(EventStreamFormat)
    /// The server has no events, now or later.
    case nothing
    /// The body is no event stream, for this reason.
    case refused(String)

    /// - Parameter format: The format that was asked for; `nil` if the media type decides.
    package init(_ head: ResponseHead, _ format: EventStreamFormat?) {
        guard head.status != 204, head.status != 205 else {
            self = .nothing
            return
        }
        let type = head.headers[first: "Content-Type"]
        var found = type.flatMap(EventStreamFormat.init(mediaType:))
        // Lines and sequences also come with other types, but as in browsers, Server-Sent Events
        // have their own type.
        if let format, format != .events || found != .events {
            found = format == .events ? nil : format
        }
        guard let found else {
            let expected = EventStreamFormat.accepted(format)
            self = .refused("expected \(expected), the server sent \(type ?? "nothing")")
            return
        }
        guard found != .events || head.status == 200 else {
            self = .refused("an event stream has status 200, the server sent \(head.status)")
            return
        }
        self = .events(found)
    }
}

/// Divides the bytes of one body into events, in pieces of any size.
///
/// It does no I/O and reads no clock. The events do not depend on how the body is divided.
package protocol EventParser: Sendable {
    /// Takes the next bytes, which are borrowed, and adds the events that end in them.
    mutating func feed(
        _ bytes: UnsafeRawBufferPointer, into batch: inout EventBatch
    ) throws(EventTooLarge)

    /// Takes the end of a body that has come whole.
    mutating func end(into batch: inout EventBatch)

    /// The last ID that the server has set, counting only whole events; empty if the server has set
    /// no ID.
    var lastEventID: String { get }

    /// How long the server wants clients to wait before they open the stream again; `nil` if the
    /// server has not set a wait.
    var reconnectionMilliseconds: Int64? { get }
}

extension EventParser {
    package var lastEventID: String { "" }
    package var reconnectionMilliseconds: Int64? { nil }
}

/// An event is larger than the limit.
package struct EventTooLarge: Error, Equatable, Sendable {
    package let bytesMax: Int

    package var message: String { "an event is larger than \(bytesMax) bytes" }
}

/// One event of an event stream.
package struct StreamEvent: Equatable, Sendable {
    /// The name of events to which the server gives no name.
    package static let usualName = "message"

    package let name: String
    /// The ID of the event. An event without an ID of its own has the last ID that the server has
    /// set before.
    package let id: String
    /// The place of the event's data in the batch.
    package let range: Range<Int>
    /// Whether the format shows that the data is not whole.
    package let isTruncated: Bool
}

/// Events that have arrived together.
package struct EventBatch: Sendable {
    package private(set) var events: [StreamEvent] = []
    private var bytes: [UInt8] = []

    package init() {}

    mutating func add(
        _ data: UnsafeRawBufferPointer, name: String = StreamEvent.usualName, id: String = "",
        isTruncated: Bool = false
    ) {
        let start = bytes.count
        bytes.append(contentsOf: data)
        events.append(
            StreamEvent(
                name: name, id: id, range: start..<bytes.count, isTruncated: isTruncated))
    }

    /// Calls `body` with the data of all events.
    ///
    /// - Parameter paddingCount: The number of bytes behind the data that may be read, whatever
    ///   they hold.
    package mutating func withData<Result>(
        paddingCount: Int, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        bytes.reserveCapacity(bytes.count + paddingCount)
        return bytes.withUnsafeBytes(body)
    }

    package mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }
}
