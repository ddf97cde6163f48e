package import RestwayHTTP
package import RestwayMapping

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
    /// Whether a redirect is followed; otherwise, it is an answer like any other. With a
    /// `redirectsMax` of 0, a redirect that would be followed is an error.
    package var followsRedirects = true
    package var numbers = ClientNumbers()
    package var timeouts = ExchangeTimeouts.standard

    package init(userAgent: String) {
        self.userAgent = userAgent
    }

    /// The limits of values that are read or written outside of the mapping of an answer.
    package var mappingLimits: MappingLimits { MappingLimits(nestingDepthMax: nestingDepthMax) }
}
