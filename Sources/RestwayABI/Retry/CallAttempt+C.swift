import CRestway
import RestwayOutcome

/// Writes an attempt to a struct of the header.
extension CallAttempt {
    /// sizeof(restway_attempt) in version 0.1.0.
    static let structSizeMin = 48

    /// - Parameter apiCode: Lives as long as the header promises.
    func c(apiCode: UnsafePointer<CChar>?) -> restway_attempt {
        var known = restway_attempt()
        known.struct_size = MemoryLayout<restway_attempt>.size
        let why: restway_attempt_reason =
            switch reason {
            case .first: .RESTWAY_ATTEMPT_FIRST
            case .retry: .RESTWAY_ATTEMPT_RETRY
            case .replay: .RESTWAY_ATTEMPT_REPLAY
            }
        known.reason = why.rawValue
        known.status = (failure.map { restway_status($0) } ?? .RESTWAY_OK).rawValue
        known.http_status = Int32(clamping: httpStatus)
        known.waited_microseconds = waitedMicroseconds
        known.took_microseconds = tookMicroseconds
        known.api_code = apiCode
        return known
    }

    /// Writes attempt `index` of `attempts`, in the fields that the program's version of the struct
    /// has.
    static func write(
        _ attempts: [CallAttempt], _ index: Int, _ texts: LentTexts,
        _ target: UnsafeMutablePointer<restway_attempt>?
    ) throws(Failure) {
        let target = try Argument.out(target, "attempt")
        let size = UnsafeRawPointer(target).loadUnaligned(as: Int.self)
        try SizedOptions.check(size, structSizeMin, "attempt")
        guard let attempt = attempts.at(index) else {
            throw Failure(
                .invalidArgument, "index is \(index), there are \(attempts.count) attempts",
                field: "index")
        }
        var known = attempt.c(
            apiCode: texts.pointer("attempt \(index)") { attempt.apiCode })
        known.struct_size = size
        withUnsafeBytes(of: known) { known in
            UnsafeMutableRawPointer(target).copyMemory(
                from: known.baseAddress!, byteCount: min(size, known.count))
        }
    }
}
