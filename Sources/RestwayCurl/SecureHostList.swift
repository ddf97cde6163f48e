import Glibc
package import RestwayHTTP
import RestwayThreads

/// The hosts that one transport reaches only over TLS, with their file.
package final class SecureHostList: Sendable {
    private let hosts: Lock<SecureHosts>
    private let file: StateFile

    /// - Parameter path: The file, from which the hosts are loaded; `nil` keeps no hosts.
    package static func open(path: String?) throws(NetworkSettingError) -> SecureHostList? {
        guard let path else { return nil }
        let file = StateFile(path: path, field: "hsts_file")
        let content = try file.read()
        var hosts: SecureHosts
        do {
            hosts = try SecureHosts(file: content.text)
            let now = Self.now
            hosts.changeExpiries { content.expiry($0, now: now) }
        } catch {
            throw file.error(error.message)
        }
        let list = SecureHostList(hosts, file)
        // This save fails if the file cannot be written, and it sets the permissions of the file.
        try file.save { list.text }
        return list
    }

    private init(_ hosts: SecureHosts, _ file: StateFile) {
        self.hosts = Lock(hosts)
        self.file = file
    }

    /// Changes the URL of an exchange to https if its host may be reached only over TLS.
    func secure(_ exchange: inout Exchange) {
        let url = exchange.url
        let secured = hosts.withLock { $0.secured(url, now: Self.now) }
        if let secured { exchange.url = secured }
    }

    /// Takes the header of an answer that came over a connection whose certificate was checked.
    func learn(_ header: String, from url: String) {
        let hasChanged = hosts.withLock { $0.learn(header, from: url, now: Self.now) }
        if hasChanged { file.saveSoon { [self] in text } }
    }

    /// Saves the hosts for the last time.
    func close() {
        file.saveOrWarn(isLast: true) { text }
    }

    private var text: String { hosts.withLock { $0.file(now: Self.now) } }
    private static var now: Int64 { Int64(time(nil)) }
}
