import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayStore
import RestwayThreads

/// A request whose changes the store shows while its call is in flight, as an optimistic edit.
struct ShownRequest: Sendable {
    let edit: OptimisticEdit
    let request: PreparedRequest

    /// Shows what the request changes. If the outbox may store the request, its item will have the
    /// same edit.
    init(_ request: PreparedRequest, in store: ObservedStore) throws(Failure) {
        self.request = request
        if let claim = request.sending.claim {
            edit = try claim.show(request)
        } else {
            let id = EditID.random(outbox: 0)
            edit = OptimisticEdit(id, laid: try request.lay(as: id, in: store))
        }
    }

    /// Ends the edit. If the call fails, the store shows the values that it has without the
    /// request. If the server has taken the request and only its answer could not be used, the
    /// store keeps the values.
    func takeBack(from store: ObservedStore, isTaken: Bool) throws(Failure) {
        var changes = ChangeSet(origin: isTaken ? .server : .host)
        changes.editSteps = [isTaken ? .deliver(edit.id) : .takeBack(edit.id)]
        let commit = try store.commit(changes, recordingChanges: true)
        guard case .draft(let draft)? = request.submission?.subject else { return }
        let deleted = Set(commit.changes.filter { $0.after == nil }.map(\.storeKey))
        for member in draft.members.indices {
            let sent = draft.sent(member)
            if deleted.contains(sent.storeKey) { sent.forgetObject(sent.storeKey) }
        }
    }

    /// The call has ended, and its edit with it, unless the outbox has stored the request.
    func end() { request.sending.claim?.endShowing(edit) }
}

/// The stage in which the store takes back what it has shown of a request.
enum TakeBackStage {
    static func enter(_ entry: StageEntry) {
        entry.offTransport { entry in
            let (shown, isTaken) = entry.call.state.withLock { state in
                (state.resources.shown, state.isTaken)
            }
            do throws(Failure) {
                try shown?.takeBack(from: entry.context.store, isTaken: isTaken)
            } catch {
                Log.shared.write(
                    .error, .store,
                    "the store still shows what \(entry.call.description) would have changed: "
                        + error.message)
            }
            entry.report(.tookBack)
        }
    }
}

extension Call {
    /// The request as the store shows it; `nil` if it shows nothing.
    var shown: ShownRequest? { state.withLock { $0.resources.shown } }

    var shownEdit: EditID? { shown?.edit.id }

    /// Shows at once what the request changes, if its route or its caller says so. If the store
    /// cannot be written, the call fails.
    func show() {
        guard let request, request.sending.isOptimistic else { return }
        do throws(Failure) {
            let shown = try ShownRequest(request, in: context.store)
            guard shown.edit.laid != nil else { return shown.end() }
            state.withLock { state in
                state.resources.shown = shown
                state.journey.show()
            }
        } catch {
            abort(located(error))
        }
    }
}
