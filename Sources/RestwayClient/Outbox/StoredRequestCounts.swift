/// The numbers of stored requests, by state.
package struct StoredRequestCounts: Equatable, Sendable {
    package var waiting = 0
    package var sending = 0
    package var blocked = 0
    package var dead = 0
}
