/// Where the time of an exchange went, in microseconds.
///
/// `queuedMicroseconds` is the wait for a place; the others count from the end of that wait to the
/// end of their phase, so each includes the ones before it. What did not happen is 0.
package struct ExchangeTimings: Equatable, Sendable {
    package var queuedMicroseconds: Int64 = 0
    package var nameLookupMicroseconds: Int64 = 0
    package var connectMicroseconds: Int64 = 0
    package var tlsMicroseconds: Int64 = 0
    package var firstByteMicroseconds: Int64 = 0
    package var totalMicroseconds: Int64 = 0

    package init() {}
}
