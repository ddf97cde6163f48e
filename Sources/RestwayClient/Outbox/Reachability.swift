/// What is known of the way to the server.
package enum Reachability: Sendable {
    case unknown, reachable, unreachable
}
