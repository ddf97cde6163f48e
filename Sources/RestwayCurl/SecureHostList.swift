import Glibc
package import RestwayHTTP
import RestwayThreads

/// The hosts of one transport that want to be reached over TLS alone, with their file.
package final class SecureHostList: Sendable {
    private let hosts: Lock<SecureHosts>
    private let file: StateFile

    /// - Parameter path: The file, from which the hosts are loaded; `nil` keeps no hosts.
    package static func open(path: String?) throws(NetworkSettingError) -> SecureHostList? {
        guard let path else { return nil }
        let file = StateFile(path: path, field: "hsts_file")
        let text = try file.read()
        let hosts: SecureHosts
        do {
            hosts = try SecureHosts(file: text)
        } catch {
            throw file.error(error.message)
        }
        let list = SecureHostList(hosts, file)
        // This shows that the file can be written, and gives it its permissions.
        try file.save { list.text }
        return list
    }

    private init(_ hosts: SecureHosts, _ file: StateFile) {
        self.hosts = Lock(hosts)
        self.file = file
    }

    /// Makes the URL of an exchange https if its host wants that.
    func secure(_ exchange: inout Exchange) {
        let url = exchange.url
        let secured = hosts.withLock { $0.secured(url, now: Self.now) }
        if let secured { exchange.url = secured }
    }

    /// Takes the header of an answer that came over a connection that can be trusted.
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
