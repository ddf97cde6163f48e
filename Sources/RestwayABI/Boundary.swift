import CRestway
import RestwayClient

/// What every fallible function of the header has in common.
enum Boundary {
    typealias OutHandle = UnsafeMutablePointer<OpaquePointer?>

    /// Runs `body`; a failure becomes a status and, when it is asked for, an error handle.
    static func run(
        _ outError: OutHandle?, _ body: () throws(Failure) -> Void
    ) -> restway_status {
        outError?.pointee = nil
        do {
            try body()
            return .RESTWAY_OK
        } catch {
            outError?.pointee = Handle.give(ErrorHandle(error))
            return restway_status(error.reason)
        }
    }

    /// Runs `make` and gives what it makes to the host.
    static func creating(
        _ outHandle: OutHandle?, _ outError: OutHandle?, named name: String,
        _ make: () throws(Failure) -> AnyObject
    ) -> restway_status {
        outHandle?.pointee = nil
        return run(outError) { () throws(Failure) in
            guard let outHandle else { throw Argument.null(name) }
            outHandle.pointee = Handle.give(try make())
        }
    }
}
