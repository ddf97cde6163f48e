import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutcome
@testable import RestwayRequests

/// The events that an observer of calls received, as text.
final class LifecycleLog: Sendable {
    private struct State {
        var words: [String] = []
        /// The words of each call, by its number.
        var ofCall: [UInt64: [String]] = [:]
        var infos: [CallInfo] = []
        /// The progress at each event about it.
        var progress: [CallProgress] = []
        var endedCalls: Set<UInt64> = []
        var endCount = 0
    }

    private let state = Monitor(State())

    @Sendable func add(_ event: LifecycleEvent) {
        var word = "\(event.kind)"
        if case .failure(let failure)? = event.outcome { word += " \(failure.reason)" }
        if event.kind == .didBegin, event.info.attempt > 1 { word += " \(event.info.attempt)" }
        let isProgress = event.kind == .uploaded || event.kind == .downloaded
        let progress = isProgress ? event.call.progress : nil
        state.update { [word] state in
            state.words.append(word)
            state.ofCall[event.call.id, default: []].append(word)
            state.infos.append(event.info)
            if let progress { state.progress.append(progress) }
            if event.outcome != nil { state.endedCalls.insert(event.call.id) }
        }
    }

    /// Adds a word that is no event.
    @Sendable func note(_ word: String) { state.update { $0.words.append(word) } }

    @Sendable func end() { state.update { $0.endCount += 1 } }

    var words: [String] { state.withLock { $0.words } }
    var infos: [CallInfo] { state.withLock { $0.infos } }
    var progress: [CallProgress] { state.withLock { $0.progress } }
    var endCount: Int { state.withLock { $0.endCount } }

    /// Waits until this many events came.
    func wait(for count: Int) { state.wait { $0.words.count >= count ? () : nil } }

    /// Waits until a call has ended, and returns its events.
    func words(of call: Call) -> [String] {
        state.wait { $0.endedCalls.contains(call.id) ? $0.ofCall[call.id] : nil }!
    }

    /// Waits until `count` calls have ended, and returns the events of each, oldest call first.
    func wordsOfCalls(_ count: Int) -> [[String]] {
        state.wait { $0.endedCalls.count >= count ? () : nil }
        return state.withLock { state in
            state.ofCall.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    func waitUntilEnded() { state.wait { $0.endCount > 0 ? () : nil } }
}

extension Client {
    /// Adds an observer of calls that writes into `log`.
    @discardableResult
    func observeCalls(
        _ log: LifecycleLog, _ change: (inout LifecycleWishes) -> Void = { _ in }
    ) throws -> Observer {
        var wishes = LifecycleWishes()
        change(&wishes)
        return try observeCalls(wishes, told: log.add, end: log.end)
    }
}
