import RestwayOutbox

/// What bounds the items of the next call.
struct TakeLimits {
    let itemsMax: Int
    /// Fewer than these do not go out for now.
    let itemsMin: Int
    /// What to do first: cut waits short.
    let hurry: FlushState.Urgency?
    /// Nothing of these goes out.
    let busyLanes: Set<Lane>
}
