package import RestwayBodies
package import RestwayHTTP
package import RestwayObjects
package import RestwayOutcome

/// An event as the program receives it.
package struct MappedEvent {
    package let name: String
    package let id: String
    /// The data of the event, borrowed.
    package let data: UnsafeRawBufferPointer
    /// The objects to which the event was mapped, as they are in the store.
    package let objects: [Snapshot]
    /// The reason why the event could not be mapped.
    package let failure: Failure?

    package init(
        name: String, id: String, data: UnsafeRawBufferPointer, objects: [Snapshot],
        failure: Failure?
    ) {
        self.name = name
        self.id = id
        self.data = data
        self.objects = objects
        self.failure = failure
    }
}

/// The functions of the program that receive the events of a stream, and the options of the stream.
package final class EventReceiver: Sendable {
    /// The options that the program sets for a stream.
    package struct Options: Sendable {
        /// `nil` if the route or the media type decides.
        package var format: EventStreamFormat?
        /// The limit on the data of an event.
        package var bytesMax = Int(NumberBounds.eventReceiverEventBytesMax.standard)
        /// The largest number of consecutive reconnections that bring no event; `nil` for no limit.
        package var reconnectionsMax: Int?

        package init() {}
    }

    /// Receives an event. The call is a question, whose answer the library waits for.
    package typealias Receive = @Sendable (MappedEvent) -> Result<BodyFlow, Failure>

    package let options: Options
    package let receiveHead: BodyReceiver.ReceiveHead?
    package let receive: Receive

    package init(
        _ options: Options, receiveHead: BodyReceiver.ReceiveHead?, receive: @escaping Receive
    ) {
        self.options = options
        self.receiveHead = receiveHead
        self.receive = receive
    }
}
