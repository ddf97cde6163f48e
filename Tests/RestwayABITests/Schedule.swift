import CRestway
import RestwayThreads
import Synchronization

@testable import RestwayABI
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// The result of one send.
final class Promise: Sendable {
    let doneCount = Atomic<Int>(0)
    let destroyCount = Atomic<Int>(0)
}

/// The context of one send.
private final class Context: Sendable {
    let promise: Promise
    let schedule: Schedule

    init(_ promise: Promise, _ schedule: Schedule) {
        self.promise = promise
        self.schedule = schedule
        schedule.retainForCallbacks()
    }

    deinit {
        schedule.releaseForCallbacks()
    }
}

/// A random schedule of sends, cancels, waits, closes and releases on several threads, through the
/// functions of the header.
final class Schedule: @unchecked Sendable {
    static let threads = 4
    static let stepsOfAThread = 25
    static let callsMax = 400

    let mode: Delivery.Mode
    let client: OpaquePointer
    private let request: OpaquePointer
    private let random: Lock<SeededRandom>
    /// All sends that returned RESTWAY_OK, and whether each has a callback.
    private let promises = Lock<[Promise]>([])
    /// A reference that a callback may release as the last one.
    private let spareClient = Lock<OpaquePointer?>(nil)
    let progress = Monitor(0)

    /// Takes over one reference of both handles.
    init(
        seed: UInt64, mode: Delivery.Mode, client: OpaquePointer, request: OpaquePointer
    ) {
        self.mode = mode
        self.client = client
        self.request = request
        random = Lock(SeededRandom(seed: seed))
        spareClient.withLock { $0 = restway_client_retain(client) }
    }

    var all: [Promise] { promises.withLock { $0 } }

    func chance(_ percent: Int) -> Bool {
        random.withLock { Int.random(in: 0..<100, using: &$0) < percent }
    }

    /// On a worker a callback may run when all other references are gone. If the program delivers,
    /// a notice that is dropped at the last release must not hold a reference itself.
    func retainForCallbacks() {
        guard mode == .thread else { return }
        _ = restway_client_retain(client)
        _ = restway_request_retain(request)
    }

    func releaseForCallbacks() {
        guard mode == .thread else { return }
        restway_client_release(client)
        restway_request_release(request)
    }

    func retainClient() {
        _ = restway_client_retain(client)
    }

    func releaseClient() {
        restway_client_release(client)
    }

    // MARK: Steps

    /// The steps of one thread, which has a reference to the client of its own.
    func run() {
        var calls: [OpaquePointer] = []
        for _ in 0..<Self.stepsOfAThread {
            if let call = send() { calls.append(call) }
            if chance(30), let call = calls.randomElement() { restway_call_cancel(call) }
            if chance(20), let call = calls.popLast() { wait(call) }
            if chance(20), !calls.isEmpty { restway_call_release(calls.removeFirst()) }
            if chance(15) { perform() }
            if chance(1), chance(30) { restway_client_close(client) }
        }
        for call in calls { restway_call_release(call) }
    }

    /// Sends; returns the call's handle if it was asked for.
    @discardableResult
    func send() -> OpaquePointer? {
        let promise = Promise()
        let context = UserData.retain(Context(promise, self))
        var call: OpaquePointer?
        let isForgotten = chance(30)
        // The send is registered first, because its callback may run before this function
        // continues.
        let isPromised = promises.withLock { promises in
            guard promises.count < Self.callsMax else { return false }
            promises.append(promise)
            return true
        }
        var status = restway_status.RESTWAY_E_INTERNAL
        if isPromised {
            status = withUnsafeMutablePointer(to: &call) { call in
                restway_client_send(
                    client, request, mode == .drain ? nil : Self.done, context, Self.destroy,
                    isForgotten ? nil : call, nil)
            }
        }
        if status != .RESTWAY_OK {
            promises.withLock { $0.removeAll { $0 === promise } }
            _ = UserData.take(Context.self, context)
        }
        return call
    }

    private func wait(_ call: OpaquePointer) {
        var response: OpaquePointer?
        var error: OpaquePointer?
        _ = restway_call_wait(call, 1, &response, &error)
        restway_response_release(response)
        restway_error_release(error)
        restway_call_release(call)
    }

    private func perform() {
        var response: OpaquePointer?
        var error: OpaquePointer?
        _ = restway_client_perform(client, request, 1, &response, &error)
        restway_response_release(response)
        restway_error_release(error)
    }

    // MARK: Callbacks

    private static let done: restway_done_fn = { context, call, status, response, error in
        let context = UserData.object(Context.self, context!)
        context.promise.doneCount.add(1, ordering: .relaxed)
        let isSuccess = status == .RESTWAY_OK
        precondition((response != nil) == isSuccess && (error == nil) == isSuccess)
        context.schedule.react(call)
    }

    private static let destroy: restway_destroy_fn = { context in
        let (promise, schedule) = {
            let context = UserData.take(Context.self, context!)
            return (context.promise, context.schedule)
        }()
        promise.destroyCount.add(1, ordering: .relaxed)
        schedule.progress.update { $0 += 1 }
    }

    /// Does everything that is allowed inside a callback.
    private func react(_ call: OpaquePointer?) {
        if chance(10) { restway_call_cancel(call) }
        if chance(15), let other = send() { restway_call_release(other) }
        if chance(10) { restway_call_release(restway_call_retain(call)) }
        if chance(2) { releaseSpareClient() }
        if chance(1), chance(30) { restway_client_close(client) }
    }

    func releaseSpareClient() {
        let spare = spareClient.withLock { $0.take() }
        restway_client_release(spare)
    }

    // MARK: Delivery by the program

    /// Lets the program process or drain; returns whether a notice or an event was due.
    @discardableResult
    func deliver() -> Bool {
        switch mode {
        case .thread: return false
        case .process:
            var count = 0
            _ = restway_client_process(client, 0, &count, nil)
            return count > 0
        case .drain:
            var events = [restway_event](repeating: restway_event(), count: 7)
            var count = 0
            _ = restway_client_drain(client, &events, events.count, &count, nil)
            for index in 0..<count { restway_event_release(&events[index]) }
            return count > 0
        }
    }

    /// Releases the references of the schedule itself.
    func end() {
        // The callbacks hold references, and not every exchange ends by itself.
        if mode == .thread { restway_client_close(client) }
        restway_request_release(request)
        releaseSpareClient()
        restway_client_release(client)
    }
}
