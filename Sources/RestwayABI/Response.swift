public import CRestway
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayThreads
import Synchronization

/// A response with the texts that were read from it.
final class ResponseHandle: TextLender, Sendable {
    let response: Response
    /// The texts are made at their first use, because most programs do not read them.
    private let lentTexts = AtomicLazyReference<LentTexts>()
    private let bodyText = AtomicLazyReference<ConvertedText>()
    private let jsonText = AtomicLazyReference<ConvertedText>()
    /// The text or the bytes of the value that a parser of the program has made.
    private let madeText = AtomicLazyReference<ConvertedText>()
    let generation = ProcessGeneration.current

    init(_ response: Response) {
        self.response = response
    }

    var texts: LentTexts { lentTexts.load() ?? lentTexts.storeIfNil(LentTexts()) }

    /// Returns the body as UTF-8. The first call converts the body.
    func text() throws(Failure) -> ConvertedText {
        if let text = bodyText.load() { return text }
        let type = response.headers[first: "Content-Type"] ?? ""
        let body = response.bodyWithNUL
        let converted: Result<[UInt8], UnknownCharset> = body.withUnsafeBytes { bytes in
            Result { () throws(UnknownCharset) in
                try BodyText.utf8(.init(rebasing: bytes.dropLast()), contentType: type)
            }
        }
        switch converted {
        case .success(let bytes): return bodyText.storeIfNil(ConvertedText(bytes))
        case .failure(let error):
            throw Failure(
                .mapping, "the charset \"\(error.name)\" of the body is not known",
                field: "Content-Type")
        }
    }

    /// Returns the body as JSON text; `nil` if it is not JSON. The first call converts the body, if
    /// that is needed.
    var json: ConvertedText? {
        if let text = jsonText.load() { return text }
        return response.jsonText.map { jsonText.storeIfNil(ConvertedText($0)) }
    }

    /// Returns the text or the bytes of a value for C. The first call copies them.
    func made(_ bytes: @autoclosure () -> [UInt8]) -> ConvertedText {
        madeText.load() ?? madeText.storeIfNil(ConvertedText(bytes()))
    }

    func header(_ index: Int) -> HeaderField? { response.headers.fields.at(index) }
    func trailer(_ index: Int) -> HeaderField? { response.trailers.fields.at(index) }

    /// The body, followed by a NUL. An array that is kept and never changed does not move, and
    /// because of the NUL it is never empty.
    var bodyStart: UnsafePointer<UInt8> {
        response.bodyWithNUL.withUnsafeBufferPointer { $0.baseAddress! }
    }
}

/// A text in UTF-8 with a NUL after it, which lives as long as this object and does not move.
final class ConvertedText: Sendable {
    private let bytesAndNUL: [UInt8]

    init(_ bytes: [UInt8]) {
        bytesAndNUL = bytes + [0]
    }

    /// Shares the bytes of `body`.
    init(_ body: Body) {
        bytesAndNUL = body.bytesAndNUL
    }

    var count: Int { bytesAndNUL.count - 1 }
    var bytes: ArraySlice<UInt8> { bytesAndNUL.dropLast() }
    var start: CString {
        bytesAndNUL.withUnsafeBytes { $0.baseAddress!.assumingMemoryBound(to: CChar.self) }
    }
}

// response.h

@_cdecl("restway_response_status") @implementation
public func restway_response_status(_ response: InHandle) -> Int32 {
    Int32(clamping: ResponseHandle.object(response)?.response.status ?? 0)
}

@_cdecl("restway_response_http_version") @implementation
public func restway_response_http_version(_ response: InHandle) -> Int32 {
    ResponseHandle.object(response)?.response.httpVersion?.rawValue ?? 0
}

@_cdecl("restway_response_url") @implementation
public func restway_response_url(_ response: InHandle) -> CString! {
    ResponseHandle.text(response, "url") { $0.response.url }
}

@_cdecl("restway_response_location") @implementation
public func restway_response_location(_ response: InHandle) -> CString! {
    ResponseHandle.text(response, "location") { $0.response.location }
}

@_cdecl("restway_response_header") @implementation
public func restway_response_header(_ response: InHandle, _ name: CString?) -> CString! {
    ResponseHandle.header(response, name) { $0.response.headers }
}

@_cdecl("restway_response_timings") @implementation
public func restway_response_timings(
    _ response: InHandle, _ timings: Out<restway_timings>?, _ outError: OutHandle?
) -> restway_status {
    ResponseHandle.using(response, outError) { handle throws(Failure) in
        try SizedStructs.timings.write(handle.response.timings.c, to: timings)
    }
}

@_cdecl("restway_response_header_count") @implementation
public func restway_response_header_count(_ response: InHandle) -> Int {
    ResponseHandle.object(response)?.response.headers.fields.count ?? 0
}

@_cdecl("restway_response_header_name") @implementation
public func restway_response_header_name(_ response: InHandle, _ index: Int) -> CString! {
    ResponseHandle.text(response, "name \(index)") { $0.header(index)?.name }
}

@_cdecl("restway_response_header_value") @implementation
public func restway_response_header_value(_ response: InHandle, _ index: Int) -> CString! {
    ResponseHandle.text(response, "value \(index)") { $0.header(index)?.value }
}

@_cdecl("restway_response_trailer") @implementation
public func restway_response_trailer(_ response: InHandle, _ name: CString?) -> CString! {
    ResponseHandle.header(response, name, key: "trailers") { $0.response.trailers }
}

@_cdecl("restway_response_trailer_count") @implementation
public func restway_response_trailer_count(_ response: InHandle) -> Int {
    ResponseHandle.object(response)?.response.trailers.fields.count ?? 0
}

@_cdecl("restway_response_trailer_name") @implementation
public func restway_response_trailer_name(_ response: InHandle, _ index: Int) -> CString! {
    ResponseHandle.text(response, "trailer name \(index)") { $0.trailer(index)?.name }
}

@_cdecl("restway_response_trailer_value") @implementation
public func restway_response_trailer_value(_ response: InHandle, _ index: Int) -> CString! {
    ResponseHandle.text(response, "trailer value \(index)") { $0.trailer(index)?.value }
}

@_cdecl("restway_response_body") @implementation
public func restway_response_body(
    _ response: InHandle, _ outLength: Out<Int>?
) -> UnsafeRawPointer! {
    let handle = ResponseHandle.object(response)
    outLength?.pointee = handle?.response.bodyCount ?? 0
    return handle.map { UnsafeRawPointer($0.bodyStart) }
}

@_cdecl("restway_response_json") @implementation
public func restway_response_json(_ response: InHandle, _ outLength: Out<Int>?) -> CString! {
    outLength?.pointee = 0
    guard let text = ResponseHandle.object(response)?.json else { return nil }
    outLength?.pointee = text.count
    return text.start
}

@_cdecl("restway_response_text") @implementation
public func restway_response_text(
    _ response: InHandle, _ outText: Out<CString?>?, _ outLength: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    outText?.pointee = nil
    outLength?.pointee = 0
    return ResponseHandle.using(response, outError) { response throws(Failure) in
        _ = try Argument.out(outText, "out_text")
        let text = try response.text()
        outText?.pointee = text.start
        outLength?.pointee = text.count
    }
}

@_cdecl("restway_response_is_mapped") @implementation
public func restway_response_is_mapped(_ response: InHandle) -> Int32 {
    ResponseHandle.object(response)?.response.isMapped ?? false ? 1 : 0
}

@_cdecl("restway_response_object_count") @implementation
public func restway_response_object_count(_ response: InHandle) -> Int {
    ResponseHandle.object(response)?.response.objects.count ?? 0
}

@_cdecl("restway_response_object") @implementation
public func restway_response_object(_ response: InHandle, _ index: Int) -> OpaquePointer! {
    ResponseHandle.object(response)?.response.objects.at(index).map(Handle.lend)
}

@_cdecl("restway_response_read") @implementation
public func restway_response_read(
    _ response: InHandle, _ index: Int, _ outValues: Out<restway_value>?, _ capacity: Int,
    _ outCount: Out<Int>?, _ outEntity: Out<CString?>?, _ outObject: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    outCount?.pointee = 0
    outEntity?.pointee = nil
    outObject?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        try Argument.fill(outValues, capacity) { values throws(Failure) in
            let handle = try ResponseHandle.argument(response)
            let outObject = try Argument.out(outObject, "out_object")
            guard let object = handle.response.objects.at(index) else { return }
            let count = object.entity.attributes.count
            if let values { try object.read(nil, min(count, capacity), into: values) }
            outCount?.pointee = count
            outEntity?.pointee = object.entity.nameCString
            outObject.pointee = Handle.give(object)
        }
    }
}

@_cdecl("restway_response_list") @implementation
public func restway_response_list(_ response: InHandle) -> OpaquePointer! {
    ResponseHandle.object(response).map { Handle.give(ListHandle($0.response.objects)) }
}

@_cdecl("restway_response_result_count") @implementation
public func restway_response_result_count(_ response: InHandle) -> Int {
    ResponseHandle.object(response)?.response.results.count ?? 0
}

@_cdecl("restway_response_result") @implementation
public func restway_response_result(
    _ response: InHandle, _ index: Int, _ outFirst: Out<Int>?, _ outCount: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    outFirst?.pointee = 0
    outCount?.pointee = 0
    return ResponseHandle.using(response, outError) { handle throws(Failure) in
        let outFirst = try Argument.out(outFirst, "out_first")
        let outCount = try Argument.out(outCount, "out_count")
        let results = handle.response.results
        guard let result = results.at(index) else {
            throw Argument.wrong("index", "index is \(index), there are \(results.count) results")
        }
        outFirst.pointee = result.lowerBound
        outCount.pointee = result.count
    }
}

@_cdecl("restway_response_issue_count") @implementation
public func restway_response_issue_count(_ response: InHandle) -> Int {
    ResponseHandle.object(response)?.response.issueCount ?? 0
}

@_cdecl("restway_response_issue_key_path") @implementation
public func restway_response_issue_key_path(_ response: InHandle, _ index: Int) -> CString! {
    ResponseHandle.text(response, "issue at \(index)") { $0.response.issues.at(index)?.keyPath }
}

@_cdecl("restway_response_issue_reason") @implementation
public func restway_response_issue_reason(_ response: InHandle, _ index: Int) -> CString! {
    ResponseHandle.text(response, "issue \(index)") { $0.response.issues.at(index)?.reason }
}

/// Writes timings to a struct of the header.
extension CallTimings {
    var c: restway_timings {
        restway_timings(
            struct_size: MemoryLayout<restway_timings>.size, queued_microseconds: queued ?? -1,
            name_lookup_microseconds: nameLookup ?? -1, connect_microseconds: connect ?? -1,
            tls_microseconds: tls ?? -1, first_byte_microseconds: firstByte ?? -1,
            exchange_microseconds: exchange ?? -1, decode_microseconds: decode ?? -1,
            map_microseconds: map ?? -1, total_microseconds: total ?? -1,
            store_microseconds: store ?? -1)
    }
}
