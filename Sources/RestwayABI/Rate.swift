public import CRestway
import RestwayClient
import RestwayOutcome
import RestwayPacing

// rate.h

@_cdecl("restway_client_set_rate") @implementation
public func restway_client_set_rate(
    _ client: InHandle, _ json: CString?, _ length: Int, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        try client.setRate(json == nil ? nil : try Argument.json(json, length))
    }
}

@_cdecl("restway_client_rate") @implementation
public func restway_client_rate(
    _ client: InHandle, _ url: CString?, _ rate: Out<restway_rate>?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        let url = try Argument.optionalString(url, "url")
        try SizedStructs.rate.write(restway_rate(try client.rate(of: url)), to: rate)
    }
}

extension restway_rate {
    init(_ reading: RateReading) {
        self.init(
            struct_size: MemoryLayout<restway_rate>.size, limit: reading.limit ?? -1,
            remaining: reading.remaining ?? -1, reset_milliseconds: reading.resetMilliseconds ?? -1,
            under_way: Int64(reading.underWay), waiting: Int64(reading.waiting))
    }
}
