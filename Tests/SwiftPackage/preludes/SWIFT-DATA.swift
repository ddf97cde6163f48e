import Foundation
import Restway

let client: Client = try! Client(API(file: "tracker.json"))
let bytes = Data()
let data = Data()
let issue: Object = try! client.store.find("Issue", 3)!
let draft: Draft = try! client.draft(of: issue)
let drafts = [draft]
let query: Query = try! client.store.query("Issue")
nonisolated(unsafe) let parent = Progress(totalUnitCount: 1)
let pieces = AsyncStream<Data> { $0.finish() }

struct Issue: Mapped {
    static let entity = "Issue"
    static var names: [PartialKeyPath<Issue>: String] { [\.number: "number", \.state: "state"] }

    let number: Int
    let state: String
}

struct Order: Decodable {}

/// The digest of a stream.
struct Digest {
    func update(data: Data) {}
}

let digest = Digest()

/// The view of a program.
func show(_ issues: [Object]) {}
func show(_ issues: [Issue]) {}

/// The struct that a consumer of Arrow declares in C.
struct ArrowArrayStream {
    typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Void

    var functions: (OpaquePointer?, OpaquePointer?, OpaquePointer?)
    var release: Function?
    var privateData: UnsafeMutableRawPointer?

    init() { functions = (nil, nil, nil) }
}

/// A consumer of Arrow.
func scan(_ stream: UnsafeMutableRawPointer) {}
