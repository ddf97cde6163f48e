import RestwayCalls
import RestwayOutcome

public import CRestway

// body.h

@_cdecl("restway_body_reader_init") @implementation
public func restway_body_reader_init(
    _ reader: UnsafeMutablePointer<restway_body_reader>?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let reader = try Argument.out(reader, "reader")
        try SizedOptions.initialize(
            reader, size: size, sizeMin: BodyReading.structSizeMin, "reader")
    }
}

@_cdecl("restway_request_set_body_reader") @implementation
public func restway_request_set_body_reader(
    _ request: OpaquePointer?, _ reader: UnsafePointer<restway_body_reader>?, _ length: Int64,
    _ mediaType: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let request = try Argument.handle(RequestHandle.self, request, "request")
        guard let reader else { throw Argument.null("reader") }
        let functions = try SizedOptions.read(
            reader, zero: restway_body_reader(), sizeMin: BodyReading.structSizeMin, "reader")
        guard let read = functions.read else { throw Argument.null("reader.read") }
        guard length >= -1 else {
            throw Failure(.invalidArgument, "length is out of range: \(length)", field: "length")
        }
        let mediaType = try Argument.nonEmptyString(mediaType, "media_type")
        try Argument.headerValue(mediaType, "media_type")
        let context = HostContext(functions.context, functions.destroy)
        let body = BodyReading.reader(read, functions.rewind, length: length, context)
        request.set(.init(reader: body, mediaType: mediaType))
    }
}
