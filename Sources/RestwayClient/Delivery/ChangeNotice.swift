/// The notice that the store has changed something that an observer wants to know.
package final class ChangeNotice: Sendable {
    package let changes: ChangeList
    let observer: Observer

    init(changes: ChangeList, observer: Observer) {
        self.changes = changes
        self.observer = observer
    }

    package var token: UInt64 { observer.token }

    /// Calls the function of the program. Returns false if the observer has been removed.
    func run() -> Bool {
        take { $0(changes) }
    }

    /// Gives the function of the program to `body`, unless the observer has been removed. Returns
    /// false in that case.
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
