package import RestwayHTTP

/// The settings of a client that its calls use, with the defaults filled in.
package struct CallOptions: Sendable {
    package var userAgent: String
    /// The default headers with which the client begins.
    package var headers: [HeaderField] = []
    package var isMappingStrict = false
    package var usesCookies = true
    /// Whether a call fails at once while the program says that the server cannot be reached.
    package var failsUnreachable = false
    /// Whether a DELETE that is answered with 404 or 410 counts as done.
    package var takesMissingForDeleted = false
    package var bodyBytesMax = 256 << 20
    /// The size limit of a body that is saved in a file; 0 for no limit.
    package var saveBytesMax: Int64 = 0
    package var objectsMax = 10_000_000
    package var nestingDepthMax = 512
    /// With 0, a redirect is an error; with `nil`, it is an answer like any other.
    package var redirectsMax: Int? = 10
    package var timeouts = ExchangeTimeouts(
        totalMilliseconds: 60_000, connectMilliseconds: 10_000, idleMilliseconds: 30_000)

    package init(userAgent: String) {
        self.userAgent = userAgent
    }
}
