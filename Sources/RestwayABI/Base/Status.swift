public import CRestway
import RestwayClient
import RestwayJSON
import RestwayOutcome

// base.h, version.h

private let versionText = CText(Version.text)

@_cdecl("restway_status_name") @implementation
public func restway_status_name(_ status: restway_status) -> CString! { status.name.cString }

@_cdecl("restway_debug_live_handles") @implementation
public func restway_debug_live_handles() -> Int64 { HandleCounts.shared.total }

@_cdecl("restway_debug_handle_kinds") @implementation
public func restway_debug_handle_kinds(
    _ buffer: Out<CChar>?, _ capacity: Int, _ outLength: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.filling(buffer, capacity, outLength, outError) { () throws(Failure) in
        let members = HandleCounts.shared.kinds.map { ($0.name, JSONValue.integer($0.count)) }
        return String(decoding: JSONValue.object(members).text(), as: UTF8.self)
    }
}

@_cdecl("restway_version_number") @implementation
public func restway_version_number() -> Int32 { Version.number }

@_cdecl("restway_version_string") @implementation
public func restway_version_string() -> CString! { versionText.pointer }

@_cdecl("restway_abi_version") @implementation
public func restway_abi_version() -> Int32 { RESTWAY_ABI_VERSION }

extension Failure.Reason {
    /// Returns the reason for a status that the program gave; `nil` for OK and for unknown numbers.
    init?(_ status: restway_status) {
        guard let reason = Self.allCases.first(where: { $0.known.status == status }) else {
            return nil
        }
        self = reason
    }
}

extension restway_status {
    init(_ reason: Failure.Reason) {
        self = reason.known.status
    }

    /// The status of a call that ended with `failure`; `nil` stands for success.
    init(_ failure: Failure?) {
        self = failure?.reason.known.status ?? .RESTWAY_OK
    }

    /// The name that the header gives to the status.
    var name: StaticString {
        if self == .RESTWAY_OK { return "RESTWAY_OK" }
        return Failure.Reason(self)?.known.name ?? "RESTWAY_E_UNKNOWN"
    }
}

extension Failure {
    /// Returns the failure of a function of the program that answered with `status`.
    init(_ status: restway_status, _ message: String) {
        self.init(Reason(status) ?? .invalidArgument, message)
    }
}

extension StaticString {
    /// The text for C, which lives as long as the process.
    var cString: CString { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
