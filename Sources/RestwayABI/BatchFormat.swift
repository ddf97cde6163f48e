public import CRestway
import RestwayBatch
import RestwayCalls
import RestwayClient
import RestwayHTTP
import RestwayOutcome
import RestwayThreads

/// The requests of a batch, as an encode function sees them, and the body that the function makes
/// of them.
///
/// `@unchecked Sendable`: only one thread uses it, while the question is asked.
final class BatchWriterHandle: TextLender, @unchecked Sendable {
    let items: [BatchItem]
    let texts = LentTexts()
    var body: BatchBody?
    let generation = ProcessGeneration.current

    init(_ items: [BatchItem]) {
        self.items = items
    }

    func item(_ index: Int) -> BatchItem? { items.at(index) }

    func header(_ index: Int, _ header: Int) -> HeaderField? {
        item(index)?.headers.at(header)
    }
}

/// The answer to a batch, as a decode function sees it, and the answers that the function makes of
/// it.
///
/// `@unchecked Sendable`: only one thread uses it, while the question is asked.
final class BatchReaderHandle: TextLender, @unchecked Sendable {
    let body: BatchBody
    let texts = LentTexts()
    /// An error stands for an answer that cannot be read.
    var answers: [Result<BatchAnswer, BatchError>?]
    let generation = ProcessGeneration.current

    init(_ body: BatchBody, count: Int) {
        self.body = body
        answers = Array(repeating: nil, count: count)
    }

    func check(_ index: Int) throws(Failure) {
        guard answers.indices.contains(index) else {
            throw Argument.wrong(
                "index", "index \(index) is out of range: there are \(answers.count) requests")
        }
    }
}

// The formats of batch.h

@_cdecl("restway_batch_writer_count") @implementation
public func restway_batch_writer_count(_ writer: InHandle) -> Int {
    BatchWriterHandle.object(writer)?.items.count ?? 0
}

@_cdecl("restway_batch_writer_method") @implementation
public func restway_batch_writer_method(_ writer: InHandle, _ index: Int) -> CString! {
    BatchWriterHandle.text(writer, "\(index) method") { $0.item(index)?.method }
}

@_cdecl("restway_batch_writer_uri") @implementation
public func restway_batch_writer_uri(_ writer: InHandle, _ index: Int) -> CString! {
    BatchWriterHandle.text(writer, "\(index) uri") { $0.item(index)?.uri }
}

@_cdecl("restway_batch_writer_body") @implementation
public func restway_batch_writer_body(
    _ writer: InHandle, _ index: Int, _ outLength: Out<Int>?
) -> UnsafeRawPointer! {
    BatchWriterHandle.bytes(writer, outLength) { $0.item(index)?.body }
}

@_cdecl("restway_batch_writer_header_count") @implementation
public func restway_batch_writer_header_count(_ writer: InHandle, _ index: Int) -> Int {
    BatchWriterHandle.object(writer)?.item(index)?.headers.count ?? 0
}

@_cdecl("restway_batch_writer_header_name") @implementation
public func restway_batch_writer_header_name(
    _ writer: InHandle, _ index: Int, _ header: Int
) -> CString! {
    BatchWriterHandle.text(writer, "\(index) name \(header)") { $0.header(index, header)?.name }
}

@_cdecl("restway_batch_writer_header_value") @implementation
public func restway_batch_writer_header_value(
    _ writer: InHandle, _ index: Int, _ header: Int
) -> CString! {
    BatchWriterHandle.text(writer, "\(index) value \(header)") { $0.header(index, header)?.value }
}

@_cdecl("restway_batch_writer_set_body") @implementation
public func restway_batch_writer_set_body(
    _ writer: InHandle, _ body: UnsafeRawPointer?, _ length: Int, _ mediaType: CString?,
    _ outError: OutHandle?
) -> restway_status {
    BatchWriterHandle.using(writer, outError) { writer throws(Failure) in
        let bytes = Array(try Argument.bytes(body, length, "body"))
        writer.body = BatchBody(bytes, mediaType: try Argument.mediaType(mediaType))
    }
}

@_cdecl("restway_batch_reader_count") @implementation
public func restway_batch_reader_count(_ reader: InHandle) -> Int {
    BatchReaderHandle.object(reader)?.answers.count ?? 0
}

@_cdecl("restway_batch_reader_body") @implementation
public func restway_batch_reader_body(
    _ reader: InHandle, _ outLength: Out<Int>?
) -> UnsafeRawPointer! {
    BatchReaderHandle.bytes(reader, outLength) { $0.body.bytes }
}

@_cdecl("restway_batch_reader_media_type") @implementation
public func restway_batch_reader_media_type(_ reader: InHandle) -> CString! {
    BatchReaderHandle.text(reader, "type") { $0.body.mediaType }
}

@_cdecl("restway_batch_reader_set_answer") @implementation
public func restway_batch_reader_set_answer(
    _ reader: InHandle, _ index: Int, _ code: Int32, _ body: UnsafeRawPointer?, _ length: Int,
    _ outError: OutHandle?
) -> restway_status {
    BatchReaderHandle.using(reader, outError) { reader throws(Failure) in
        try reader.check(index)
        guard BatchAnswer.codes.contains(Int(code)) else {
            let why = "code is \(code); a final answer has 200 to 599"
            if reader.answers[index] == nil {
                reader.answers[index] = .failure(
                    BatchError("[\(index)].\(why)", field: "[\(index)].code"))
            }
            throw Argument.wrong("code", why)
        }
        reader.answers[index] = .success(
            BatchAnswer(code: Int(code), body: Array(try Argument.bytes(body, length, "body"))))
    }
}

@_cdecl("restway_batch_reader_add_header") @implementation
public func restway_batch_reader_add_header(
    _ reader: InHandle, _ index: Int, _ name: CString?, _ value: CString?, _ outError: OutHandle?
) -> restway_status {
    BatchReaderHandle.using(reader, outError) { reader throws(Failure) in
        try reader.check(index)
        let name = try Argument.headerName(name)
        let value = try Argument.string(value, "value")
        guard let field = HeaderField(received: name, value) else {
            try Argument.headerValue(value, "the value of header \(name)")
            return
        }
        guard case .success(var answer) = reader.answers[index] else {
            throw Argument.wrong("index", "answer \(index) was not set")
        }
        answer.headers.append(field)
        reader.answers[index] = .success(answer)
    }
}

@_cdecl("restway_client_set_batch_format") @implementation
public func restway_client_set_batch_format(
    _ client: InHandle, _ encode: restway_batch_encode_fn?, _ decode: restway_batch_decode_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
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

/// A batch format made of C functions. Its context ends when nothing uses the format any more.
struct HostBatchFormat: BatchFormat {
    let encode: restway_batch_encode_fn
    let decode: restway_batch_decode_fn
    let context: HostContext

    var takesBinaryBodies: Bool { true }

    func encode(_ items: [BatchItem]) throws(BatchError) -> BatchBody {
        let writer = BatchWriterHandle(items)
        try ask { answer in Handle.lending(writer) { encode(context.pointer, $0, answer) } }
        guard let body = writer.body else { throw BatchError("the encode function set no body") }
        return body
    }

    func decode(
        _ body: BatchBody, count: Int
    ) throws(BatchError) -> [Result<BatchAnswer, BatchError>] {
        let reader = BatchReaderHandle(body, count: count)
        try ask { answer in Handle.lending(reader) { decode(context.pointer, $0, answer) } }
        if reader.answers.allSatisfy({ $0 == nil }) {
            throw BatchError("the decode function set no answer to request 0")
        }
        return reader.answers.enumerated().map { index, answer in
            answer
                ?? .failure(
                    BatchError(
                        "the decode function set no answer to request \(index)", isMissing: true))
        }
    }

    private func ask(_ function: (OpaquePointer) -> restway_status) throws(BatchError) {
        if let refusal = Question.ask(function) {
            throw BatchError(refusal.reason, cause: refusal.cause)
        }
    }
}
