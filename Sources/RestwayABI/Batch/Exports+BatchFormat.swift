import RestwayBatch
import RestwayClient
import RestwayHTTP
import RestwayOutcome

public import CRestway

// The formats of batch.h

@_cdecl("restway_batch_writer_count") @implementation
public func restway_batch_writer_count(_ writer: OpaquePointer?) -> Int {
    Handle.object(BatchWriterHandle.self, writer)?.items.count ?? 0
}

@_cdecl("restway_batch_writer_method") @implementation
public func restway_batch_writer_method(
    _ writer: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    guard let writer = Handle.object(BatchWriterHandle.self, writer) else { return nil }
    return writer.texts.pointer("\(index) method") { writer.item(index)?.method }
}

@_cdecl("restway_batch_writer_uri") @implementation
public func restway_batch_writer_uri(
    _ writer: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    guard let writer = Handle.object(BatchWriterHandle.self, writer) else { return nil }
    return writer.texts.pointer("\(index) uri") { writer.item(index)?.uri }
}

@_cdecl("restway_batch_writer_body") @implementation
public func restway_batch_writer_body(
    _ writer: OpaquePointer?, _ index: Int, _ outLength: UnsafeMutablePointer<Int>?
) -> UnsafeRawPointer! {
    outLength?.pointee = 0
    guard let writer = Handle.object(BatchWriterHandle.self, writer),
        let body = writer.item(index)?.body
    else { return nil }
    outLength?.pointee = body.count
    // The handle keeps the array, which nothing changes. An empty array may have no address.
    let empty = UnsafeRawPointer(Handle.lend(writer))
    return body.withUnsafeBytes { $0.baseAddress } ?? empty
}

@_cdecl("restway_batch_writer_header_count") @implementation
public func restway_batch_writer_header_count(_ writer: OpaquePointer?, _ index: Int) -> Int {
    Handle.object(BatchWriterHandle.self, writer)?.item(index)?.headers.count ?? 0
}

@_cdecl("restway_batch_writer_header_name") @implementation
public func restway_batch_writer_header_name(
    _ writer: OpaquePointer?, _ index: Int, _ header: Int
) -> UnsafePointer<CChar>! {
    guard let writer = Handle.object(BatchWriterHandle.self, writer) else { return nil }
    return writer.texts.pointer("\(index) name \(header)") { writer.header(index, header)?.name }
}

@_cdecl("restway_batch_writer_header_value") @implementation
public func restway_batch_writer_header_value(
    _ writer: OpaquePointer?, _ index: Int, _ header: Int
) -> UnsafePointer<CChar>! {
    guard let writer = Handle.object(BatchWriterHandle.self, writer) else { return nil }
    return writer.texts.pointer("\(index) value \(header)") { writer.header(index, header)?.value }
}

@_cdecl("restway_batch_writer_set_body") @implementation
public func restway_batch_writer_set_body(
    _ writer: OpaquePointer?, _ body: UnsafeRawPointer?, _ length: Int,
    _ mediaType: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let writer = try Argument.handle(BatchWriterHandle.self, writer, "writer")
        let bytes = Array(try Argument.bytes(body, length, "body"))
        let mediaType = try Argument.nonEmptyString(mediaType, "media_type")
        try Argument.headerValue(mediaType, "media_type")
        writer.body = BatchBody(bytes, mediaType: mediaType)
    }
}

@_cdecl("restway_batch_reader_count") @implementation
public func restway_batch_reader_count(_ reader: OpaquePointer?) -> Int {
    Handle.object(BatchReaderHandle.self, reader)?.answers.count ?? 0
}

@_cdecl("restway_batch_reader_body") @implementation
public func restway_batch_reader_body(
    _ reader: OpaquePointer?, _ outLength: UnsafeMutablePointer<Int>?
) -> UnsafeRawPointer! {
    outLength?.pointee = 0
    guard let reader = Handle.object(BatchReaderHandle.self, reader) else { return nil }
    outLength?.pointee = reader.body.bytes.count
    // The handle keeps the array, which nothing changes. An empty array may have no address.
    let empty = UnsafeRawPointer(Handle.lend(reader))
    return reader.body.bytes.withUnsafeBytes { $0.baseAddress } ?? empty
}

@_cdecl("restway_batch_reader_media_type") @implementation
public func restway_batch_reader_media_type(_ reader: OpaquePointer?) -> UnsafePointer<CChar>! {
    guard let reader = Handle.object(BatchReaderHandle.self, reader) else { return nil }
    return reader.texts.pointer("type") { reader.body.mediaType }
}

@_cdecl("restway_batch_reader_set_answer") @implementation
public func restway_batch_reader_set_answer(
    _ reader: OpaquePointer?, _ index: Int, _ code: Int32, _ body: UnsafeRawPointer?,
    _ length: Int, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let reader = try Argument.handle(BatchReaderHandle.self, reader, "reader")
        try reader.check(index)
        guard BatchAnswer.codes.contains(Int(code)) else {
            throw Failure(
                .invalidArgument, "code is \(code); a final answer has 200 to 599", field: "code")
        }
        reader.answers[index] = BatchAnswer(
            code: Int(code), body: Array(try Argument.bytes(body, length, "body")))
    }
}

@_cdecl("restway_batch_reader_add_header") @implementation
public func restway_batch_reader_add_header(
    _ reader: OpaquePointer?, _ index: Int, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let reader = try Argument.handle(BatchReaderHandle.self, reader, "reader")
        try reader.check(index)
        let name = try Argument.string(name, "name")
        guard Headers.isValidName(name) else {
            throw Failure(
                .invalidArgument, "name is not a header name (RFC 9110, section 5.1)",
                field: "name")
        }
        let value = try Argument.string(value, "value")
        try Argument.headerValue(value, "the value of header \(name)")
        guard reader.answers[index] != nil else {
            throw Failure(.invalidArgument, "answer \(index) was not set", field: "index")
        }
        reader.answers[index]?.headers.append(HeaderField(name: name, value: value))
    }
}

@_cdecl("restway_client_set_batch_format") @implementation
public func restway_client_set_batch_format(
    _ client: OpaquePointer?, _ encode: restway_batch_encode_fn?,
    _ decode: restway_batch_decode_fn?, _ context: UnsafeMutableRawPointer?,
    _ destroy: restway_destroy_fn?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    HostContext.setting(client, context, destroy, outError) { client, context throws(Failure) in
        switch (encode, decode) {
        case (nil, nil): try client.batches.setFormat(nil)
        case (let encode?, let decode?):
            try client.batches.setFormat(
                HostBatchFormat(encode: encode, decode: decode, context: context))
        case (nil, _): throw Argument.null("encode")
        case (_, nil): throw Argument.null("decode")
        }
    }
}

extension BatchWriterHandle {
    fileprivate func header(_ index: Int, _ header: Int) -> HeaderField? {
        guard let headers = item(index)?.headers, headers.indices.contains(header) else {
            return nil
        }
        return headers[header]
    }
}

extension BatchReaderHandle {
    fileprivate func check(_ index: Int) throws(Failure) {
        guard answers.indices.contains(index) else {
            throw Failure(
                .invalidArgument,
                "index \(index) is out of range: there are \(answers.count) requests",
                field: "index")
        }
    }
}
