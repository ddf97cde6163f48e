package import RestwayCalls
import RestwayDocument
import RestwayJSON
import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
package import RestwayRequests
import RestwayRouting
import RestwayThreads

/// One answer of a route with pages.
package struct Page: Sendable {
    package let response: Response
    /// The objects of the first descriptor that applies, as far as the bound on objects goes.
    package let objects: [Snapshot]
    package let count: PageCount

    /// The number of values of the response that belong to the page; `nil` for a page of objects.
    package var valueCount: Int? {
        response.beginsWithValue ? Int(clamping: count.objectCount) : nil
    }
}

/// The pages of a route, requested one after the other as the program asks for them.
///
/// Each page is a call like any other. `PageMachine` decides which page is next; this class sends
/// the calls. After a failed call, the same page can be asked for again.
package final class Pages: Sendable {
    package struct Options: Sendable {
        package var bounds = PageBounds()
        /// Whether the next page is requested while the program uses a page.
        package var fetchesAhead = false

        package init() {}
    }

    /// Keeps a page before the program gets it, with the machine as it is after the page. There is
    /// no page if the API has answered that the page before was the last one. If it throws, the
    /// page has not come.
    package typealias Keeper = @Sendable (Page?, PageMachine) throws(Failure) -> Void

    /// The state of the next page.
    private enum NextPage {
        case idle
        /// The page was requested, and nobody asks for it yet.
        case ahead(Call)
        /// A thread waits for the page. It has no call yet at the beginning.
        case awaited(Call?)
        /// A function of the program, or an event, is to tell of the page.
        case sent(Call, Call.Receiver)
        /// The answer is read.
        case reading
    }

    private struct State {
        var machine: PageMachine
        var nextPage = NextPage.idle
        var last: Page?
        /// Why there is no next page although the API seems to have one.
        var failure: Failure?
    }

    /// The reply to a program that asks for a page.
    private enum Step {
        case request(PagePlace)
        case take(Call)
        /// There is no page, or the bounds are reached.
        case end
        case fail(Failure)
    }

    package let context: CallContext
    private let request: PageRequest
    private let fetchesAhead: Bool
    private let keep: Keeper?
    private let state: Monitor<State>

    package init(
        _ context: CallContext, _ spec: RequestSpec, _ options: Options = Options()
    ) throws(Failure) {
        try context.refuseWhenClosed()
        self.context = context
        request = try PageRequest(spec, context)
        fetchesAhead = options.fetchesAhead
        keep = nil
        let machine = PageMachine(
            request.rules, options.bounds, at: request.begin.place, offset: request.begin.offset)
        state = Monitor(State(machine: machine))
    }

    /// Makes the pages of a list, from `place` on.
    init(
        _ context: CallContext, _ request: PageRequest, at place: PagePlace, offset: Int64?,
        keep: @escaping Keeper
    ) {
        self.context = context
        self.request = request
        fetchesAhead = false
        self.keep = keep
        let machine = PageMachine(request.rules, at: place, offset: offset)
        state = Monitor(State(machine: machine))
    }

    /// Whether another page can be asked for, or an error is to be thrown.
    package var hasNext: Bool {
        settled { state in
            if case .next = state.machine.state { return true }
            return state.failure != nil
        }
    }

    /// The page that came last; `nil` before the first page.
    package var last: Page? { settled { $0.last } }

    /// Waits until the answer of a call that has completed is read.
    func settle() {
        settled { _ in }
    }

    // MARK: Asking

    /// Requests the next page and waits for it; `nil` after the last page.
    ///
    /// - Parameter milliseconds: As for `Call.wait`.
    package func next(milliseconds: Int64) throws(Failure) -> Page? {
        try Call.refuseToBlockInsideCallbacks()
        let step = begin { nextPage in
            if case .ahead(let call) = nextPage { .awaited(call) } else { .awaited(nil) }
        }
        switch step {
        case .end: return nil
        case .fail(let failure): throw failure
        case .take(let call):
            return try awaiting { () throws(Failure) in
                try call.wait(milliseconds: milliseconds)
            }
        case .request(let place):
            return try awaiting { () throws(Failure) in
                let call = try context.makeCall(request.spec(at: place))
                state.withLock { $0.nextPage = .awaited(call) }
                try context.register(call)
                return try call.perform(milliseconds: milliseconds)
            }
        }
    }

    /// Waits for an answer with `wait`, and reads it; `nil` if there is no such page.
    private func awaiting(_ wait: () throws(Failure) -> Response) throws(Failure) -> Page? {
        let response: Response
        do throws(Failure) {
            response = try wait()
        } catch {
            // Nobody has a handle of the call.
            if error.reason == .interrupted { cancel() }
            if try end(with: error) { return nil }
            state.update { $0.nextPage = .idle }
            throw error
        }
        return try read(response)
    }

    /// Requests the next page. `receiver` gets its call when the call has completed. Throws after
    /// the last page; `hasNext` tells before.
    package func send(_ receiver: Call.Receiver) throws(Failure) -> Call {
        var complete: Call.Outcome?
        let step = begin { nextPage in
            guard case .ahead(let call) = nextPage else { return .awaited(nil) }
            complete = call.state.withLock { $0.outcome }
            return complete == nil ? .sent(call, receiver) : .reading
        }
        switch step {
        case .end: throw Self.noMorePages
        case .fail(let failure): throw failure
        case .take(let call):
            if let complete { tell(receiver, call, complete) }
            return call
        case .request(let place):
            do throws(Failure) {
                let token = receiver.token ?? 0
                return try start(request.spec(at: place), token: token) { .sent($0, receiver) }
            } catch {
                state.update { $0.nextPage = .idle }
                throw error
            }
        }
    }

    /// Cancels the call for the next page. The page can be asked for again.
    package func cancel() {
        let call: Call? = state.withLock { state in
            switch state.nextPage {
            case .ahead(let call), .sent(let call, _): call
            case .awaited(let call): call
            case .idle, .reading: nil
            }
        }
        call?.cancel()
    }

    /// Cancels a page that was requested ahead, because the program has released the pages.
    package func abandon() {
        let call: Call? = state.withLock { state in
            if case .ahead(let call) = state.nextPage { call } else { nil }
        }
        call?.cancel()
    }

    /// Decides what a program that asks for a page gets, and sets the state of the next page.
    private func begin(_ nextPage: (NextPage) -> NextPage) -> Step {
        settled { state in
            switch state.nextPage {
            case .awaited, .sent, .reading:
                return .fail(
                    Failure(
                        .invalidArgument,
                        "the next page is on its way: pages come one after the other",
                        field: "pages"))
            case .idle, .ahead: break
            }
            if let failure = state.failure { return .fail(failure) }
            guard case .next(let place) = state.machine.state else { return .end }
            let before = state.nextPage
            state.nextPage = nextPage(before)
            if case .ahead(let call) = before { return .take(call) }
            return .request(place)
        }
    }

    /// Runs `body` with the state, when the answer of a call that has completed is read. A thread
    /// that has waited for the call itself may be here before that.
    private func settled<Result>(_ body: (inout State) -> Result) -> Result {
        let result = state.wait { state -> Result? in
            switch state.nextPage {
            case .sent(let call, _) where call.isComplete: return nil
            case .reading: return nil
            case .idle, .ahead, .awaited, .sent: return body(&state)
            }
        }
        guard let result else { preconditionFailure("a wait without a bound has ended") }
        return result
    }

    // MARK: Answers

    /// Starts a call whose end `finished` learns of.
    private func start(
        _ spec: RequestSpec, token: UInt64 = 0, _ nextPage: (Call) -> NextPage
    ) throws(Failure) -> Call {
        let call = try context.makeCall(spec, token: token)
        call.follow { [weak call] outcome in
            if let call { self.finished(call, outcome) }
        }
        state.update { $0.nextPage = nextPage(call) }
        try context.register(call)
        call.start()
        return call
    }

    /// Takes the outcome of a call for which the program waits. The outcome of a page that was
    /// requested ahead stays in its call.
    private func finished(_ call: Call, _ outcome: Call.Outcome) {
        let receiver: Call.Receiver? = state.withLock { state in
            guard case .sent(let sent, let receiver) = state.nextPage, sent === call else {
                return nil
            }
            state.nextPage = .reading
            return receiver
        }
        if let receiver { tell(receiver, call, outcome) }
    }

    /// Reads the answer, and then tells the program.
    private func tell(_ receiver: Call.Receiver, _ call: Call, _ outcome: Call.Outcome) {
        var outcome = outcome
        switch outcome {
        case .success(let response):
            do throws(Failure) {
                _ = try read(response)
            } catch {
                outcome = .failure(error)
            }
        case .failure(let failure): outcome = .failure(ended(failure))
        }
        if context.delivery.append(.completion(call, outcome, receiver)) {
            context.delivery.start(on: .caller)
        }
    }

    /// Ends the pages if a failure says that the page before was the last one. Returns whether it
    /// does.
    private func end(with failure: Failure) throws(Failure) -> Bool {
        var machine = state.withLock { $0.machine }
        guard case .next(let place) = machine.state, request.isEnd(failure, at: place) else {
            return false
        }
        machine.end()
        do throws(Failure) {
            try keep?(nil, machine)
        } catch {
            state.update { $0.nextPage = .idle }
            throw error
        }
        state.update { state in
            state.machine = machine
            state.nextPage = .idle
        }
        return true
    }

    /// Returns the failure that the program gets in place of `failure`.
    private func ended(_ failure: Failure) -> Failure {
        do throws(Failure) {
            if try end(with: failure) { return Self.noMorePages }
        } catch {
            return error
        }
        state.update { $0.nextPage = .idle }
        return failure
    }

    private static let noMorePages = Failure(.noObject, "there are no more pages")

    /// Takes an answer: finds out which page is next, and requests it if that is wanted.
    private func read(_ response: Response) throws(Failure) -> Page {
        let objects = response.results.first.map { response.objects[$0] } ?? []
        var facts = PageFacts(count: response.pagedValueCount ?? Int64(objects.count))
        if facts.count > 0 { facts.content = PageContent(objects, response) }
        var failure: Failure?
        do throws(Failure) {
            try request.reader.read(response, objects, into: &facts)
        } catch {
            facts.isReadable = false
            failure = error
        }
        var machine = state.withLock { $0.machine }
        let count = machine.take(facts)
        if case .broken(let error) = machine.state {
            failure = failure ?? request.failure(error, response)
        }
        let taken = objects.prefix(Int(clamping: count.objectCount))
        let page = Page(response: response, objects: Array(taken), count: count)
        do throws(Failure) {
            try keep?(page, machine)
        } catch {
            state.update { $0.nextPage = .idle }
            throw error
        }
        var ahead: PagePlace?
        if fetchesAhead, case .next(let place) = machine.state { ahead = place }
        state.update { state in
            state.machine = machine
            state.failure = failure
            state.last = page
            state.nextPage = ahead == nil ? .idle : .reading
        }
        if let ahead { fetch(ahead) }
        return page
    }

    /// Requests a page before the program asks for it. If that fails, the program learns it when it
    /// asks.
    private func fetch(_ place: PagePlace) {
        do throws(Failure) {
            _ = try start(request.spec(at: place)) { .ahead($0) }
        } catch {
            state.update { $0.nextPage = .idle }
        }
    }
}

extension Response {
    /// The number of the values of a page: the elements of a list, the members of a map, or a
    /// single value; `nil` for a page of objects.
    fileprivate var pagedValueCount: Int64? {
        guard beginsWithValue else { return nil }
        switch parsed {
        case .value(.absent, _), .value(.null, _): return 0
        case .value(.json(let text), _):
            guard let value = try? JSONValue.parse(text, .anyJSON) else { return 1 }
            return Int64(value.elements?.count ?? value.members?.count ?? 1)
        case .value: return 1
        case .objects, .json, .text, .bytes, .headers, .nothing, .made: return nil
        }
    }
}

extension PageContent {
    /// - Parameter objects: The objects of the page; empty for a page of values.
    fileprivate init(_ objects: ArraySlice<Snapshot>, _ response: Response) {
        guard !objects.isEmpty else {
            self.init(digest: response.bodyWithNUL.hashValue, hasIdentities: false)
            return
        }
        var hasher = Hasher()
        for object in objects {
            guard let identity = object.identity else {
                let digest = response.bodyWithNUL.hashValue
                self.init(digest: digest, hasIdentities: false)
                return
            }
            hasher.combine(object.entity.name)
            hasher.combine(identity)
        }
        self.init(digest: hasher.finalize(), hasIdentities: true)
    }
}
