public import CRestway
import RestwayCalls
import RestwayOutcome
import RestwayRouting
import RestwayText
import RestwayThreads

/// The parts of a URL, with the texts that C callers borrow from it.
final class URLHandle: TextLender, Sendable {
    let url: SplitURL
    let texts = LentTexts()
    let generation = ProcessGeneration.current

    init(_ url: SplitURL) {
        self.url = url
    }

    func parameter(_ index: Int) -> Pair? { url.parameters.at(index) }
}

// The part of inspect.h about URLs

@_cdecl("restway_url_split") @implementation
public func restway_url_split(
    _ text: CString?, _ outURL: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    Boundary.creating(outURL, outError, "out_url") { () throws(Failure) in
        let text = try Argument.string(text, "text")
        do throws(RoutingError) {
            return URLHandle(try SplitURL(text))
        } catch {
            throw Failure(error)
        }
    }
}

@_cdecl("restway_url_scheme") @implementation
public func restway_url_scheme(_ url: InHandle) -> CString! {
    URLHandle.text(url, "scheme") { $0.url.origin.scheme }
}

@_cdecl("restway_url_host") @implementation
public func restway_url_host(_ url: InHandle) -> CString! {
    URLHandle.text(url, "host") { $0.url.origin.host }
}

@_cdecl("restway_url_port") @implementation
public func restway_url_port(_ url: InHandle) -> Int32 {
    Int32(clamping: URLHandle.object(url)?.url.origin.port ?? 0)
}

@_cdecl("restway_url_path") @implementation
public func restway_url_path(_ url: InHandle) -> CString! {
    URLHandle.text(url, "path") { $0.url.path }
}

@_cdecl("restway_url_fragment") @implementation
public func restway_url_fragment(_ url: InHandle) -> CString! {
    URLHandle.text(url, "fragment") { $0.url.fragment }
}

@_cdecl("restway_url_parameter_count") @implementation
public func restway_url_parameter_count(_ url: InHandle) -> Int {
    URLHandle.object(url)?.url.parameters.count ?? 0
}

@_cdecl("restway_url_parameter_name") @implementation
public func restway_url_parameter_name(_ url: InHandle, _ index: Int) -> CString! {
    URLHandle.text(url, "name \(index)") { $0.parameter(index)?.name }
}

@_cdecl("restway_url_parameter_value") @implementation
public func restway_url_parameter_value(_ url: InHandle, _ index: Int) -> CString! {
    URLHandle.text(url, "value \(index)") { $0.parameter(index)?.value }
}

@_cdecl("restway_url_build_query") @implementation
public func restway_url_build_query(
    _ names: In<CString?>?, _ values: In<CString?>?, _ count: Int, _ buffer: Out<CChar>?,
    _ capacity: Int, _ outLength: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.filling(buffer, capacity, outLength, outError) { () throws(Failure) in
        let names = try Argument.elements(names, count, "names")
        let values = try Argument.elements(values, count, "values")
        var pairs: [Pair] = []
        for index in 0..<count {
            pairs.append(
                Pair(
                    name: try Argument.string(names[index], "names[\(index)]"),
                    value: try Argument.string(values[index], "values[\(index)]")))
        }
        return URLText.encodedQuery(pairs)
    }
}
