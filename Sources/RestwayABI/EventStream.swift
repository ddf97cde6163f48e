public import CRestway
import RestwayBodies
import RestwayHTTP
import RestwayObjects
import RestwayOutcome
import RestwayRequests

// event_stream.h

@_cdecl("restway_request_set_event_receiver") @implementation
public func restway_request_set_event_receiver(
    _ request: InHandle, _ receiver: In<restway_event_receiver>?, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.using(request, outError) { request throws(Failure) in
        guard let receiver else { return request.set(BodyDestination.memory) }
        let given = try EventReceiverFields(receiver)
        let receive = given.receive
        let options = try EventReceiver.Options(given)
        let context = HostContext(given.context, given.destroy)
        let made = EventReceiver(
            options, receiveHead: given.head.map { BodyReceiving.head($0, context) }
        ) { event in
            event.receive(receive, context)
        }
        request.set(BodyDestination.events(made, nil))
    }
}

extension EventReceiver.Options {
    fileprivate init(_ given: EventReceiverFields) throws(Failure) {
        self.init()
        switch restway_stream_format(rawValue: given.format) {
        case .RESTWAY_STREAM_DEFAULT: break
        case .RESTWAY_STREAM_EVENTS: format = .events
        case .RESTWAY_STREAM_LINES: format = .lines
        case .RESTWAY_STREAM_SEQUENCE: format = .sequence
        default:
            throw Argument.wrong(
                "receiver.format", "receiver.format is \(given.format): no format has that number")
        }
        if let limit = given.eventBytesMax { bytesMax = Int(limit) }
        reconnectionsMax = given.reconnectionsMax.map { Int($0) }
    }
}

extension MappedEvent {
    /// Gives the event to a function of the program.
    fileprivate func receive(
        _ receive: restway_stream_event_fn, _ context: HostContext
    ) -> Result<BodyFlow, Failure> {
        let error = failure.map(ErrorHandle.init)
        let handles = objects.map { Optional(Handle.lend($0)) }
        var pauses: Int32 = 0
        let refusal = withExtendedLifetime((error, objects)) {
            name.withCString { name in
                id.withCString { id in
                    handles.withUnsafeBufferPointer { handles in
                        var event = restway_stream_event(
                            name: name, id: id, data: data.baseAddress ?? UnsafeRawPointer(id),
                            length: data.count, objects: handles.baseAddress,
                            object_count: handles.count, error: error.map(Handle.lend))
                        return BodyReceiving.ask { answer in
                            receive(context.pointer, &event, &pauses, answer)
                        }
                    }
                }
            }
        }
        if let refusal { return .failure(refusal) }
        return .success(pauses == 0 ? .proceed : .pause)
    }
}
