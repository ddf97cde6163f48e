import RestwayHTTP
import RestwayRouting

/// The keys of an environment that say how clients connect. A document holds no passwords, and it
/// cannot turn the verification of certificates off; both are for the program.
extension NetworkSettings {
    /// - Parameter environment: The whole environment.
    init(_ environment: DocumentNode) {
        self.init()
        tls = environment["tls"].flatMap { TLSSettings($0) }
        for (name, node) in environment["tlsByOrigin"]?.namedMembers() ?? [] {
            let settings = TLSSettings(node)
            guard let origin = node.origin(name), let settings else { continue }
            if tlsByOrigin.updateValue(settings, forKey: origin) != nil {
                node.report("there are other settings for \(origin)")
            }
        }
        readProxy(environment)
        if let node = environment["unixSocket"], let path = node.pathText() {
            unixSocket = node.setting { () throws(NetworkSettingError) in try UnixSocket(path) }
        }
        if environment["proxy"] != nil {
            environment["unixSocket"]?.report("stands beside \"proxy\"; write one or the other")
        }
        cookieFile = environment["cookieFile"]?.filePath()
        hstsFile = environment["hstsFile"]?.filePath()
        httpVersion = environment["httpVersion"]?.choice("version of HTTP")
    }

    private mutating func readProxy(_ environment: DocumentNode) {
        let exceptions = environment["proxyExceptions"]?.elements()?.compactMap { node in
            node.nonEmptyString().flatMap { text in
                text.utf8.contains(UInt8(ascii: ",")) ? node.refuse("a host has no comma") : text
            }
        }
        guard let node = environment["proxy"] else {
            environment["proxyExceptions"]?.report("stands without \"proxy\"")
            return
        }
        guard let url = node.string() else { return }
        if url.isEmpty {
            proxy = .direct
            return
        }
        var read = node.setting { () throws(NetworkSettingError) in try Proxy(url: url) }
        read?.exceptions = (exceptions ?? []).joined(separator: ",")
        proxy = read.map(ProxyChoice.proxy)
    }

    /// Resolves the relative paths of files against `directory`.
    mutating func resolve(in directory: String) {
        cookieFile = Self.resolved(cookieFile, in: directory)
        hstsFile = Self.resolved(hstsFile, in: directory)
        tls?.resolve(in: directory)
        for origin in tlsByOrigin.keys { tlsByOrigin[origin]?.resolve(in: directory) }
    }

    fileprivate static func resolved(_ path: String?, in directory: String) -> String? {
        path.map { $0.hasPrefix("/") ? $0 : directory + $0 }
    }
}

extension TLSSettings {
    fileprivate init?(_ node: DocumentNode) {
        guard let object = node.object(.tls) else { return nil }
        self.init()
        caFile = object["caFile"]?.filePath()
        caFolder = object["caFolder"]?.filePath()
        certificateFile = object["certificateFile"]?.filePath()
        keyFile = object["keyFile"]?.filePath()
        if object["certificateFile"] == nil {
            object["keyFile"]?.report("stands without \"certificateFile\"")
        }
        if let node = object["pinnedPublicKey"], let text = node.string() {
            _ = node.setting { () throws(NetworkSettingError) in try pin(text) }
        }
        object.read("minimumVersion", into: &minimumVersion) { $0.choice("version of TLS") }
    }

    fileprivate mutating func resolve(in directory: String) {
        func resolved(_ path: String?) -> String? {
            NetworkSettings.resolved(path, in: directory)
        }
        caFile = resolved(caFile)
        caFolder = resolved(caFolder)
        certificateFile = resolved(certificateFile)
        keyFile = resolved(keyFile)
    }
}

extension DocumentNode {
    /// Returns the value that `make` returns, and reports the error that it throws.
    fileprivate func setting<Value>(_ make: () throws(NetworkSettingError) -> Value) -> Value? {
        do {
            return try make()
        } catch {
            return refuse(error.message)
        }
    }
}
