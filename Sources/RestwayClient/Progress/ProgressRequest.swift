/// A request for the progress of a call.
package struct ProgressRequest: Sendable {
    package typealias Function = @Sendable (Call, CallProgress) -> Void

    /// The shortest time between two notices.
    package var intervalMilliseconds: Int64
    /// The function to call; `nil` if the program reads events or asks for the progress itself.
    package var function: Function?

    package init(intervalMilliseconds: Int64, function: Function?) {
        self.intervalMilliseconds = intervalMilliseconds
        self.function = function
    }
}
