/// An object to which a handle of the program can point.
///
/// In a forked child, a thread of the parent may have left the lock of a parent's object held
/// for ever. So each object knows in which process it was made, and the child refuses the parent's
/// objects.
package protocol HandleObject: AnyObject, Sendable {
    /// `ProcessGeneration.current` when the object was made.
    var generation: Int { get }
}
