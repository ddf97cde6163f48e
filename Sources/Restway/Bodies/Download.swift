import RestwayBodies
import RestwayOutcome
import RestwayRequests

/// A body that was saved in a file, in place of memory.
public struct SavedFile: Sendable {
    private let core: SavedBody
    /// The answer without its body.
    public let response: Response

    fileprivate init(_ core: SavedBody, _ response: Response) {
        self.core = core
        self.response = response
    }

    /// The path of the file; `nil` if the body went to a descriptor.
    ///
    /// A route whose answers are saved without being asked makes a temporary file, which ends with
    /// the last copy of its response.
    public var path: String? { core.path }

    /// The number of bytes, without a content coding.
    public var length: Int64 { core.length }

    /// The SHA-256 digest in hexadecimal digits; `nil` if it was not asked for.
    public var digest: String? { core.digest }

    /// The number of bytes that an earlier attempt had received, so that the server did not send
    /// them again.
    public var resumedFrom: Int64 { core.resumedFrom }

    /// The name under which the server suggests to save the body, made safe for any folder.
    public var suggestedName: String? { response.suggestedName }
}

extension SavedFile {
    /// Sends a request and saves the body of its answer.
    fileprivate static func receive(
        _ client: Client, _ request: Request, _ destination: BodyDestination, _ bytesMax: Int64?,
        _ progress: ProgressReporter?
    ) async throws(RestwayError) -> SavedFile {
        if let bytesMax { try RestwayError.check(bytesMax, in: 0 ... .max, "bytesMax") }
        let response = try await client.send(request, progress) { spec in
            spec.reception.bodyDestination = destination
            spec.reception.saveBytesMax = bytesMax
        }
        guard let saved = response.saved else {
            throw RestwayError(
                Failure(.internal, "the body of the answer was not saved"), of: client.source)
        }
        return saved
    }
}

extension Response {
    /// The file in which the body was saved; `nil` if the body is in memory.
    public var saved: SavedFile? { core.saved.map { SavedFile($0, self) } }

    /// The name under which the server suggests to save the body, made safe for any folder.
    public var suggestedName: String? { core.suggestedName }
}

/// Downloads: the body of the answer is saved in a file. It is not mapped.
extension Client {
    /// Sends a request and saves the body of its answer in a file.
    ///
    ///     let file = try await client.download(Request(.get, "reports/7"), to: "report.pdf")
    ///     print(file.length, file.suggestedName ?? "")
    ///
    /// The file gets its name when the body is complete, in one step; a file that is there is
    /// replaced. Within the call, an attempt goes on after the bytes of the attempt before.
    ///
    /// - Parameters:
    ///   - keepsPart: Whether the part that was received stays beside the file after a failure, and
    ///     a later call goes on with it.
    ///   - digesting: Whether the SHA-256 digest of the file is computed.
    ///   - bytesMax: The size limit of the file; `nil` for the client's. 0 is no limit.
    /// - Throws: A `RestwayError` as `send` does; `io` if the file cannot be written.
    @discardableResult
    public func download(
        _ request: Request, to path: String, keepsPart: Bool = false, digesting: Bool = false,
        bytesMax: Int64? = nil, progress: ProgressReporter? = nil
    ) async throws(RestwayError) -> SavedFile {
        let plan = SavePlan(path: path, keepsPart: keepsPart, computesDigest: digesting)
        return try await SavedFile.receive(self, request, .file(plan), bytesMax, progress)
    }

    /// Gets a path or a route and saves the body of the answer in a file.
    @discardableResult
    public func download(
        _ target: Target, to path: String, variables: Values = [:], parameters: Values = [:],
        headers: Headers = [:], keepsPart: Bool = false, digesting: Bool = false,
        bytesMax: Int64? = nil, progress: ProgressReporter? = nil
    ) async throws(RestwayError) -> SavedFile {
        try await download(
            Request(.get, target, variables, parameters, headers, nil), to: path,
            keepsPart: keepsPart, digesting: digesting, bytesMax: bytesMax, progress: progress)
    }

    /// Sends a request and writes the body of its answer to a duplicate of an open descriptor.
    @discardableResult
    public func download(
        _ request: Request, toDescriptor descriptor: Int32, bytesMax: Int64? = nil,
        progress: ProgressReporter? = nil
    ) async throws(RestwayError) -> SavedFile {
        let duplicate = try RestwayError.explaining { () throws(Failure) in
            try SaveDescriptor(duplicating: descriptor)
        }
        return try await SavedFile.receive(
            self, request, .descriptor(duplicate), bytesMax, progress)
    }
}
