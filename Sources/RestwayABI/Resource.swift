public import CRestway
import RestwayBodies
import RestwayCalls
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// A resource of the program, with its texts for C.
final class ResourceHandle: TextLender, Sendable {
    let resource: Resource
    let texts = LentTexts()
    let generation = ProcessGeneration.current

    init(_ content: Resource.Content, name: String?, mediaType: CString?) throws(Failure) {
        let mediaType = mediaType == nil ? nil : try Argument.mediaType(mediaType)
        resource = Resource(content, name: name, mediaType: mediaType)
    }
}

extension ResourceHandle: ArgumentObject {
    static let parameter = "resource"
    var content: Resource { resource }
}

// resource.h

@_cdecl("restway_resource_create_bytes") @implementation
public func restway_resource_create_bytes(
    _ bytes: UnsafeRawPointer?, _ length: Int, _ name: CString?, _ mediaType: CString?,
    _ outResource: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outResource, outError, "out_resource") { () throws(Failure) in
        let bytes = Array(try Argument.bytes(bytes, length, "bytes"))
        let name = try Argument.optionalString(name, "name")
        return try ResourceHandle(.bytes(bytes), name: name, mediaType: mediaType)
    }
}

@_cdecl("restway_resource_create_file") @implementation
public func restway_resource_create_file(
    _ path: CString?, _ name: CString?, _ mediaType: CString?, _ outResource: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outResource, outError, "out_resource") { () throws(Failure) in
        let path = try Argument.nonEmptyString(path, "path")
        let name = try Argument.optionalString(name, "name")
        return try ResourceHandle(.file(path: path), name: name, mediaType: mediaType)
    }
}

@_cdecl("restway_resource_create_descriptor") @implementation
public func restway_resource_create_descriptor(
    _ descriptor: Int32, _ offset: Int64, _ name: CString?, _ mediaType: CString?,
    _ outResource: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outResource, outError, "out_resource") { () throws(Failure) in
        try Argument.minusOneOrMore(offset, "offset")
        let name = try Argument.optionalString(name, "name")
        let duplicate = try ResourceHandle.reading { () throws(ResourceError) in
            try ResourceDescriptor(duplicating: descriptor, offset: offset)
        }
        return try ResourceHandle(.descriptor(duplicate), name: name, mediaType: mediaType)
    }
}

@_cdecl("restway_resource_name") @implementation
public func restway_resource_name(_ resource: InHandle) -> CString! {
    ResourceHandle.text(resource, "name") { $0.resource.name }
}

@_cdecl("restway_resource_media_type") @implementation
public func restway_resource_media_type(_ resource: InHandle) -> CString! {
    ResourceHandle.text(resource, "media type") { $0.resource.mediaType }
}

@_cdecl("restway_resource_length") @implementation
public func restway_resource_length(
    _ resource: InHandle, _ outLength: Out<Int64>?, _ outError: OutHandle?
) -> restway_status {
    ResourceHandle.writing(resource, outLength, 0, outError, "out_length") {
        resource throws(Failure) in
        try ResourceHandle.reading { () throws(ResourceError) in
            try resource.extent().length ?? -1
        }
    }
}

@_cdecl("restway_resource_digest") @implementation
public func restway_resource_digest(
    _ resource: InHandle, _ algorithm: restway_digest, _ buffer: UnsafeMutableRawPointer?,
    _ capacity: Int, _ outLength: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    outLength?.pointee = 0
    return ResourceHandle.using(resource, outError) { resource throws(Failure) in
        let algorithm = try DigestAlgorithm(algorithm)
        let room = try Argument.bytes(buffer, capacity, "buffer")
        guard capacity >= algorithm.byteCount else {
            throw Argument.wrong(
                "capacity",
                "the digest has \(algorithm.byteCount) bytes, and buffer only \(room.count)")
        }
        let digest = try ResourceHandle.reading { () throws(ResourceError) in
            try resource.digest(algorithm)
        }
        buffer?.copyMemory(from: digest, byteCount: digest.count)
        outLength?.pointee = digest.count
    }
}

@_cdecl("restway_request_set_resource") @implementation
public func restway_request_set_resource(
    _ request: InHandle, _ resource: InHandle, _ flags: UInt32, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.using(request, outError) { request throws(Failure) in
        let resource = try ResourceHandle.argument(resource)
        try Argument.flags(flags, known: DigestHeaders.all.rawValue)
        request.set(.init(resource: resource, digests: DigestHeaders(rawValue: flags)))
    }
}

@_cdecl("restway_request_add_file") @implementation
public func restway_request_add_file(
    _ request: InHandle, _ name: CString?, _ resource: InHandle, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        let name = try Argument.nonEmptyString(name, "name")
        let resource = try ResourceHandle.argument(resource)
        spec.given.files.append(FormFile(name: name, resource: resource))
    }
}

extension ResourceHandle {
    /// Translates the error of a resource.
    fileprivate static func reading<Result>(
        _ read: () throws(ResourceError) -> Result
    ) throws(Failure) -> Result {
        do {
            return try read()
        } catch {
            throw Failure(error)
        }
    }
}

extension DigestAlgorithm {
    fileprivate init(_ algorithm: restway_digest) throws(Failure) {
        switch algorithm {
        case .RESTWAY_DIGEST_MD5: self = .md5
        case .RESTWAY_DIGEST_SHA256: self = .sha256
        default: throw Argument.outOfRange("algorithm", Int64(algorithm.rawValue))
        }
    }
}
