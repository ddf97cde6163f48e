/// Undoes the content codings of a body (RFC 9110, section 8.4) piece by piece and strictly: a
/// truncated or padded body is an error, not a shorter body.
///
/// A coding that is not known stays: many servers write names that are no codings (`utf-8`, `none`,
/// `aws-chunked`), and the client has not asked for any other coding. Codings that were applied
/// after it are undone.
///
/// One thread at a time uses it.
package final class ContentDecoder {
    /// The codings that can be undone, as the value of `Accept-Encoding`.
    package static let accepted = "gzip, deflate, br, zstd"
    /// The limit on codings. A body with more than one coding is very rare, and stacked codings can
    /// hide a huge body in a small body.
    private static let codingsMax = 4

    /// The codings from the outermost to the innermost, up to the first one that is not known;
    /// empty if the body has no coding, or stays as it was sent.
    private let steps: [any CodingDecoder]
    private var hasBegun = false

    /// - Parameters:
    ///   - headers: The headers of the response; `Content-Encoding` is read.
    ///   - bytesMax: The limit on the bytes that any step may produce.
    package init(_ headers: Headers, bytesMax: Int) throws(BodyError) {
        let names = Self.codings(headers)
        guard names.count <= Self.codingsMax else {
            throw .tooManyCodings(max: Self.codingsMax)
        }
        var steps: [any CodingDecoder] = []
        for name in names.reversed() {
            guard let step = try Self.step(name, bytesMax) else { break }
            steps.append(step)
        }
        self.steps = steps
    }

    /// Returns why a body may not be readable: one of its codings is not known. `nil` if all are.
    package static func reasonNotDecoded(_ headers: Headers) -> String? {
        codings(headers).first { !known.contains($0) }
            .map { "the body's content coding is unknown: \($0.prefix(40))" }
    }

    /// Whether the body has a coding that is undone.
    package var hasCoding: Bool { !steps.isEmpty }

    /// Decodes a piece of the body.
    ///
    /// - Parameter receive: Receives decoded bytes, borrowed until it returns: never, once or
    ///   several times.
    package func feed(
        _ piece: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(BodyError) -> Void
    ) throws(BodyError) {
        guard !piece.isEmpty else { return }
        hasBegun = true
        try feed(piece, from: 0, receive)
    }

    /// Ends the body. An empty body is complete in any coding, because the answer to HEAD may name
    /// a coding too.
    package func end() throws(BodyError) {
        guard hasBegun else { return }
        for step in steps { try step.end() }
    }

    private func feed(
        _ piece: UnsafeRawBufferPointer, from index: Int,
        _ receive: (UnsafeRawBufferPointer) throws(BodyError) -> Void
    ) throws(BodyError) {
        guard index < steps.count else { return try receive(piece) }
        try steps[index].feed(piece) { decoded throws(BodyError) in
            try feed(decoded, from: index + 1, receive)
        }
    }

    /// Decodes a whole body. Without a coding that can be undone it is returned unchanged, and no
    /// other reference to it is kept.
    package static func decode(
        _ body: consuming [UInt8], headers: Headers, bytesMax: Int
    ) throws(BodyError) -> [UInt8] {
        guard !body.isEmpty else { return body }
        let decoder = try ContentDecoder(headers, bytesMax: bytesMax)
        guard decoder.hasCoding else { return body }
        var decoded: [UInt8] = []
        try body.withUnsafeBufferPointer { bytes throws(BodyError) in
            try decoder.feed(UnsafeRawBufferPointer(bytes)) { (piece) throws(BodyError) in
                decoded.append(contentsOf: piece)
            }
        }
        try decoder.end()
        return decoded
    }

    // MARK: Codings

    /// The names of the codings in the order in which they were applied.
    private static func codings(_ headers: Headers) -> [String] {
        guard let codings = headers.joined("Content-Encoding") else { return [] }
        return codings.utf8.split(separator: UInt8(ascii: ","))
            .map { Headers.trimmed(Substring($0)).lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }

    private static let known = ["gzip", "x-gzip", "deflate", "br", "zstd"]

    /// Returns what undoes a coding; `nil` if the coding is not known.
    private static func step(
        _ name: String, _ bytesMax: Int
    ) throws(BodyError) -> (any CodingDecoder)? {
        let limit = DecodedLimit(coding: name, bytesMax: bytesMax)
        switch name {
        case "gzip", "x-gzip": return try ZlibDecoder(.gzip, limit)
        case "deflate": return DeflateDecoder(limit)
        case "br": return try BrotliDecoder(limit)
        case "zstd": return try ZstdDecoder(limit)
        default: return nil
        }
    }
}

/// Why a body cannot be decoded.
package enum BodyError: Error, Equatable, Sendable {
    /// The decoded body would exceed the limit.
    case tooLarge(bytesMax: Int)
    /// The compressed stream ends too early.
    case truncated(coding: String)
    /// The compressed stream is invalid.
    case corrupt(coding: String)
    /// More bytes follow the end of the compressed stream.
    case trailingBytes(coding: String, count: Int)
    case tooManyCodings(max: Int)
    /// The receiver of the decoded bytes takes no more.
    case refused
    case outOfMemory

    package var message: String {
        switch self {
        case .tooLarge(let bytesMax):
            "the decoded body is larger than \(bytesMax) bytes"
        case .truncated(let coding):
            "the \(coding) body is truncated"
        case .corrupt(let coding):
            "the \(coding) body is corrupt"
        case .trailingBytes(let coding, let count):
            "\(count) bytes stand behind the end of the \(coding) body"
        case .tooManyCodings(let max):
            "the body has more than \(max) content codings"
        case .refused:
            "the decoded body was refused"
        case .outOfMemory:
            "no memory is left to decode the body"
        }
    }
}
