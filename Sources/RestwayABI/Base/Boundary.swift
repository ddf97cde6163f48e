import CRestway
import RestwayCalls
import RestwayOutcome

/// The code that all functions of the header share that can fail.
enum Boundary {
    typealias OutHandle = UnsafeMutablePointer<OpaquePointer?>

    /// Runs `body`. A failure becomes a status and, if the caller asks for it, an error handle.
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

    /// Runs `make` and gives its result to the program.
    static func creating<Object: HandleObject>(
        _ outHandle: OutHandle?, _ outError: OutHandle?, named name: String,
        _ make: () throws(Failure) -> Object
    ) -> restway_status {
        outHandle?.pointee = nil
        return run(outError) { () throws(Failure) in
            guard let outHandle else { throw Argument.null(name) }
            outHandle.pointee = Handle.give(try make())
        }
    }
}
