/// Who wants to know how far a call has come.
package struct ProgressRequest: Sendable {
    package typealias Function = @Sendable (Call, CallProgress) -> Void

    /// The least time between two notices.
    package var intervalMilliseconds: Int64
    /// `nil`: events, or questions, are enough.
    package var function: Function?

    package init(intervalMilliseconds: Int64, function: Function?) {
        self.intervalMilliseconds = intervalMilliseconds
        self.function = function
    }
}
