public import CRestway
import RestwayCalls
import RestwayHTTP
import RestwayOutcome
import RestwayRequests

// upload.h

@_cdecl("restway_request_set_resumable") @implementation
public func restway_request_set_resumable(
    _ request: InHandle, _ protocol: restway_upload_protocol, _ statePath: CString?,
    _ pieceBytes: Int64, _ flags: UInt32, _ outError: OutHandle?
) -> restway_status {
    RequestHandle.changing(request, outError) { spec throws(Failure) in
        var plan = UploadPlan(try UploadProtocol.chosen(`protocol`))
        if statePath != nil {
            plan.statePath = try Argument.nonEmptyString(statePath, "state_path")
        }
        try Argument.notNegative(pieceBytes, "piece_bytes")
        if pieceBytes > 0 { plan.pieceBytesMax = pieceBytes }
        try Argument.flags(flags, known: RESTWAY_UPLOAD_TERMINATE)
        plan.isTerminated = flags & RESTWAY_UPLOAD_TERMINATE != 0
        spec.given.upload = plan
    }
}

extension UploadProtocol {
    /// Returns the chosen protocol; `nil` if one request sends the resource.
    fileprivate static func chosen(
        _ protocol: restway_upload_protocol
    ) throws(Failure) -> UploadProtocol? {
        switch `protocol` {
        case .RESTWAY_UPLOAD_PLAIN: nil
        case .RESTWAY_UPLOAD_TUS: .tus
        case .RESTWAY_UPLOAD_IETF: .ietf
        default: throw Argument.outOfRange("protocol", Int64(`protocol`.rawValue))
        }
    }
}
