import RestwayOutcome
import RestwaySQLite
import RestwayThreads

/// A problem with the storage of a cache: a full disk, for example.
struct CacheTrouble: Sendable {
    enum Kind: Sendable {
        case damaged, full, locked, readOnly, other
    }

    let kind: Kind
    let text: String

    init(_ error: SQLiteError) {
        kind =
            error.isDamage
            ? .damaged
            : error.isFull
                ? .full : error.isBusy ? .locked : error.isReadOnly ? .readOnly : .other
        text = "the cache \(error.text)"
    }

    init(_ error: BodyFileError) {
        kind = error.isFull ? .full : error.isReadOnly ? .readOnly : .other
        text = "the cache \(error.text)"
    }

    init(begunAnew path: String) {
        kind = .damaged
        text = "the cache \"\(path)\": it was damaged, and was begun anew without its entries"
    }

    init(damagedEntryOf path: String) {
        kind = .damaged
        text = "the cache \"\(path)\": an entry was damaged, and was removed"
    }

    /// Whether the file has to be opened again.
    var needsReopening: Bool { kind == .damaged || kind == .other }
}

/// Remembers the last trouble. Each kind is written to the log once.
final class TroubleNotes: Sendable {
    private struct State {
        var last: CacheTrouble?
        var noted: Set<CacheTrouble.Kind> = []
        /// The lines that are still to be written to the log.
        var lines: [String] = []
        var count: Int64 = 0
    }

    private let state = Lock(State())

    /// Notes a trouble. It may be called while a lock is held.
    func note(_ trouble: CacheTrouble) {
        state.withLock { state in
            state.last = trouble
            state.count += 1
            if state.noted.insert(trouble.kind).inserted { state.lines.append(trouble.text) }
        }
    }

    /// Whether `writeLog` has something to write.
    var hasNews: Bool { state.withLock { !$0.lines.isEmpty } }

    /// Writes what is new to the log, which may call the program.
    func writeLog() {
        let lines = state.withLock { state in
            guard !state.lines.isEmpty else { return [] as [String] }
            defer { state.lines = [] }
            return state.lines
        }
        for line in lines { Log.shared.write(.warning, .cache, line) }
    }

    /// A write has succeeded. That a file was damaged stays known.
    func writeSucceeded() {
        state.withLock { if $0.last?.kind != .damaged { $0.last = nil } }
    }

    /// Empty if nothing is wrong.
    var text: String { state.withLock { $0.last?.text ?? "" } }
    var count: Int64 { state.withLock { $0.count } }
}

extension Failure {
    /// Makes the failure of a client whose cache file is refused.
    init(cacheRefused refusal: Migrations.Refusal, path: String) {
        let name = "the cache \"\(path)\""
        switch refusal {
        case .foreign:
            self.init(
                .io, "\(name): a file of another program is at this path", domain: .cache)
        case .newer(let version):
            self.init(
                .io, "\(name): the file has format \(version), of a later Restway", domain: .cache)
        case .failed(let error):
            self.init(error.isForked ? .forked : .io, "the cache \(error.text)", domain: .cache)
        }
    }
}
