import Glibc

/// The places of trusted certificates: a file, a folder, or both.
///
/// The libcurl of a distribution knows where the distribution keeps them. The libcurl inside a
/// wheel runs on many distributions, so it is built without places, and they are found here.
package struct SystemAuthorities: Equatable, Sendable {
    package let file: String?
    package let folder: String?

    package init(file: String?, folder: String?) {
        self.file = file
        self.folder = folder
    }

    /// Whether there is no file and no folder.
    package var areUnknown: Bool { file == nil && folder == nil }

    /// The files in which distributions keep all certificates; the first one that exists is taken.
    package static let knownFiles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Alpine, Arch
        "/etc/pki/tls/certs/ca-bundle.crt",  // Red Hat, Fedora, Amazon Linux
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // newer systems of that family
        "/etc/ssl/ca-bundle.pem",  // SUSE
    ]

    /// Looks for the certificates: first in the variables `SSL_CERT_FILE` and `SSL_CERT_DIR`, which
    /// OpenSSL has introduced, then in the places of the distributions.
    ///
    /// - Parameters:
    ///   - root: The folder in which the file system of the system begins.
    ///   - variable: Returns the value of an environment variable.
    package static func find(
        below root: String = "", variable: (String) -> String? = environmentVariable
    ) -> SystemAuthorities {
        let named = SystemAuthorities(
            file: variable("SSL_CERT_FILE"), folder: variable("SSL_CERT_DIR"))
        if !named.areUnknown { return named }
        let file = knownFiles.lazy.map { root + $0 }.first { access($0, R_OK) == 0 }
        return SystemAuthorities(file: file, folder: nil)
    }

    /// Returns the value of an environment variable; `nil` if the variable is missing or empty.
    private static func environmentVariable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
