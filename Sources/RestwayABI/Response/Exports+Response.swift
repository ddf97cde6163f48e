import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome

public import CRestway

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
public func restway_response_url(_ response: OpaquePointer?) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ResponseHandle.self, response) else { return nil }
    return handle.texts.pointer("url") { handle.response.url }
}

@_cdecl("restway_response_header") @implementation
public func restway_response_header(
    _ response: OpaquePointer?, _ name: UnsafePointer<CChar>?
) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ResponseHandle.self, response),
        let name = name.flatMap({ String(validatingCString: $0) })?.lowercased()
    else { return nil }
    return handle.texts.pointer("header \(name)") { handle.response.headers.joined(name) }
}

@_cdecl("restway_timings_init") @implementation
public func restway_timings_init(
    _ timings: UnsafeMutablePointer<restway_timings>?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let timings = try Argument.out(timings, "timings")
        try SizedOptions.initialize(
            timings, size: size, sizeMin: CallTimings.structSizeMin, "timings")
    }
}

@_cdecl("restway_response_timings") @implementation
public func restway_response_timings(
    _ response: OpaquePointer?, _ timings: UnsafeMutablePointer<restway_timings>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ResponseHandle.self, response, "response")
        let timings = try Argument.out(timings, "timings")
        try handle.response.timings.write(timings)
    }
}

@_cdecl("restway_response_header_count") @implementation
public func restway_response_header_count(_ response: OpaquePointer?) -> Int {
    Handle.object(ResponseHandle.self, response)?.response.headers.fields.count ?? 0
}

@_cdecl("restway_response_header_name") @implementation
public func restway_response_header_name(
    _ response: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ResponseHandle.self, response) else { return nil }
    return handle.texts.pointer("name \(index)") {
        handle.response.headers.fields.at(index)?.name
    }
}

@_cdecl("restway_response_header_value") @implementation
public func restway_response_header_value(
    _ response: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ResponseHandle.self, response) else { return nil }
    return handle.texts.pointer("value \(index)") {
        handle.response.headers.fields.at(index)?.value
    }
}

@_cdecl("restway_response_trailer") @implementation
public func restway_response_trailer(
    _ response: OpaquePointer?, _ name: UnsafePointer<CChar>?
) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ResponseHandle.self, response),
        let name = name.flatMap({ String(validatingCString: $0) })?.lowercased()
    else { return nil }
    return handle.texts.pointer("trailer \(name)") { handle.response.trailers.joined(name) }
}

@_cdecl("restway_response_trailer_count") @implementation
public func restway_response_trailer_count(_ response: OpaquePointer?) -> Int {
    Handle.object(ResponseHandle.self, response)?.response.trailers.fields.count ?? 0
}

@_cdecl("restway_response_trailer_name") @implementation
public func restway_response_trailer_name(
    _ response: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ResponseHandle.self, response) else { return nil }
    return handle.texts.pointer("trailer name \(index)") {
        handle.response.trailers.fields.at(index)?.name
    }
}

@_cdecl("restway_response_trailer_value") @implementation
public func restway_response_trailer_value(
    _ response: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ResponseHandle.self, response) else { return nil }
    return handle.texts.pointer("trailer value \(index)") {
        handle.response.trailers.fields.at(index)?.value
    }
}

@_cdecl("restway_response_body") @implementation
public func restway_response_body(
    _ response: OpaquePointer?, _ outLength: UnsafeMutablePointer<Int>?
) -> UnsafeRawPointer! {
    let handle = Handle.object(ResponseHandle.self, response)
    outLength?.pointee = handle?.response.bodyCount ?? 0
    return handle.map { UnsafeRawPointer($0.bodyStart) }
}

@_cdecl("restway_response_json") @implementation
public func restway_response_json(
    _ response: OpaquePointer?, _ outLength: UnsafeMutablePointer<Int>?
) -> UnsafePointer<CChar>! {
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
public func restway_response_object(
    _ response: OpaquePointer?, _ index: Int
) -> OpaquePointer! {
    Handle.object(ResponseHandle.self, response)?.response.objects.at(index).map(Handle.lend)
}

@_cdecl("restway_response_read") @implementation
public func restway_response_read(
    _ response: OpaquePointer?, _ index: Int, _ outValues: UnsafeMutablePointer<restway_value>?,
    _ capacity: Int, _ outCount: UnsafeMutablePointer<Int>?,
    _ outEntity: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ outObject: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCount?.pointee = 0
    outEntity?.pointee = nil
    outObject?.pointee = nil
    return Boundary.run(outError) { () throws(Failure) in
        let values = try Argument.room(for: outValues, capacity, "out_values")
        values.update(repeating: restway_value())
        let handle = try Argument.handle(ResponseHandle.self, response, "response")
        let outObject = try Argument.out(outObject, "out_object")
        guard let object = handle.response.objects.at(index) else { return }
        let count = object.entity.attributes.count
        if let outValues = values.baseAddress {
            try object.read(nil, min(count, capacity), into: outValues)
        }
        outCount?.pointee = count
        outEntity?.pointee = object.entity.nameCString
        outObject.pointee = Handle.give(object)
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
    _ response: OpaquePointer?, _ index: Int, _ outFirst: UnsafeMutablePointer<Int>?,
    _ outCount: UnsafeMutablePointer<Int>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outFirst?.pointee = 0
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.handle(ResponseHandle.self, response, "response")
        let outFirst = try Argument.out(outFirst, "out_first")
        let outCount = try Argument.out(outCount, "out_count")
        let results = handle.response.results
        guard let result = results.at(index) else {
            throw Failure(
                .invalidArgument, "index is \(index), there are \(results.count) results",
                field: "index")
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
public func restway_response_issue_key_path(
    _ response: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ResponseHandle.self, response) else { return nil }
    return handle.texts.pointer("issue at \(index)") {
        handle.response.issues.at(index)?.keyPath
    }
}

@_cdecl("restway_response_issue_reason") @implementation
public func restway_response_issue_reason(
    _ response: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    guard let handle = Handle.object(ResponseHandle.self, response) else { return nil }
    return handle.texts.pointer("issue \(index)") { handle.response.issues.at(index)?.reason }
}
