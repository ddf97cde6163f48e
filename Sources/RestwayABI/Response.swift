public import CRestway
import RestwayClient
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayThreads
import Synchronization

/// A response with the texts that were read from it.
final class ResponseHandle: TextLender, Sendable {
    let response: Response
    /// The texts are made at their first use, because most programs ask for none.
    private let lentTexts = AtomicLazyReference<LentTexts>()
    let generation = ProcessGeneration.current

    init(_ response: Response) {
        self.response = response
    }

    var texts: LentTexts { lentTexts.load() ?? lentTexts.storeIfNil(LentTexts()) }

    func header(_ index: Int) -> HeaderField? { response.headers.fields.at(index) }
    func trailer(_ index: Int) -> HeaderField? { response.trailers.fields.at(index) }

    /// The body, followed by a NUL. An array that is kept and never changed does not move, and
    /// because of the NUL it is never empty.
    var bodyStart: UnsafePointer<UInt8> {
        response.bodyWithNUL.withUnsafeBufferPointer { $0.baseAddress! }
    }
}

// response.h

@_cdecl("restway_response_retain") @implementation
public func restway_response_retain(_ response: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(ResponseHandle.self, response)
}

@_cdecl("restway_response_release") @implementation
public func restway_response_release(_ response: OpaquePointer?) {
    Handle.release(ResponseHandle.self, response)
}

@_cdecl("restway_response_status") @implementation
public func restway_response_status(_ response: OpaquePointer?) -> Int32 {
    Int32(clamping: Handle.object(ResponseHandle.self, response)?.response.status ?? 0)
}

@_cdecl("restway_response_url") @implementation
public func restway_response_url(_ response: OpaquePointer?) -> CString! {
    Handle.text(ResponseHandle.self, response, "url") { $0.response.url }
}

@_cdecl("restway_response_header") @implementation
public func restway_response_header(_ response: OpaquePointer?, _ name: CString?) -> CString! {
    Handle.header(ResponseHandle.self, response, name) { $0.response.headers }
}

@_cdecl("restway_timings_init") @implementation
public func restway_timings_init(
    _ timings: Out<restway_timings>?, _ size: Int, _ outError: OutHandle?
) -> restway_status {
    SizedStructs.timings.initialize(timings, size, outError)
}

@_cdecl("restway_response_timings") @implementation
public func restway_response_timings(
    _ response: OpaquePointer?, _ timings: Out<restway_timings>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ResponseHandle.self, response, "response")
        try SizedStructs.timings.write(handle.response.timings.c, to: timings)
    }
}

@_cdecl("restway_response_header_count") @implementation
public func restway_response_header_count(_ response: OpaquePointer?) -> Int {
    Handle.object(ResponseHandle.self, response)?.response.headers.fields.count ?? 0
}

@_cdecl("restway_response_header_name") @implementation
public func restway_response_header_name(_ response: OpaquePointer?, _ index: Int) -> CString! {
    Handle.text(ResponseHandle.self, response, "name \(index)") { $0.header(index)?.name }
}

@_cdecl("restway_response_header_value") @implementation
public func restway_response_header_value(_ response: OpaquePointer?, _ index: Int) -> CString! {
    Handle.text(ResponseHandle.self, response, "value \(index)") { $0.header(index)?.value }
}

@_cdecl("restway_response_trailer") @implementation
public func restway_response_trailer(_ response: OpaquePointer?, _ name: CString?) -> CString! {
    Handle.header(ResponseHandle.self, response, name, key: "trailers") { $0.response.trailers }
}

@_cdecl("restway_response_trailer_count") @implementation
public func restway_response_trailer_count(_ response: OpaquePointer?) -> Int {
    Handle.object(ResponseHandle.self, response)?.response.trailers.fields.count ?? 0
}

@_cdecl("restway_response_trailer_name") @implementation
public func restway_response_trailer_name(_ response: OpaquePointer?, _ index: Int) -> CString! {
    Handle.text(ResponseHandle.self, response, "trailer name \(index)") { $0.trailer(index)?.name }
}

@_cdecl("restway_response_trailer_value") @implementation
public func restway_response_trailer_value(_ response: OpaquePointer?, _ index: Int) -> CString! {
    Handle.text(ResponseHandle.self, response, "trailer value \(index)") {
        $0.trailer(index)?.value
    }
}

@_cdecl("restway_response_body") @implementation
public func restway_response_body(
    _ response: OpaquePointer?, _ outLength: Out<Int>?
) -> UnsafeRawPointer! {
    let handle = Handle.object(ResponseHandle.self, response)
    outLength?.pointee = handle?.response.bodyCount ?? 0
    return handle.map { UnsafeRawPointer($0.bodyStart) }
}

@_cdecl("restway_response_json") @implementation
public func restway_response_json(_ response: OpaquePointer?, _ outLength: Out<Int>?) -> CString! {
    outLength?.pointee = 0
    guard let handle = Handle.object(ResponseHandle.self, response), handle.response.bodyIsJSON
    else { return nil }
    outLength?.pointee = handle.response.bodyCount
    return UnsafeRawPointer(handle.bodyStart).assumingMemoryBound(to: CChar.self)
}

@_cdecl("restway_response_is_mapped") @implementation
public func restway_response_is_mapped(_ response: OpaquePointer?) -> Int32 {
    Handle.object(ResponseHandle.self, response)?.response.isMapped ?? false ? 1 : 0
}

@_cdecl("restway_response_object_count") @implementation
public func restway_response_object_count(_ response: OpaquePointer?) -> Int {
    Handle.object(ResponseHandle.self, response)?.response.objects.count ?? 0
}

@_cdecl("restway_response_object") @implementation
public func restway_response_object(_ response: OpaquePointer?, _ index: Int) -> OpaquePointer! {
    Handle.object(ResponseHandle.self, response)?.response.objects.at(index).map(Handle.lend)
}

@_cdecl("restway_response_read") @implementation
public func restway_response_read(
    _ response: OpaquePointer?, _ index: Int, _ outValues: Out<restway_value>?, _ capacity: Int,
    _ outCount: Out<Int>?, _ outEntity: Out<CString?>?, _ outObject: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    outCount?.pointee = 0
    outEntity?.pointee = nil
    outObject?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        try Argument.fill(outValues, capacity) { values throws(Failure) in
            let handle = try Argument.handle(ResponseHandle.self, response, "response")
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
public func restway_response_list(_ response: OpaquePointer?) -> OpaquePointer! {
    Handle.object(ResponseHandle.self, response).map {
        Handle.give(ListHandle($0.response.objects))
    }
}

@_cdecl("restway_response_result_count") @implementation
public func restway_response_result_count(_ response: OpaquePointer?) -> Int {
    Handle.object(ResponseHandle.self, response)?.response.results.count ?? 0
}

@_cdecl("restway_response_result") @implementation
public func restway_response_result(
    _ response: OpaquePointer?, _ index: Int, _ outFirst: Out<Int>?, _ outCount: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    outFirst?.pointee = 0
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ResponseHandle.self, response, "response")
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
public func restway_response_issue_count(_ response: OpaquePointer?) -> Int {
    Handle.object(ResponseHandle.self, response)?.response.issueCount ?? 0
}

@_cdecl("restway_response_issue_key_path") @implementation
public func restway_response_issue_key_path(_ response: OpaquePointer?, _ index: Int) -> CString! {
    Handle.text(ResponseHandle.self, response, "issue at \(index)") {
        $0.response.issues.at(index)?.keyPath
    }
}

@_cdecl("restway_response_issue_reason") @implementation
public func restway_response_issue_reason(_ response: OpaquePointer?, _ index: Int) -> CString! {
    Handle.text(ResponseHandle.self, response, "issue \(index)") {
        $0.response.issues.at(index)?.reason
    }
}

/// Writes timings to a struct of the header.
extension CallTimings {
    var c: restway_timings {
        var known = restway_timings()
        known.queued_microseconds = queued ?? -1
        known.name_lookup_microseconds = nameLookup ?? -1
        known.connect_microseconds = connect ?? -1
        known.tls_microseconds = tls ?? -1
        known.first_byte_microseconds = firstByte ?? -1
        known.exchange_microseconds = exchange ?? -1
        known.decode_microseconds = decode ?? -1
        known.map_microseconds = map ?? -1
        known.total_microseconds = total ?? -1
        known.store_microseconds = store ?? -1
        return known
    }
}
