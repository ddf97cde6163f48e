import Synchronization

/// An unordered list of calls. Each call knows its index, so no search is needed.
///
/// The lock of the client guards the list and the indices.
struct CallList {
    private(set) var all: [Call] = []

    var isEmpty: Bool { all.isEmpty }

    /// Adds a call that is in no list.
    mutating func add(_ call: Call) {
        call.place.store(all.count, ordering: .relaxed)
        all.append(call)
    }

    /// Removes a call, unless it was removed already. The caller still holds the call.
    mutating func remove(_ call: Call) {
        let place = call.place.exchange(-1, ordering: .relaxed)
        guard place >= 0 else { return }
        let last = all.removeLast()
        guard last !== call else { return }
        all[place] = last
        last.place.store(place, ordering: .relaxed)
    }
}
