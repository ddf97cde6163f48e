/// The time limits of an exchange. 0 sets no limit.
package struct ExchangeTimeouts: Equatable, Sendable {
    /// The time from `Transport.start` to the end, including the time in a queue.
    package var totalMilliseconds: Int64
    /// The time until a connection is ready: name lookup, TCP and TLS.
    package var connectMilliseconds: Int64
    /// The time without a byte moving. A transport may round it up to whole seconds.
    package var idleMilliseconds: Int64

    package init(
        totalMilliseconds: Int64 = 0, connectMilliseconds: Int64 = 0, idleMilliseconds: Int64 = 0
    ) {
        self.totalMilliseconds = totalMilliseconds
        self.connectMilliseconds = connectMilliseconds
        self.idleMilliseconds = idleMilliseconds
    }
}
