package import RestwayMapping

/// A function of the host's that sees what a response was mapped to before the store does, and may
/// add to it. A question: asked on a worker. What it throws discards the response.
package typealias Hook = @Sendable (MappedRows) throws(Failure) -> Void
