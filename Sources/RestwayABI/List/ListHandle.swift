import RestwayObjects
import RestwayThreads

/// An immutable list of objects.
final class ListHandle: HandleObject, Sendable {
    let objects: [Snapshot]
    let generation = ProcessGeneration.current

    init(_ objects: [Snapshot]) {
        self.objects = objects
    }
}
