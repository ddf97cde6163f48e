import RestwayText

/// How a resource is uploaded.
package struct UploadPlan: Equatable, Sendable {
    /// `nil` sends the resource in one request.
    package var resumption: UploadProtocol?
    /// The file that names the upload for later calls.
    package var statePath: String?
    /// The largest number of bytes in one request.
    package var pieceBytesMax = Int64.max
    /// Whether the upload is deleted from the server instead of continued.
    package var isTerminated = false

    package init(_ resumption: UploadProtocol?) {
        self.resumption = resumption
    }
}

/// A protocol for resumable uploads: the headers of its requests.
package enum UploadProtocol: String, CaseIterable, Sendable {
    /// tus 1.0.0, with its extensions "creation" and "termination".
    case tus
    /// draft-ietf-httpbis-resumable-upload.
    case ietf

    /// The methods with which an upload can be created.
    package var methods: [String] {
        switch self {
        case .tus: ["POST"]
        case .ietf: ["POST", "PUT", "PATCH"]
        }
    }

    /// Tells the server which version of the protocol a request uses.
    private var version: HeaderField {
        switch self {
        case .tus: HeaderField(name: "Tus-Resumable", value: "1.0.0")
        case .ietf: HeaderField(name: "Upload-Draft-Interop-Version", value: "8")
        }
    }

    /// Returns the headers of the request for a step, beside the headers of all requests of the
    /// upload.
    ///
    /// - Parameters:
    ///   - length: The length of the whole resource.
    ///   - metadata: `Upload-Metadata` of tus.
    package func headers(
        _ step: UploadMachine.Step, length: Int64, metadata: String
    ) -> [HeaderField] {
        var headers = [version]
        switch (self, step) {
        case (.tus, .create):
            headers.append(HeaderField(name: "Upload-Length", value: String(length)))
            headers.append(HeaderField(name: "Upload-Metadata", value: metadata))
        case (.ietf, .create):
            headers.append(HeaderField(name: "Upload-Length", value: String(length)))
            headers.append(HeaderField(name: "Upload-Complete", value: "?0"))
        case (.tus, .send(let range)):
            headers.append(HeaderField(name: "Upload-Offset", value: String(range.lowerBound)))
            headers.append(
                HeaderField(name: "Content-Type", value: "application/offset+octet-stream"))
        case (.ietf, .send(let range)):
            let isLast = range.upperBound == length
            headers.append(HeaderField(name: "Upload-Offset", value: String(range.lowerBound)))
            headers.append(HeaderField(name: "Upload-Complete", value: isLast ? "?1" : "?0"))
            headers.append(HeaderField(name: "Content-Type", value: "application/partial-upload"))
        case (_, .askOffset), (_, .terminate):
            break
        }
        return headers
    }

    /// Returns the value of `Upload-Metadata`, which describes a resource.
    package static func metadata(of resource: Resource) -> String {
        var pairs = [("filetype", resource.mediaType)]
        if let name = resource.name { pairs.insert(("filename", name), at: 0) }
        return pairs.map { "\($0.0) \(Base64.encode(Array($0.1.utf8)))" }.joined(separator: ",")
    }
}

/// An answer to a request of a resumable upload.
package struct UploadAnswer: Equatable, Sendable {
    package var status: Int
    /// The URL of a new upload.
    package var location: String?
    /// How many bytes the server has.
    package var offset: Int64?
    /// Whether the server states an offset that is no number, or several different ones.
    package var hasUnusableOffset = false
    /// How long the server expects the resource to be.
    package var length: Int64?
    /// Whether the server says that the upload is complete. Servers with tus do not say it.
    package var isComplete: Bool?

    package init(status: Int) {
        self.status = status
    }

    /// - Parameter location: The absolute URL to which the answer leads.
    package init(_ head: ResponseHead, location: String?) {
        status = head.status
        self.location = location
        let headers = head.headers
        offset = headers.single("Upload-Offset").flatMap { Headers.wholeNumber($0[...]) }
        hasUnusableOffset = offset == nil && headers[first: "Upload-Offset"] != nil
        length = headers.single("Upload-Length").flatMap { Headers.wholeNumber($0[...]) }
        switch headers.single("Upload-Complete") {
        case "?1": isComplete = true
        case "?0": isComplete = false
        default: break
        }
    }

    package var isSuccess: Bool { (200..<300).contains(status) }
}
