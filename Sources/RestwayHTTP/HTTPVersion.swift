/// The HTTP version of a response.
package enum HTTPVersion: Sendable {
    case http10, http11, http2, http3
}
