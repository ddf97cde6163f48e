import CCrypto
import RestwayText

/// An algorithm that makes a digest of bytes.
package enum DigestAlgorithm: CaseIterable, Sendable {
    case md5, sha256

    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha256: 32
        }
    }
}

/// Computes a digest piece by piece, with libcrypto.
package final class DigestComputation {
    private let context: OpaquePointer
    private let byteCount: Int

    /// Begins a digest; nil if libcrypto does not offer the algorithm, or there is no memory.
    package init?(_ algorithm: DigestAlgorithm) {
        let kind =
            switch algorithm {
            case .md5: EVP_md5()
            case .sha256: EVP_sha256()
            }
        guard let context = EVP_MD_CTX_new() else { return nil }
        guard EVP_DigestInit_ex(context, kind, nil) == 1 else {
            EVP_MD_CTX_free(context)
            return nil
        }
        self.context = context
        byteCount = algorithm.byteCount
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package func add(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// Returns the SHA-256 digest of bytes; `nil` if there is no memory.
    package static func sha256(of bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let computation = DigestComputation(.sha256) else { return nil }
        computation.add(bytes)
        return computation.finish()
    }

    /// Returns the digest of all bytes. Call it once, at the end.
    package func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
            count = byteCount
        }
    }

    /// Returns the digest as `finish` does, in hexadecimal digits in lower case.
    package func finishAsText() -> String {
        let digits = finish().flatMap { byte in
            [ASCII.lowerHexDigit(byte >> 4), ASCII.lowerHexDigit(byte & 0xF)]
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

/// The headers with a digest that a request may have.
package struct DigestHeaders: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// `Content-MD5` (RFC 1864).
    package static let contentMD5 = DigestHeaders(rawValue: 1)
    /// `Digest` (RFC 3230).
    package static let digest = DigestHeaders(rawValue: 2)
    /// `Repr-Digest` (RFC 9530).
    package static let reprDigest = DigestHeaders(rawValue: 4)

    package static let all: DigestHeaders = [.contentMD5, .digest, .reprDigest]

    /// The headers for a resource. This reads a file, so it blocks.
    package func fields(of resource: Resource) throws(ResourceError) -> [HeaderField] {
        var fields: [HeaderField] = []
        if contains(.contentMD5) {
            let digest = Base64.encode(try resource.digest(.md5))
            fields.append(HeaderField(name: "Content-MD5", value: digest))
        }
        if contains(.digest) {
            let digest = Base64.encode(try resource.digest(.sha256))
            fields.append(HeaderField(name: "Digest", value: "SHA-256=\(digest)"))
        }
        if contains(.reprDigest) {
            let digest = Base64.encode(try resource.digest(.sha256))
            fields.append(HeaderField(name: "Repr-Digest", value: "sha-256=:\(digest):"))
        }
        return fields
    }
}
