import CCrypto
import Glibc
import RestwayHTTP
import RestwayThreads

/// Checks the files of TLS settings when a transport is made, with the library that libcurl itself
/// reads them with.
///
/// libcurl reads the files for each new connection. Without this check, a wrong file would be found
/// at the first request, with a message that does not name it. An encrypted key without a password
/// would even make OpenSSL ask for the password at the terminal.
enum TLSFiles {
    /// Checks all files of `settings`, and notes the form of the certificate's file.
    static func check(_ settings: inout TLSSettings) throws(NetworkSettingError) {
        guard settings.hasFiles else { return }
        guard CurlGlobal.isReady else {
            throw NetworkSettingError("tls", "no memory is left for TLS")
        }
        let given = settings
        let result: Result<Bool, NetworkSettingError> = CurlGlobal.gate.pass {
            do throws(NetworkSettingError) {
                return .success(try checkFiles(given))
            } catch {
                return .failure(error)
            }
        }
        settings.isPKCS12 = try result.get()
    }

    /// The first byte of every PKCS#12 file: the tag of a SEQUENCE. It is the digit 0 in ASCII,
    /// with which no usual PEM file begins.
    private static let derSequence: UInt8 = 0x30

    /// Returns whether the file of the certificate is PKCS#12.
    private static func checkFiles(_ settings: TLSSettings) throws(NetworkSettingError) -> Bool {
        // OpenSSL keeps errors for each thread; later users of this thread must not see them.
        defer { ERR_clear_error() }
        if let file = settings.caFile { try checkAuthorities(file) }
        if let folder = settings.caFolder { try checkFolder(folder) }
        guard let file = settings.certificateFile else {
            if settings.keyFile == nil { return false }
            throw NetworkSettingError("key_file", "a key file needs a certificate file, too")
        }
        if try firstByte(of: file, "certificate_file", "the certificate file") == derSequence {
            try checkPKCS12(file, settings)
            return true
        }
        try checkPEM(file, settings)
        return false
    }

    /// Reads the first byte; `nil` if the file is empty. Throws if the file cannot be read.
    @discardableResult
    private static func firstByte(
        of path: String, _ field: String, _ what: String
    ) throws(NetworkSettingError) -> UInt8? {
        let file = fopen(path, "re")
        defer { if let file { fclose(file) } }
        let byte = file.map { fgetc($0) } ?? EOF
        // A folder can be opened, but not read.
        if let file, byte != EOF || ferror(file) == 0 { return UInt8(exactly: byte) }
        throw NetworkSettingError(
            field, "\(what) \"\(path)\" cannot be read: \(String(cString: strerror(errno)))")
    }

    private static func checkAuthorities(_ path: String) throws(NetworkSettingError) {
        try firstByte(of: path, "ca_file", "the CA file")
        let store = X509_STORE_new()
        defer { X509_STORE_free(store) }
        guard X509_STORE_load_file(store, path) == 1 else {
            throw NetworkSettingError(
                "ca_file", "the CA file \"\(path)\" holds no certificates in PEM form")
        }
    }

    private static func checkFolder(_ path: String) throws(NetworkSettingError) {
        guard let folder = opendir(path) else {
            throw NetworkSettingError(
                "ca_folder",
                "the CA folder \"\(path)\" cannot be read: \(String(cString: strerror(errno)))")
        }
        closedir(folder)
    }

    // MARK: The client's certificate

    private static func checkPEM(
        _ path: String, _ settings: TLSSettings
    ) throws(NetworkSettingError) {
        let file = BIO_new_file(path, "r")
        defer { BIO_free(file) }
        guard let certificate = PEM_read_bio_X509(file, nil, nil, nil) else {
            throw NetworkSettingError(
                "certificate_file", "the certificate file \"\(path)\" holds no certificate")
        }
        defer { X509_free(certificate) }
        let keyFile = settings.keyFile ?? path
        let field = settings.keyFile == nil ? "certificate_file" : "key_file"
        try firstByte(of: keyFile, field, "the key file")
        let key = readKey(keyFile, settings.password)
        defer { EVP_PKEY_free(key) }
        guard let key else {
            throw NetworkSettingError(
                field,
                "the file \"\(keyFile)\" holds no private key, or its password is not the one given"
            )
        }
        guard X509_check_private_key(certificate, key) == 1 else {
            throw NetworkSettingError(
                field,
                "the key in \"\(keyFile)\" does not belong to the certificate in \"\(path)\"")
        }
    }

    private static func readKey(_ path: String, _ password: Secret?) -> OpaquePointer? {
        guard let file = BIO_new_file(path, "r") else { return nil }
        defer { BIO_free(file) }
        var key: OpaquePointer?
        Secret.lend(password ?? Secret("")) { text in
            // If OpenSSL got no password here, it would ask the user at the terminal for one.
            key = PEM_read_bio_PrivateKey(file, nil, nil, UnsafeMutablePointer(mutating: text))
        }
        return key
    }

    private static func checkPKCS12(
        _ path: String, _ settings: TLSSettings
    ) throws(NetworkSettingError) {
        guard settings.keyFile == nil else {
            throw NetworkSettingError(
                "key_file", "\"\(path)\" is a PKCS#12 file, which holds the key itself")
        }
        let file = BIO_new_file(path, "r")
        defer { BIO_free(file) }
        guard let archive = d2i_PKCS12_bio(file, nil) else {
            throw NetworkSettingError(
                "certificate_file",
                "the certificate file \"\(path)\" is neither in PEM form nor PKCS#12")
        }
        defer { PKCS12_free(archive) }
        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var hasParsed = false
        Secret.lend(settings.password ?? Secret("")) { text in
            hasParsed = PKCS12_parse(archive, text, &key, &certificate, nil) == 1
        }
        defer {
            EVP_PKEY_free(key)
            X509_free(certificate)
        }
        guard hasParsed else {
            throw NetworkSettingError(
                "password", "the password of the PKCS#12 file \"\(path)\" is not the one given")
        }
        guard key != nil, certificate != nil else {
            throw NetworkSettingError(
                "certificate_file",
                "the PKCS#12 file \"\(path)\" lacks a certificate or its private key")
        }
    }
}

extension TLSSettings {
    fileprivate var hasFiles: Bool {
        caFile != nil || caFolder != nil || certificateFile != nil || keyFile != nil
    }
}
