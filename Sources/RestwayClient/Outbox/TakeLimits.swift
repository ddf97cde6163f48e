import RestwayCurl
import RestwayOutbox

/// The limits for the items of the next call.
struct TakeLimits {
    let itemsMax: Int
    /// If fewer items than this are ready, none goes out now.
    let itemsMin: Int
    /// The waits to cut short first, if any.
    let hurry: FlushState.Urgency?
    /// No item of these lanes goes out.
    let busyLanes: Set<Lane>
}
