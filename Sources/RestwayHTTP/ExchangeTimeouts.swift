/// How long an exchange may take. 0 sets no limit.
package struct ExchangeTimeouts: Equatable, Sendable {
    /// From `Transport.start` to the end, time in a queue included.
    package var totalMilliseconds: Int64
    /// Until a connection stands: name lookup, TCP and TLS.
    package var connectMilliseconds: Int64
    /// Without a byte moving. A transport may round it up to whole seconds.
    package var idleMilliseconds: Int64

    package init(
        totalMilliseconds: Int64 = 0, connectMilliseconds: Int64 = 0, idleMilliseconds: Int64 = 0
    ) {
        self.totalMilliseconds = totalMilliseconds
        self.connectMilliseconds = connectMilliseconds
        self.idleMilliseconds = idleMilliseconds
    }
}
