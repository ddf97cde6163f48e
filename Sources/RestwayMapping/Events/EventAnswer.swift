/// A sink's answer to an event, with the numbers of `RESTWAY_PLUGIN_WANT`, `SKIP` and `STOP`.
package enum EventAnswer: Int32, Sendable {
    case want = 0
    case skip = 1
    case stop = 2
}
