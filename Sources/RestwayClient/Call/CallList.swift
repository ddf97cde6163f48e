import Synchronization

/// Calls in no order. Each knows its place, so that none is looked for.
///
/// The lock of the client guards it, and the places.
struct CallList {
    private(set) var all: [Call] = []

    var isEmpty: Bool { all.isEmpty }

    /// Adds a call that is in no list.
    mutating func add(_ call: Call) {
        call.place.store(all.count, ordering: .relaxed)
        all.append(call)
    }

    /// Takes out a call, unless that has been done. Somebody else still holds it.
    mutating func remove(_ call: Call) {
        let place = call.place.exchange(-1, ordering: .relaxed)
        guard place >= 0 else { return }
        let last = all.removeLast()
        guard last !== call else { return }
        all[place] = last
        last.place.store(place, ordering: .relaxed)
    }
}
