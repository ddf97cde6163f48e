/// How long the phases of an exchange took, in microseconds.
///
/// `queuedMicroseconds` is the wait in the queue. The others count from the end of that wait to the
/// end of their phase, so each includes the phases before it. A phase that did not happen is 0.
package struct ExchangeTimings: Equatable, Sendable {
    package var queuedMicroseconds: Int64 = 0
    package var nameLookupMicroseconds: Int64 = 0
    package var connectMicroseconds: Int64 = 0
    package var tlsMicroseconds: Int64 = 0
    package var firstByteMicroseconds: Int64 = 0
    package var totalMicroseconds: Int64 = 0

    package init() {}
}
