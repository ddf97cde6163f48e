public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayStore
import RestwayThreads

// event.h, and the part of client.h about delivery

@_cdecl("restway_event_release") @implementation
public func restway_event_release(_ event: Out<restway_event>?) {
    guard let event else { return }
    event.pointee.releasePayload()
    event.pointee.payload.response = nil
}

@_cdecl("restway_client_process") @implementation
public func restway_client_process(
    _ client: InHandle, _ milliseconds: Int64, _ outCount: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.writing(client, outCount, 0, outError) { client throws(Failure) in
        try Argument.minusOneOrMore(milliseconds, "milliseconds")
        return try client.delivery.process(milliseconds: milliseconds)
    }
}

@_cdecl("restway_client_descriptor") @implementation
public func restway_client_descriptor(_ client: InHandle) -> Int32 {
    ClientHandle.object(client)?.client.delivery.descriptor ?? -1
}

@_cdecl("restway_client_drain") @implementation
public func restway_client_drain(
    _ client: InHandle, _ events: Out<restway_event>?, _ capacity: Int, _ outCount: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    ClientHandle.writing(client, outCount, 0, outError, "out_count") { client throws(Failure) in
        let events = try Argument.out(events, "events")
        guard capacity > 0 else { throw Argument.wrong("capacity", "capacity is 0") }
        let notices = try client.delivery.drain(max: capacity)
        var count = 0
        for notice in notices where restway_event.write(notice, to: events + count) { count += 1 }
        return count
    }
}

/// Turns a notice into an event of the header.
extension restway_event {
    /// Writes `notice` to `target`. Returns false if the notice is no longer wanted.
    static func write(_ notice: Notice, to target: Out<restway_event>) -> Bool {
        switch notice {
        case .completion(let call, let outcome, let receiver):
            target.initialize(to: restway_event(call, outcome, receiver.token ?? call.token))
            receiver.end()
        case .observed(let message, let observer):
            message.leavesQueue()
            guard let told = message.taken() else {
                observer.forgo()
                return false
            }
            return observer.tell { _ in
                target.initialize(to: restway_event(told, observer.token))
            }
        case .progress(let call, _):
            target.initialize(to: restway_event(.RESTWAY_EVENT_PROGRESS, call.token, call: call))
            _ = call.takeProgress()
        case .attempt(let call, let failure, _):
            target.initialize(
                to: restway_event(
                    .RESTWAY_EVENT_ATTEMPT, call.token, call: call, failure: failure))
        case .group(let group, let token, let failure, let payload, _, let ended):
            target.initialize(to: restway_event(group, token, failure, payload?()))
            ended()
        }
        return true
    }

    /// - Parameter failure: Gives the event its status, and is its payload.
    private init(
        _ kind: restway_event_kind, _ token: UInt64, call: Call? = nil, failure: Failure? = nil
    ) {
        self.init()
        self.kind = kind.rawValue
        self.token = token
        call_id = call?.id ?? 0
        status = restway_status(failure).rawValue
        payload.error = failure.map { Handle.give(ErrorHandle($0)) }
    }

    private init(_ message: Observer.Message, _ token: UInt64) {
        switch message {
        case .changes(let changes):
            self.init(.RESTWAY_EVENT_CHANGED, token)
            payload.changes = Handle.give(changes)
        case .query(let watch):
            preconditionFailure("\(watch) was not taken")
        case .queryChanged(let changes):
            self.init(.RESTWAY_EVENT_QUERY_CHANGED, token)
            payload.query_changes = Handle.give(changes)
        case .lifecycle(let event):
            self.init(.RESTWAY_EVENT_LIFECYCLE, token, call: event.call)
            let told = LifecycleEventHandle(event)
            if let error = told.error { status = restway_status(error.failure).rawValue }
            payload.lifecycle = Handle.give(told)
        }
    }

    private init(_ call: Call, _ outcome: Call.Outcome, _ token: UInt64) {
        switch outcome {
        case .success(let response):
            self.init(.RESTWAY_EVENT_COMPLETED, token, call: call)
            payload.response = Handle.give(ResponseHandle(response))
        case .failure(let failure):
            self.init(.RESTWAY_EVENT_COMPLETED, token, call: call, failure: failure)
        }
    }

    private init(
        _ group: Notice.Group, _ token: UInt64, _ failure: Failure?, _ items: (any HandleObject)?
    ) {
        switch group {
        case .batch: self.init(.RESTWAY_EVENT_BATCH, token, failure: failure)
        case .outboxItem: self.init(.RESTWAY_EVENT_OUTBOX_ITEM, token)
        case .outboxFlushed: self.init(.RESTWAY_EVENT_OUTBOX_FLUSHED, token)
        }
        guard let items else { return }
        status = restway_status(failure).rawValue
        payload.items = Handle.give(items)
    }

    /// Releases the object that the payload holds.
    func releasePayload() {
        // The first member of the union shows for all members whether the payload holds anything.
        guard payload.response != nil else { return }
        switch restway_event_kind(rawValue: kind) {
        case .RESTWAY_EVENT_CHANGED: ChangeList.release(payload.changes)
        case .RESTWAY_EVENT_QUERY_CHANGED: QueryChanges.release(payload.query_changes)
        case .RESTWAY_EVENT_LIFECYCLE: LifecycleEventHandle.release(payload.lifecycle)
        case .RESTWAY_EVENT_OUTBOX_ITEM, .RESTWAY_EVENT_OUTBOX_FLUSHED:
            StoredRequestsHandle.release(payload.items)
        case _ where status == restway_status.RESTWAY_OK.rawValue:
            ResponseHandle.release(payload.response)
        default: ErrorHandle.release(payload.error)
        }
    }
}
