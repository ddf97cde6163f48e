package import RestwayCalls
import RestwayDocument
package import RestwayObjects
package import RestwayOutcome
package import RestwayRequests
package import RestwayStore
import RestwayThreads

/// The objects of all pages of one request, as an ordered list that the store keeps.
///
/// A page is added to the list before the program gets it. The place of the next page is kept with
/// the list, so that the list goes on after a restart.
package final class PagedList: Sendable {
    private struct State {
        var progress: ListProgress
        /// The names of the entities of the objects, one on each line; empty before the first
        /// object.
        var entity: String
        /// The pages from the next one on; `nil` until one is asked for.
        var pages: Pages?
        /// Whether the next page replaces what the list has.
        var beginsAnew: Bool
        /// The number of restarts. A page that was requested before a restart is not added.
        var restarts = 0
    }

    package let context: CallContext
    package let members: ListMembers
    private let request: PageRequest
    private let name: String
    private let state: Lock<State>

    package init(_ context: CallContext, _ spec: RequestSpec) throws(Failure) {
        try context.refuseWhenClosed()
        self.context = context
        request = try PageRequest(spec, context)
        name = try request.nameOfList()
        let stored = try context.store.list(name)
        members = ListMembers(stored?.keys ?? [])
        let progress = stored.map { ListProgress(text: $0.state) } ?? ListProgress(.unknown)
        state = Lock(
            State(
                progress: progress, entity: stored?.entity ?? "",
                beginsAnew: progress.next == .unknown))
    }

    // MARK: Reading

    /// Returns the newest snapshots of its objects, in order. Objects that the store no longer has
    /// are left out.
    package func objects() throws(Failure) -> [Snapshot] {
        settle()
        guard let stored = try context.store.list(name), !stored.entity.isEmpty else { return [] }
        if let entity = try? context.api.entity(named: stored.entity) {
            return try context.store.seen(anyOf: [entity], storeKeys: stored.keys)
        }
        let entities = try Self.names(stored.entity).map { (name) throws(Failure) in
            try context.api.entity(named: name)
        }
        return try context.store.seen(anyOf: entities, storeKeys: stored.keys)
    }

    /// Whether the list has all pages.
    package var isComplete: Bool {
        settle()
        return state.withLock { $0.progress.next == .nothing && !$0.beginsAnew }
    }

    /// The number of objects on all pages, as the API has said last.
    package var total: Int64? {
        settle()
        return state.withLock { $0.progress.total }
    }

    /// Waits until the page of a call that has completed is in the list.
    private func settle() {
        state.withLock { $0.pages }?.settle()
    }

    // MARK: Loading

    /// Requests the next page, adds its objects, and returns it; `nil` if the list is complete.
    package func load(milliseconds: Int64) throws(Failure) -> Page? {
        try context.refuseWhenClosed()
        guard let pages = nextPages() else { return nil }
        return try pages.next(milliseconds: milliseconds)
    }

    /// Requests the next page. `receiver` gets its call when the objects are in the list. Throws if
    /// the list is complete.
    package func send(_ receiver: Call.Receiver) throws(Failure) -> Call {
        try context.refuseWhenClosed()
        guard let pages = nextPages() else {
            throw Failure(.noObject, "the list has all pages")
        }
        return try pages.send(receiver)
    }

    /// Lets the next page be the first one again. Until it has come, the list stays as it is.
    package func restart() {
        let pages: Pages? = state.withLock { state in
            state.restarts += 1
            state.beginsAnew = true
            return state.pages.take()
        }
        pages?.cancel()
    }

    /// Cancels the call for the next page. The page can be asked for again.
    package func cancel() {
        state.withLock { $0.pages }?.cancel()
    }

    /// Returns the pages from the next one on; `nil` if there is no next page.
    private func nextPages() -> Pages? {
        state.withLock { state in
            if let pages = state.pages { return pages }
            var begin = request.begin
            if !state.beginsAnew {
                guard case .place(let place) = state.progress.next else { return nil }
                begin = (place, state.progress.offset)
            }
            let restarts = state.restarts
            let pages = Pages(context, request, at: begin.place, offset: begin.offset) {
                [weak self] page, machine throws(Failure) in
                try self?.add(page, machine, restarts)
            }
            state.pages = pages
            return pages
        }
    }

    /// Adds a page to the list in the store; without a page, the list is complete.
    private func add(_ page: Page?, _ machine: PageMachine, _ restarts: Int) throws(Failure) {
        let progress = progress(after: page, machine)
        let (isCurrent, beginsAnew, entity) = state.withLock { state in
            (state.restarts == restarts, state.beginsAnew, state.entity)
        }
        guard isCurrent else { throw Failure(.cancelled, "the list was started anew") }
        if page?.valueCount != nil { throw PageRequest.refusalOfValues(request.route) }
        if page?.objects.contains(where: { !$0.isKept }) == true {
            throw PageRequest.refusalOfUnkept(request.route)
        }
        // An object may stand on a page twice.
        var seen: Set<Int64> = []
        let added = (page?.objects ?? []).filter { seen.insert($0.storeKey).inserted }
        var entities = beginsAnew ? [] : Self.names(entity)
        // An object may be in the list in several shapes of one family.
        for object in added where !entities.contains(object.entity.family.name) {
            entities.append(object.entity.family.name)
        }
        let change = ListChange(
            name: name, entity: entities.joined(separator: "\n"), keys: added.map(\.storeKey),
            state: progress.text, replacesAll: beginsAnew)
        try context.store.apply(change, adding: added, to: members)
        state.withLock { state in
            guard state.restarts == restarts else { return }
            state.progress = progress
            state.entity = change.entity
            state.beginsAnew = false
        }
    }

    private static func names(_ text: String) -> [String] {
        text.split(separator: "\n").map { String($0) }
    }

    private func progress(after page: Page?, _ machine: PageMachine) -> ListProgress {
        let known = page == nil ? state.withLock { $0.progress.total } : nil
        let next: ListProgress.Next
        switch machine.state {
        case .next(.url(let url)) where context.api.definition.redaction.url(url) != url:
            // A secret does not get into a file.
            next = .unknown
        case .next(let place), .bounded(let place): next = .place(place)
        case .complete: next = .nothing
        case .broken: next = .unknown
        }
        return ListProgress(next, offset: machine.offset, total: page?.count.total ?? known)
    }
}
