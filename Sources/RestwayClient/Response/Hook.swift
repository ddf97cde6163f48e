package import RestwayMapping

/// A function of the program that sees the rows of a response before the store does and may add to
/// them. It is a question, so it runs on a worker. If it throws, the response is discarded.
package typealias Hook = @Sendable (MappedRows) throws(Failure) -> Void
