import CRestway
import RestwayCalls
import RestwayOutcome

/// Turns a notice into an event of the header.
extension restway_event {
    /// Writes `notice` to `target`. Returns false if the notice is no longer wanted.
    static func write(_ notice: Notice, to target: UnsafeMutablePointer<restway_event>) -> Bool {
        switch notice {
        case .completion(let notice):
            target.initialize(to: restway_event(notice))
            notice.end()
            return true
        case .changes(let notice):
            return notice.take { _ in target.initialize(to: restway_event(notice)) }
        case .progress(let notice):
            target.initialize(to: restway_event(notice))
            return true
        case .attempt(let notice):
            target.initialize(to: restway_event(notice))
            return true
        case .group(let notice):
            target.initialize(to: restway_event(notice))
            notice.end()
            return true
        }
    }

    private init(_ notice: CompletionNotice) {
        self.init()
        kind = restway_event_kind.RESTWAY_EVENT_COMPLETED.rawValue
        token = notice.token
        call_id = notice.call.id
        switch notice.outcome {
        case .success(let response):
            status = restway_status.RESTWAY_OK.rawValue
            payload.response = Handle.give(ResponseHandle(response))
        case .failure(let failure):
            status = restway_status(failure.reason).rawValue
            payload.error = Handle.give(ErrorHandle(failure))
        }
    }

    private init(_ notice: ProgressNotice) {
        self.init()
        kind = restway_event_kind.RESTWAY_EVENT_PROGRESS.rawValue
        token = notice.token
        call_id = notice.call.id
        _ = notice.take()
    }

    private init(_ notice: AttemptNotice) {
        self.init()
        kind = restway_event_kind.RESTWAY_EVENT_ATTEMPT.rawValue
        token = notice.token
        call_id = notice.call.id
        status = restway_status(notice.failure.reason).rawValue
        payload.error = Handle.give(ErrorHandle(notice.failure))
    }

    private init(_ notice: GroupNotice) {
        self.init()
        kind =
            switch notice.kind {
            case .batch: restway_event_kind.RESTWAY_EVENT_BATCH.rawValue
            case .outboxItem: restway_event_kind.RESTWAY_EVENT_OUTBOX_ITEM.rawValue
            case .outboxFlushed: restway_event_kind.RESTWAY_EVENT_OUTBOX_FLUSHED.rawValue
            }
        token = notice.token
        status = (notice.failure.map { restway_status($0.reason) } ?? .RESTWAY_OK).rawValue
        if let items = notice.payload?() {
            payload.items = Handle.give(items)
        } else {
            payload.error = notice.failure.map { Handle.give(ErrorHandle($0)) }
        }
    }

    private init(_ notice: ChangeNotice) {
        self.init()
        kind = restway_event_kind.RESTWAY_EVENT_CHANGED.rawValue
        token = notice.token
        status = restway_status.RESTWAY_OK.rawValue
        payload.changes = Handle.give(notice.changes)
    }

    /// Releases what the payload holds.
    func releasePayload() {
        // The first member of the union shows for all members whether the payload holds anything.
        guard payload.response != nil else { return }
        if kind == restway_event_kind.RESTWAY_EVENT_CHANGED.rawValue {
            Handle.release(ChangeList.self, payload.changes)
        } else if kind == restway_event_kind.RESTWAY_EVENT_OUTBOX_ITEM.rawValue
            || kind == restway_event_kind.RESTWAY_EVENT_OUTBOX_FLUSHED.rawValue
        {
            Handle.release(StoredRequestsHandle.self, payload.items)
        } else if status == restway_status.RESTWAY_OK.rawValue {
            Handle.release(ResponseHandle.self, payload.response)
        } else {
            Handle.release(ErrorHandle.self, payload.error)
        }
    }
}
