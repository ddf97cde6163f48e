import RestwayHTTP
import RestwayRouting

/// The options of the curl command for the network settings that apply to one URL. Passwords and
/// users of proxies are left out.
struct CurlNetwork {
    private(set) var words: [(option: String, value: String?)] = []

    init(_ network: NetworkSettings, url: String) {
        let origin = try? Origin(url: url)
        let isSecure = origin?.scheme == "https"
        if isSecure, let tls = origin.flatMap({ network.tlsByOrigin[$0] }) ?? network.tls {
            add(tls)
        }
        if let socket = network.unixSocket {
            add(socket.isAbstract ? "--abstract-unix-socket" : "--unix-socket", socket.path)
        }
        switch network.proxy {
        case nil: break
        case .direct: add("--noproxy", "*")
        case .proxy(let proxy):
            add("--proxy", proxy.url)
            if !proxy.exceptions.isEmpty { add("--noproxy", proxy.exceptions) }
        }
        if let interface = network.localInterface { add("--interface", interface) }
        add(network.names)
        switch network.httpVersion {
        case nil: break
        case .http11: add("--http1.1")
        case .http2: add(isSecure ? "--http2" : "--http2-prior-knowledge")
        case .http3: add("--http3")
        }
    }

    private mutating func add(_ tls: TLSSettings) {
        if let file = tls.caFile { add("--cacert", file) }
        if let folder = tls.caFolder { add("--capath", folder) }
        if let file = tls.certificateFile {
            add("--cert", file)
            if tls.isPKCS12 { add("--cert-type", "P12") }
        }
        if let file = tls.keyFile { add("--key", file) }
        if let key = tls.pinnedPublicKey { add("--pinnedpubkey", key) }
        switch tls.minimumVersion {
        case .tls12: add("--tlsv1.2")
        case .tls13: add("--tlsv1.3")
        }
        if !tls.isVerifying { add("--insecure") }
    }

    private mutating func add(_ names: NameSettings) {
        for address in names.addresses { add("--resolve", address) }
        if let url = names.dohURL { add("--doh-url", url) }
        switch names.family {
        case .any: break
        case .ip4: add("--ipv4")
        case .ip6: add("--ipv6")
        }
        if let milliseconds = names.happyEyeballsMilliseconds {
            add("--happy-eyeballs-timeout-ms", String(milliseconds))
        }
    }

    private mutating func add(_ option: String, _ value: String? = nil) {
        words.append((option, value))
    }
}
