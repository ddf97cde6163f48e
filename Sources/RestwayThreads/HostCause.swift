/// A pointer that a function of the host attaches to a failure. The host finds it in the error. The
/// library never dereferences the pointer.
package protocol HostCause: AnyObject, Sendable {
    /// The pointer. It is valid as long as this object lives.
    var pointer: UnsafeMutableRawPointer? { get }
}
