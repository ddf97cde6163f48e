import Glibc
import RestwayHTTP
import RestwayOutcome
import RestwayThreads

/// A file into which the body of an answer is saved.
package struct SavePlan: Sendable {
    package let path: String
    /// Whether the part that was received stays after a failure, and a later call goes on from it.
    package let keepsPart: Bool
    /// Whether the digest of the file is computed.
    package let computesDigest: Bool
    /// Whether only the owner can read the file, which ends with its response.
    package private(set) var isTemporary = false
    /// The size limit of the file; 0 for no limit.
    package var bytesMax: Int64 = 0

    package init(path: String, keepsPart: Bool = false, computesDigest: Bool = false) {
        self.path = path
        self.keepsPart = keepsPart
        self.computesDigest = computesDigest
    }

    /// Makes a plan for a new file in the system's folder for temporary files.
    package static func temporary() -> SavePlan {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let name = "restway-" + DownloadFile.randomText()
        var plan = SavePlan(path: (folder.isEmpty ? "/tmp" : folder) + "/" + name)
        plan.isTemporary = true
        return plan
    }

    /// Makes the target of a call.
    ///
    /// - Parameters:
    ///   - url: The URL of the call's first request, by which a part is recognised.
    ///   - sharesFile: Whether the response cache may keep the body.
    package func target(url: String, sharesFile: Bool) -> any BodyTarget {
        FileTarget(self, url: url, sharesFile: sharesFile)
    }
}

/// Saves the body of the successful answer of a call in a file. Within a call, an attempt goes on
/// from the bytes of the attempt before, if the server can send the rest.
///
/// `@unchecked Sendable`: `BodyPump` calls one function at a time; `accepts` comes before them.
final class FileTarget: BodyTarget, @unchecked Sendable {
    private let plan: SavePlan
    /// The URL of the call's first request, by which a part is recognised.
    private let url: String
    private let sharesFile: Bool
    private var file: DownloadFile?
    private var part = PartialBody()
    /// Whether the program asks for the whole body, and not for a range.
    private var wantsWhole = true
    private var digest: DigestComputation?
    /// The number of bytes that the last answer did not send, because they were there.
    private var resumedFrom: Int64 = 0
    private let generation = ProcessGeneration.current

    /// - Parameter sharesFile: Whether the response cache may keep the body.
    init(_ plan: SavePlan, url: String, sharesFile: Bool) {
        self.plan = plan
        self.url = url
        self.sharesFile = sharesFile
    }

    deinit {
        // A forked child has no part in the files of its parent.
        guard generation == ProcessGeneration.current else { return }
        if let file, !isWorthKeeping { file.remove() }
    }

    /// Whether the part stays behind when the call ends.
    private var isWorthKeeping: Bool {
        plan.keepsPart && part.length > 0 && part.validator != nil
    }

    func prepare(_ exchange: inout Exchange) throws(Failure) {
        if file == nil {
            let opened = try DownloadFile(path: plan.path, keepsPart: plan.keepsPart)
            file = opened
            part = opened.part(of: url) ?? PartialBody()
        }
        wantsWhole = !exchange.headers.contains { $0.isNamed("Range") }
        if exchange.method != "GET" || !wantsWhole { part.drop() }
        exchange.headers += part.ask()
    }

    func accepts(_ head: ResponseHead) -> Bool {
        var part = part
        return part.begin(head) != .other
    }

    func begin(_ head: ResponseHead) throws(Failure) -> BodyBeginning {
        guard let file else { throw Failure(.internal, "no file is open for the body") }
        switch part.begin(head) {
        case .whole:
            if head.status == 206, wantsWhole {
                throw Failure(
                    .protocolViolation,
                    "the server sent a part of the body (206), although the whole was asked for")
            }
            resumedFrom = 0
            digest = plan.computesDigest ? try DownloadFile.newDigest() : nil
            try file.begin(at: 0)
            if plan.keepsPart { try file.describe(part, of: url) }
            return .takes
        case .rest(let start):
            resumedFrom = start
            try file.begin(at: start)
            if plan.computesDigest { digest = try file.digest(of: start) }
            return .takes
        case .mismatch, .other:
            part.drop()
            try file.begin(at: 0)
            return .restart
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> BodyFlow {
        guard plan.bytesMax == 0 || part.length + Int64(bytes.count) <= plan.bytesMax else {
            // A part of a file that is too large is of no use to a later call.
            part.drop()
            throw Failure(
                .tooLarge,
                "\(plan.path): the body is larger than \(plan.bytesMax) bytes (save_bytes_max)")
        }
        try file?.write(bytes)
        part.length += Int64(bytes.count)
        digest?.add(bytes)
        return .proceed
    }

    func finish() throws(Failure) -> SavedBody? {
        guard let file else { return nil }
        guard part.isComplete else {
            let total = part.total.map(String.init) ?? "?"
            var failure = Failure(
                .connectionLost, "\(plan.path): \(part.length) of \(total) bytes have come")
            failure.isRetryable = true
            throw failure
        }
        // The cache reads the bytes that were received, even if another download has replaced the
        // file by then. A range that the program asked for is not the body.
        let content = sharesFile && wantsWhole ? file.content() : nil
        try file.publish(isPrivate: plan.isTemporary)
        self.file = nil
        return SavedBody(
            path: plan.path, length: part.length, digest: digest?.finishAsText(),
            resumedFrom: resumedFrom,
            temporary: plan.isTemporary ? TemporaryFile(path: plan.path) : nil, content: content)
    }

    var mayBeginAgain: Bool { true }

    /// A part that stays is closed, and read again by the next attempt or the next call. So it is
    /// free when the call ends. Any other file stays open, because it may have no name.
    func abandon() {
        guard let file else { return }
        if isWorthKeeping {
            self.file = nil
        } else if part.length == 0 || part.validator == nil {
            file.remove()
            self.file = nil
        }
    }
}
