public import FoundationEssentials
import RestwayBodies
import RestwayCalls
import RestwayHTTP
import RestwayOutcome
import RestwayRequests

/// An event of a stream, and the objects that it was mapped to.
public struct StreamEvent: Sendable {
    /// The name that the server gives to the kind of event; `message` if it gives none.
    public let name: String
    /// The ID with which the server can continue the stream; empty if the
    /// stream has sent no ID.
    public let id: String
    /// The data of the event, without its name and its ID.
    public let data: Data
    /// The objects of the event, as they are in the store.
    public let objects: [Object]
    /// Why the event could not be mapped.
    public let error: RestwayError?
    private let source: ObjectSource

    init(_ event: MappedEvent, _ source: ObjectSource) {
        name = event.name
        id = event.id
        data = Data(event.data)
        objects = event.objects.map { Object($0, source) }
        error = event.failure.map { RestwayError($0, of: source) }
        self.source = source
    }

    /// The first object of the event.
    public var object: Object? { objects.first }

    /// The data as text in UTF-8.
    public var text: String { String(decoding: data, as: UTF8.self) }

    /// Reads the event into a `Decodable` type: its objects, if the document maps it, and otherwise
    /// its data, which is JSON.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self
    ) throws(RestwayError) -> Value {
        if let error { throw error }
        do {
            guard objects.isEmpty else {
                return try ObjectDecoder.decode(Value.self, objects.map(\.snapshot), source)
            }
            return try source.decoder.decode(Value.self, from: data)
        } catch {
            throw RestwayError(DecodingText.failure(error, Value.self), underlying: error)
        }
    }
}

/// The events of an answer that may have no end: Server-Sent Events, JSON lines or a JSON sequence.
///
///     for try await event in try await client.events(.route("orderChanges")) {
///         print(event.name, event.object?["status"] ?? event.text)
///     }
///
/// The client opens a stream of Server-Sent Events again when its connection ends. One loop reads
/// the events. When it ends, or its task is cancelled, the call is cancelled.
public struct EventStream: AsyncSequence, Sendable {
    public typealias Element = StreamEvent
    public typealias Failure = RestwayError

    /// How the events stand in the answer.
    public enum Format: String, CaseIterable, Sendable {
        /// Server-Sent Events.
        case events
        /// A JSON text in each line.
        case lines
        /// JSON text sequences (RFC 7464).
        case sequence
    }

    /// The settings of a stream.
    public struct Options: Sendable {
        /// The format; `nil` if the route or the media type of the answer decides.
        public var format: Format?
        /// The largest number of bytes of an event (16 MiB).
        public var eventBytes: Int?
        /// How many connections may bring no event, one after the other, before the stream ends;
        /// `nil` for any number.
        public var reconnections: Int?

        /// Makes the settings; by default, the route or the answer decides the format, and the
        /// number of connections has no limit.
        public init(format: Format? = nil, eventBytes: Int? = nil, reconnections: Int? = nil) {
            self.format = format
            self.eventBytes = eventBytes
            self.reconnections = reconnections
        }
    }

    let call: StreamCall<StreamEvent>

    fileprivate init(_ call: StreamCall<StreamEvent>) {
        self.call = call
    }

    /// The first answer of the server without its body.
    public var response: Response { call.response }

    public func makeAsyncIterator() -> Iterator { Iterator(loop: StreamLoop(call)) }

    /// Waits for one event after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let loop: StreamLoop<StreamEvent>

        public mutating func next() async throws(RestwayError) -> StreamEvent? {
            try await loop.next()
        }
    }
}

extension Client {
    /// Sends a request, and returns the events of its answer when the answer has begun.
    ///
    /// - Throws: A `RestwayError` as `send` does.
    public func events(
        _ request: Request, options: EventStream.Options = .init()
    ) async throws(RestwayError) -> EventStream {
        let coreOptions = try options.core()
        return EventStream(
            try await StreamCall(self, request) { [source] queue in
                let receiver = EventReceiver(
                    coreOptions,
                    receiveHead: { head in
                        queue.begin(head)
                        return .success(())
                    },
                    receive: { event in
                        let size = event.data.count + StreamEvent.sizeBesideData
                        return .success(queue.add(StreamEvent(event, source), size: size))
                    })
                return .events(receiver, nil)
            })
    }

    /// Gets a path or a route, and returns the events of the answer.
    public func events(
        _ target: Target, variables: Values = [:], parameters: Values = [:],
        headers: Headers = [:], options: EventStream.Options = .init()
    ) async throws(RestwayError) -> EventStream {
        try await events(
            Request(.get, target, variables, parameters, headers, nil), options: options)
    }
}

extension StreamEvent {
    /// About the size of an event without its data, so that many small events count, too.
    fileprivate static let sizeBesideData = 512
}

extension EventStream.Options {
    fileprivate func core() throws(RestwayError) -> EventReceiver.Options {
        var core = EventReceiver.Options()
        core.format = format.map(\.core)
        core.bytesMax =
            try RestwayError.checked(
                eventBytes, .eventReceiverEventBytesMax, "options.eventBytes") ?? core.bytesMax
        core.reconnectionsMax = try RestwayError.checked(
            reconnections, .eventReceiverReconnectionsMax, "options.reconnections")
        return core
    }
}

extension EventStream.Format {
    fileprivate var core: EventStreamFormat {
        switch self {
        case .events: .events
        case .lines: .lines
        case .sequence: .sequence
        }
    }
}

extension StreamEvent: CustomStringConvertible, CustomReflectable {
    /// The event without its data, which may hold secrets.
    public var description: String {
        "<StreamEvent \(name), \(data.count) bytes, \(objects.count) objects>"
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
