public import CRestway
import RestwayCalls
import RestwayClient
import RestwayHTTP
import RestwayJSON
import RestwayOutcome
import RestwayRequests

// The part of client.h about default headers

@_cdecl("restway_client_set_header") @implementation
public func restway_client_set_header(
    _ client: InHandle, _ name: CString?, _ value: CString?, _ outError: OutHandle?
) -> restway_status {
    ClientHandle.using(client, outError) { client throws(Failure) in
        let name = try Argument.headerName(name)
        let value = try Argument.optionalString(value, "value")
        if let value { try Argument.headerValue(value, "the value of header \(name)") }
        try client.calls.setHeader(name, value)
    }
}

@_cdecl("restway_client_headers") @implementation
public func restway_client_headers(
    _ client: InHandle, _ buffer: Out<CChar>?, _ capacity: Int, _ outLength: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.filling(buffer, capacity, outLength, outError) { () throws(Failure) in
        let client = try ClientHandle.argument(client)
        try client.calls.refuseAfterFork()
        let members = client.calls.headers.fields.map { ($0.name, JSONValue.string($0.value)) }
        return String(decoding: JSONValue.object(members).text(), as: UTF8.self)
    }
}

extension ClientOptions {
    /// Takes the languages, which become the default header `Accept-Language`.
    mutating func take(languages: [String]) throws(Failure) {
        for (index, language) in languages.enumerated()
        where !AcceptLanguage.isRange(language) {
            let name = "options.languages[\(index)]"
            throw Argument.wrong(
                name, "\(name) is \"\(language)\", which is no language tag such as \"de-CH\"")
        }
        guard !languages.isEmpty else { return }
        calls.headers.set(AcceptLanguage.name, AcceptLanguage.value(languages))
    }
}
