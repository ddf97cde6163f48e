/// The time limits of an exchange; nil if a limit is not declared.
package struct Timeouts: Sendable, Equatable {
    package var totalMilliseconds: Int64?
    package var connectMilliseconds: Int64?
    package var idleMilliseconds: Int64?

    package init(
        totalMilliseconds: Int64? = nil, connectMilliseconds: Int64? = nil,
        idleMilliseconds: Int64? = nil
    ) {
        self.totalMilliseconds = totalMilliseconds
        self.connectMilliseconds = connectMilliseconds
        self.idleMilliseconds = idleMilliseconds
    }
}
