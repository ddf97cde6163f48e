import RestwayOutcome
import RestwayThreads

/// An error that a function of the program has thrown, as the cause of the failure of a call.
final class ProgramError: HostCause {
    let error: any Error
    /// The pointer is for programs in C.
    var pointer: UnsafeMutableRawPointer? { nil }

    init(_ error: any Error) {
        self.error = error
    }
}

extension RestwayError {
    /// The error of a function of the program: its own error if it is of this type.
    init(thrown error: any Error, by noun: String) {
        if let error = error as? RestwayError {
            self = error
        } else {
            self.init(Failure(thrown: error, by: noun))
        }
    }
}

extension Failure {
    /// The failure that a function of the program causes by throwing an error.
    ///
    /// - Parameter noun: The function, for the message.
    init(thrown error: any Error, by noun: String, _ reason: Reason = .cancelled) {
        if let error = error as? RestwayError {
            self = error.failure
            self.message = "\(noun): \(self.message)"
        } else {
            self.init(reason, "\(noun) has failed: \(error)")
        }
        if self.cause == nil { self.cause = ProgramError(error) }
    }
}
