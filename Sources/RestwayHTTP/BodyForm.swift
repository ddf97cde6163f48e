import RestwayRouting
import RestwayText

/// The form of a body: it decides how an identity is written into the body, and which values can be
/// read from the body.
package enum BodyForm: Sendable {
    case json, urlEncoded, multipart
    /// A text in which anything may be anywhere, or another format.
    case plain

    /// Determines the form from the media type. A body without a media type is taken for JSON, the
    /// most common form.
    package init(_ headers: Headers) {
        guard let mediaType = headers[first: "Content-Type"] else {
            self = .json
            return
        }
        self.init(mediaType: mediaType)
    }

    package init(mediaType: String) {
        let type = MediaType.essence(mediaType)
        if type == MediaType.json || type.hasSuffix("+json") {
            self = .json
        } else if type == MultipartForm.mediaType {
            self = .multipart
        } else {
            self = type == "application/x-www-form-urlencoded" ? .urlEncoded : .plain
        }
    }
}
