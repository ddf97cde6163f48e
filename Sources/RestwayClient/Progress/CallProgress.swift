/// The progress of a call. A total of `nil` is not known.
package struct CallProgress: Sendable, Equatable {
    package struct Part: Sendable, Equatable {
        package var done: Int64 = 0
        package var total: Int64?

        /// The finished part, between 0 and 1. A part whose total is not known counts as not done.
        var fraction: Double {
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
    init(uploadTotal: Int64?) {
        upload.total = uploadTotal
    }

    /// Takes new numbers. The fraction grows or stays the same.
    mutating func update(_ change: (inout CallProgress) -> Void) {
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
    mutating func finish() {
        fraction = 1
    }
}
