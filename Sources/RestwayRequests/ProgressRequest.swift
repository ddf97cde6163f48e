package import RestwayThreads

/// The progress of a call. A total of `nil` is not known.
package struct CallProgress: Sendable, Equatable {
    package struct Part: Sendable, Equatable {
        package var done: Int64 = 0
        package var total: Int64?

        /// The finished part, between 0 and 1. A part whose total is not known counts as not done.
        package var fraction: Double {
            guard let total else { return 0 }
            return total > 0 ? min(1, max(0, Double(done) / Double(total))) : 1
        }
    }

    package var upload = Part()
    package var download = Part()
    package var mapping = Part()
    /// The finished part of the whole call; it never goes back.
    package private(set) var fraction = 0.0

    private static let uploadWeight = 0.4
    private static let mappingWeight = 0.2

    /// - Parameter uploadTotal: 0 without a body; `nil` if its length is not known.
    package init(uploadTotal: Int64?) {
        upload.total = uploadTotal
    }

    /// Takes new numbers. The fraction grows or stays the same.
    package mutating func update(_ change: (inout CallProgress) -> Void) {
        change(&self)
        let uploadWeight = upload.total == 0 ? 0 : Self.uploadWeight
        let downloadWeight = 1 - uploadWeight - Self.mappingWeight
        let sum =
            uploadWeight * upload.fraction + downloadWeight * download.fraction
            + Self.mappingWeight * mapping.fraction
        // Only the end of the call makes the fraction 1.
        fraction = max(fraction, min(sum, 0.999))
    }

    /// Completes the progress of a call that has succeeded.
    package mutating func finish() {
        fraction = 1
    }
}

/// A call, as the function sees it that receives its progress.
package protocol CallInProgress: HandleObject {
    /// Cancels the call unless it has completed or its objects are being stored.
    func cancel()
}

/// A request for the progress of a call.
package struct ProgressRequest: Sendable {
    package typealias Function = @Sendable (any CallInProgress, CallProgress) -> Void

    /// The shortest time between two notices.
    package var intervalMilliseconds: Int64
    /// The function to call; `nil` if the program reads events or asks for the progress itself.
    package var function: Function?

    package init(intervalMilliseconds: Int64, function: Function?) {
        self.intervalMilliseconds = intervalMilliseconds
        self.function = function
    }
}
