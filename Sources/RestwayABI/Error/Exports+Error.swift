public import CRestway
import RestwayClient
import RestwayThreads

// error.h

@_cdecl("restway_error_retain") @implementation
public func restway_error_retain(_ error: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(ErrorHandle.self, error)
}

@_cdecl("restway_error_release") @implementation
public func restway_error_release(_ error: OpaquePointer?) {
    Handle.release(ErrorHandle.self, error)
}

@_cdecl("restway_error_status") @implementation
public func restway_error_status(_ error: OpaquePointer?) -> restway_status {
    guard let error = Handle.inherited(ErrorHandle.self, error) else { return .RESTWAY_OK }
    return error.isOfThisProcess ? restway_status(error.failure.reason) : .RESTWAY_E_FORKED
}

@_cdecl("restway_error_domain") @implementation
public func restway_error_domain(_ error: OpaquePointer?) -> restway_domain {
    Handle.object(ErrorHandle.self, error).map { restway_domain($0.failure.domain) }
        ?? restway_domain(rawValue: 0)!
}

@_cdecl("restway_error_message") @implementation
public func restway_error_message(_ error: OpaquePointer?) -> UnsafePointer<CChar>! {
    (Handle.object(ErrorHandle.self, error)?.message ?? ConstantTexts.empty).pointer
}

@_cdecl("restway_error_http_status") @implementation
public func restway_error_http_status(_ error: OpaquePointer?) -> Int32 {
    Int32(clamping: Handle.object(ErrorHandle.self, error)?.failure.httpStatus ?? 0)
}

@_cdecl("restway_error_transport_code") @implementation
public func restway_error_transport_code(_ error: OpaquePointer?) -> Int32 {
    Handle.object(ErrorHandle.self, error)?.failure.transportCode ?? 0
}

@_cdecl("restway_error_is_retryable") @implementation
public func restway_error_is_retryable(_ error: OpaquePointer?) -> Int32 {
    Handle.object(ErrorHandle.self, error)?.failure.isRetryable ?? false ? 1 : 0
}

@_cdecl("restway_error_api_code") @implementation
public func restway_error_api_code(_ error: OpaquePointer?) -> UnsafePointer<CChar>! {
    Handle.object(ErrorHandle.self, error)?.apiCode?.pointer
}

@_cdecl("restway_error_api_message") @implementation
public func restway_error_api_message(_ error: OpaquePointer?) -> UnsafePointer<CChar>! {
    Handle.object(ErrorHandle.self, error)?.apiMessage?.pointer
}

@_cdecl("restway_error_field") @implementation
public func restway_error_field(_ error: OpaquePointer?) -> UnsafePointer<CChar>! {
    Handle.object(ErrorHandle.self, error)?.field?.pointer
}

@_cdecl("restway_error_response") @implementation
public func restway_error_response(_ error: OpaquePointer?) -> OpaquePointer! {
    Handle.object(ErrorHandle.self, error)?.response.map(Handle.lend)
}

@_cdecl("restway_error_cause") @implementation
public func restway_error_cause(_ error: OpaquePointer?) -> UnsafeMutableRawPointer! {
    Handle.object(ErrorHandle.self, error)?.failure.cause?.pointer
}

@_cdecl("restway_error_detail_count") @implementation
public func restway_error_detail_count(_ error: OpaquePointer?) -> Int {
    Handle.object(ErrorHandle.self, error)?.details.count ?? 0
}

@_cdecl("restway_error_detail_path") @implementation
public func restway_error_detail_path(
    _ error: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    Handle.object(ErrorHandle.self, error)?.details.at(index)?.path.pointer
}

@_cdecl("restway_error_detail_message") @implementation
public func restway_error_detail_message(
    _ error: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    Handle.object(ErrorHandle.self, error)?.details.at(index)?.message.pointer
}

extension Array {
    /// The element at `index`; `nil` if there is none at this index.
    func at(_ index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}
