import CRestway
import RestwayClient
import RestwayHTTP
import RestwayOutcome
import RestwayRouting
import RestwayThreads

// network.h

/// Takes the options of the header.
extension NetworkSettings {
    init(_ fields: NetworkOptionsFields) throws(Failure) {
        self.init()
        for settings in fields.tls { try add(settings) }
        try takeProxy(fields)
        try takePlaces(fields)
        cookieFile = fields.cookieFile
        hstsFile = fields.hstsFile
        switch restway_http_version(rawValue: fields.httpVersion) {
        case .RESTWAY_HTTP_AUTOMATIC: httpVersion = nil
        case .RESTWAY_HTTP_VERSION_1_1: httpVersion = .http11
        case .RESTWAY_HTTP_VERSION_2: httpVersion = .http2
        case .RESTWAY_HTTP_VERSION_3: httpVersion = .http3
        default:
            throw Argument.outOfRange("options.network.http_version", Int64(fields.httpVersion))
        }
    }

    private mutating func add(_ fields: TLSOptionsFields) throws(Failure) {
        let settings = try TLSSettings(fields)
        guard let text = fields.origin else {
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

    private mutating func takeProxy(_ fields: NetworkOptionsFields) throws(Failure) {
        let (user, password) = (fields.proxyUser, fields.proxyPassword)
        guard let url = fields.proxy, !url.isEmpty else {
            if user != nil || password != nil || fields.proxyExceptions != nil {
                throw Argument.wrong(
                    "options.network.proxy",
                    "options.network has a user, a password or exceptions of a proxy, but no proxy")
            }
            proxy = fields.proxy == nil ? nil : .direct
            return
        }
        var chosen = try Failure.explaining { () throws(NetworkSettingError) in
            try Proxy(url: url)
        }
        chosen.user = user
        chosen.password = password.map { Secret($0) }
        chosen.exceptions = fields.proxyExceptions ?? ""
        proxy = .proxy(chosen)
    }

    private mutating func takePlaces(_ fields: NetworkOptionsFields) throws(Failure) {
        if let text = fields.unixSocket {
            if case .proxy = proxy {
                throw Argument.wrong(
                    "options.network.unix_socket",
                    "options.network has both a proxy and a Unix-domain socket")
            }
            unixSocket = try Failure.explaining { () throws(NetworkSettingError) in
                try UnixSocket(text)
            }
        }
        localInterface = fields.localInterface
        for text in fields.addresses ?? [] {
            try Failure.explaining { () throws(NetworkSettingError) in
                try names.add(address: text)
            }
        }
        if let url = fields.dohURL {
            try Failure.explaining { () throws(NetworkSettingError) in try names.askOverHTTPS(url) }
        }
        switch restway_ip_version(rawValue: fields.ipVersion) {
        case .RESTWAY_IP_ANY: names.family = .any
        case .RESTWAY_IP_VERSION_4: names.family = .ip4
        case .RESTWAY_IP_VERSION_6: names.family = .ip6
        default: throw Argument.outOfRange("options.network.ip_version", Int64(fields.ipVersion))
        }
        names.happyEyeballsMilliseconds = fields.happyEyeballsMilliseconds
    }
}

extension TLSSettings {
    fileprivate init(_ fields: TLSOptionsFields) throws(Failure) {
        self.init()
        caFile = fields.caFile
        caFolder = fields.caFolder
        certificateFile = fields.certificateFile
        keyFile = fields.keyFile
        password = fields.password.map { Secret($0) }
        if let keys = fields.pinnedPublicKey {
            try Failure.explaining { () throws(NetworkSettingError) in try pin(keys) }
        }
        switch restway_tls_version(rawValue: fields.minimumVersion) {
        case .RESTWAY_TLS_VERSION_1_2: minimumVersion = .tls12
        case .RESTWAY_TLS_VERSION_1_3: minimumVersion = .tls13
        default:
            throw Argument.outOfRange(
                "options.network.tls[].minimum_version", Int64(fields.minimumVersion))
        }
        isVerifying = fields.flags & RESTWAY_TLS_INSECURE_NO_VERIFICATION == 0
    }
}
