/// What a sink wants next.
package enum EventAnswer: Sendable {
    case want
    case skip
    case stop
}
