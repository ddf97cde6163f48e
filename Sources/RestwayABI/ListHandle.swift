import RestwayObjects

/// An immutable list of objects.
final class ListHandle: Sendable {
    let objects: [Snapshot]

    init(_ objects: [Snapshot]) {
        self.objects = objects
    }
}
