public import CRestway
import RestwayClient
import RestwayHTTP
import RestwayOutcome
import RestwayRouting
import RestwayThreads

// network.h

@_cdecl("restway_tls_options_init") @implementation
public func restway_tls_options_init(
    _ options: Out<restway_tls_options>?, _ size: Int, _ outError: OutHandle?
) -> restway_status {
    SizedStructs.tlsOptions.initialize(options, size, outError)
}

@_cdecl("restway_network_options_init") @implementation
public func restway_network_options_init(
    _ options: Out<restway_network_options>?, _ size: Int, _ outError: OutHandle?
) -> restway_status {
    SizedStructs.networkOptions.initialize(options, size, outError)
}

/// Reads the option structs of the header and checks each field.
extension NetworkSettings {
    private static let happyEyeballsMillisecondsMax: Int64 = 60_000

    init(_ pointer: In<restway_network_options>?) throws(Failure) {
        self.init()
        guard let pointer else { return }
        let c = try SizedStructs.networkOptions.read(pointer, zero: restway_network_options())
        for element in try Argument.elements(c.tls, c.tls_count, "options.network.tls") {
            guard let element else { throw Argument.null("options.network.tls[]") }
            try add(try SizedStructs.tlsOptions.read(element, zero: restway_tls_options()))
        }
        try readProxy(c)
        try readPlaces(c)
        if let text = c.cookie_file {
            cookieFile = try Argument.nonEmptyString(text, "options.network.cookie_file")
        }
        if let text = c.hsts_file {
            hstsFile = try Argument.nonEmptyString(text, "options.network.hsts_file")
        }
        switch restway_http_version(rawValue: c.http_version) {
        case .RESTWAY_HTTP_AUTOMATIC: httpVersion = nil
        case .RESTWAY_HTTP_VERSION_1_1: httpVersion = .http11
        case .RESTWAY_HTTP_VERSION_2: httpVersion = .http2
        case .RESTWAY_HTTP_VERSION_3: httpVersion = .http3
        default:
            throw Argument.outOfRange("options.network.http_version", Int64(c.http_version))
        }
    }

    private mutating func add(_ c: restway_tls_options) throws(Failure) {
        let settings = try TLSSettings(c)
        guard let text = try Argument.optionalString(c.origin, "options.network.tls[].origin")
        else {
            guard tls == nil else {
                throw Argument.wrong(
                    "options.network.tls", "options.network.tls has two settings without an origin")
            }
            tls = settings
            return
        }
        let origin = try Origin(argument: text, field: "options.network.tls[].origin")
        guard tlsByOrigin.updateValue(settings, forKey: origin) == nil else {
            throw Argument.wrong(
                "options.network.tls", "options.network.tls has two settings for \(origin)")
        }
    }

    private mutating func readProxy(_ c: restway_network_options) throws(Failure) {
        let user = try Argument.optionalString(c.proxy_user, "options.network.proxy_user")
        let password = try Argument.optionalString(
            c.proxy_password, "options.network.proxy_password")
        let exceptions = try Argument.optionalString(
            c.proxy_exceptions, "options.network.proxy_exceptions")
        guard let url = try Argument.optionalString(c.proxy, "options.network.proxy"), !url.isEmpty
        else {
            if user != nil || password != nil || exceptions != nil {
                throw Argument.wrong(
                    "options.network.proxy",
                    "options.network has a user, a password or exceptions of a proxy, but no proxy")
            }
            proxy = c.proxy == nil ? nil : .direct
            return
        }
        var chosen = try Failure.explaining { () throws(NetworkSettingError) in
            try Proxy(url: url)
        }
        chosen.user = user
        chosen.password = password.map { Secret($0) }
        chosen.exceptions = exceptions ?? ""
        proxy = .proxy(chosen)
    }

    private mutating func readPlaces(_ c: restway_network_options) throws(Failure) {
        if let text = try Argument.optionalString(c.unix_socket, "options.network.unix_socket") {
            if case .proxy = proxy {
                throw Argument.wrong(
                    "options.network.unix_socket",
                    "options.network has both a proxy and a Unix-domain socket")
            }
            unixSocket = try Failure.explaining { () throws(NetworkSettingError) in
                try UnixSocket(text)
            }
        }
        if let text = c.local_interface {
            localInterface = try Argument.nonEmptyString(text, "options.network.local_interface")
        }
        let addresses = try Argument.elements(
            c.addresses, c.address_count, "options.network.addresses")
        for element in addresses {
            let text = try Argument.string(element, "options.network.addresses[]")
            try Failure.explaining { () throws(NetworkSettingError) in
                try names.add(address: text)
            }
        }
        if let url = try Argument.optionalString(c.doh_url, "options.network.doh_url") {
            try Failure.explaining { () throws(NetworkSettingError) in try names.askOverHTTPS(url) }
        }
        switch restway_ip_version(rawValue: c.ip_version) {
        case .RESTWAY_IP_ANY: names.family = .any
        case .RESTWAY_IP_VERSION_4: names.family = .ip4
        case .RESTWAY_IP_VERSION_6: names.family = .ip6
        default: throw Argument.outOfRange("options.network.ip_version", Int64(c.ip_version))
        }
        let milliseconds = c.happy_eyeballs_milliseconds
        guard (0...Self.happyEyeballsMillisecondsMax).contains(milliseconds) else {
            throw Argument.outOfRange("options.network.happy_eyeballs_milliseconds", milliseconds)
        }
        if milliseconds > 0 { names.happyEyeballsMilliseconds = milliseconds }
    }
}

extension TLSSettings {
    fileprivate init(_ c: restway_tls_options) throws(Failure) {
        self.init()
        func text(_ text: CString?, _ name: String) throws(Failure) -> String? {
            try Argument.optionalString(text, "options.network.tls[].\(name)")
        }
        caFile = try text(c.ca_file, "ca_file")
        caFolder = try text(c.ca_folder, "ca_folder")
        certificateFile = try text(c.certificate_file, "certificate_file")
        keyFile = try text(c.key_file, "key_file")
        password = try text(c.password, "password").map { Secret($0) }
        if let keys = try text(c.pinned_public_key, "pinned_public_key") {
            try Failure.explaining { () throws(NetworkSettingError) in try pin(keys) }
        }
        switch restway_tls_version(rawValue: c.minimum_version) {
        case .RESTWAY_TLS_VERSION_1_2: minimumVersion = .tls12
        case .RESTWAY_TLS_VERSION_1_3: minimumVersion = .tls13
        default:
            throw Argument.outOfRange(
                "options.network.tls[].minimum_version", Int64(c.minimum_version))
        }
        try Argument.flags(
            c.flags, known: RESTWAY_TLS_INSECURE_NO_VERIFICATION, "options.network.tls[].flags")
        isVerifying = c.flags & RESTWAY_TLS_INSECURE_NO_VERIFICATION == 0
    }
}
