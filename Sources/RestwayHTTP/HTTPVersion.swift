/// The version of HTTP that a response came in.
package enum HTTPVersion: Sendable {
    case http10, http11, http2, http3
}
