import RestwayClient

public import CRestway

// base.h, version.h

@_cdecl("restway_status_name") @implementation
public func restway_status_name(_ status: restway_status) -> UnsafePointer<CChar>! {
    ConstantTexts.name(status)
}

@_cdecl("restway_debug_live_handles") @implementation
public func restway_debug_live_handles() -> Int64 {
    Handle.live
}

@_cdecl("restway_version_number") @implementation
public func restway_version_number() -> Int32 {
    Version.number
}

@_cdecl("restway_version_string") @implementation
public func restway_version_string() -> UnsafePointer<CChar>! {
    ConstantTexts.version.pointer
}

@_cdecl("restway_abi_version") @implementation
public func restway_abi_version() -> Int32 {
    RESTWAY_ABI_VERSION
}
