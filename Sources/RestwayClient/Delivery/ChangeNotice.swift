/// The store has changed, in something that an observer wants to know.
package final class ChangeNotice: Sendable {
    package let changes: ChangeList
    let observer: Observer

    init(changes: ChangeList, observer: Observer) {
        self.changes = changes
        self.observer = observer
    }

    package var token: UInt64 { observer.token }

    /// Tells the host through its function; false when the observer has been removed.
    func run() -> Bool {
        take { $0(changes) }
    }

    /// Lets `body` tell the host, unless the observer has been removed; what it is given is the
    /// host's function.
    package func take(_ body: (Observer.Changed) -> Void) -> Bool {
        guard let changed = observer.begin() else { return false }
        body(changed)
        observer.finish()
        return true
    }

    func drop() {
        observer.forgo()
    }
}
