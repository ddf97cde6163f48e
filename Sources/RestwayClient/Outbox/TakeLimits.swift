package import RestwayCurl
import RestwayOutbox

/// The limits for the items of the next call.
package struct TakeLimits {
    package let itemsMax: Int
    /// If fewer items than this are ready, none goes out now.
    package let itemsMin: Int
    /// The waits to cut short first, if any.
    package let hurry: FlushState.Urgency?
    /// No item of these lanes goes out.
    package let busyLanes: Set<Lane>
}
