/// Whether the server can be reached, as far as it is known.
package enum Reachability: Sendable {
    case unknown, reachable, unreachable
}
