public import FoundationEssentials
import RestwayBodies
import RestwayCalls
import RestwayHTTP
import RestwayOutcome

/// Bytes, a file or a descriptor that is sent as a body, or as a file in a multipart body.
///
///     let film = Resource.file("film.mp4")
///     try await client.put("films/7", body: .resource(film))
///
/// A resource never changes, but its file may.
public struct Resource: Sendable {
    let core: RestwayHTTP.Resource

    private init(_ content: RestwayHTTP.Resource.Content, _ name: String?, _ mediaType: String?) {
        core = RestwayHTTP.Resource(content, name: name, mediaType: mediaType)
    }

    /// A file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - name: The name in a multipart body; `nil` for the last part of the path.
    ///   - mediaType: `nil` for the media type that the system knows for the name.
    public static func file(
        _ path: String, name: String? = nil, mediaType: String? = nil
    ) -> Resource {
        Resource(.file(path: path), name, mediaType)
    }

    /// Bytes.
    public static func data(
        _ data: Data, name: String? = nil, mediaType: String? = nil
    ) -> Resource {
        Resource(.bytes(Array(data)), name, mediaType)
    }

    /// A descriptor that is open for reading. The library uses a duplicate of it.
    ///
    /// - Parameter offset: Where a regular file begins; `nil` for its present offset. A pipe or a
    ///   socket has no offset, and is sent once.
    public static func descriptor(
        _ descriptor: Int32, offset: Int64? = nil, name: String? = nil, mediaType: String? = nil
    ) throws(RestwayError) -> Resource {
        let duplicate = try reading { () throws(ResourceError) in
            try ResourceDescriptor(duplicating: descriptor, offset: offset ?? -1)
        }
        return Resource(.descriptor(duplicate), name, mediaType)
    }

    /// The name of the file in a multipart body.
    public var name: String? { core.name }

    /// The media type that is sent with the bytes.
    public var mediaType: String { core.mediaType }

    /// The number of bytes now; `nil` if it is not known before the end. It asks the file system.
    public func length() throws(RestwayError) -> Int64? {
        try Self.reading { () throws(ResourceError) in try core.extent().length }
    }

    /// A function that makes a digest.
    public enum DigestAlgorithm: Sendable {
        case md5, sha256
    }

    /// The digest of the present bytes. It reads the whole file.
    public func digest(_ algorithm: DigestAlgorithm) throws(RestwayError) -> Data {
        let bytes = try Self.reading { () throws(ResourceError) in
            switch algorithm {
            case .md5: try core.digest(.md5)
            case .sha256: try core.digest(.sha256)
            }
        }
        return Data(bytes)
    }

    private static func reading<Value>(
        _ read: () throws(ResourceError) -> Value
    ) throws(RestwayError) -> Value {
        do throws(ResourceError) {
            return try read()
        } catch {
            throw RestwayError(Failure(error))
        }
    }
}

/// The protocol by which the upload of a large resource goes on after a failure.
public enum UploadProtocol: Sendable {
    /// tus 1.0.0.
    case tus
    /// draft-ietf-httpbis-resumable-upload.
    case ietf
    /// One request sends the resource, whatever its route says.
    case plain

    var core: RestwayHTTP.UploadProtocol? {
        switch self {
        case .tus: .tus
        case .ietf: .ietf
        case .plain: nil
        }
    }
}

/// A header with the digest of a resource.
public enum DigestHeader: Sendable {
    /// `Content-MD5` (RFC 1864).
    case contentMD5
    /// `Digest` (RFC 3230).
    case digest
    /// `Repr-Digest` (RFC 9530).
    case reprDigest

    var core: DigestHeaders {
        switch self {
        case .contentMD5: .contentMD5
        case .digest: .digest
        case .reprDigest: .reprDigest
        }
    }
}
