import Glibc
import RestwayJSON
import RestwayOutcome
import RestwayText

/// A document with the files that it includes, as one.
///
/// Sections whose members have names (`entities`, `routes`) and lists (`responses`) are joined, the
/// included files before the file that includes them. Every other key stands in one file alone.
struct DocumentFiles {
    /// The root nodes in the order in which they are joined.
    private var roots: [DocumentNode] = []
    /// The texts of the files, in the same order.
    private(set) var texts: [[UInt8]] = []
    /// The trees of the included files, which live as long as their nodes.
    private var trees: [JSONValue] = []
    private let place: FilePlace
    private let problems: DocumentProblems
    /// The files that are being read, from the document to the file that is read now: how messages
    /// name them, and their paths without links.
    private var chain: [(name: String, path: String)] = []
    private var known: Set<String> = []

    static let filesMax = 100

    /// - Parameter document: The object of the document itself.
    init(
        _ document: DocumentNode, _ text: [UInt8], at place: FilePlace,
        _ problems: DocumentProblems
    ) {
        self.place = place
        self.problems = problems
        if let path = place.path {
            let name = String(path.dropFirst(place.directory.count))
            chain.append((name, Self.canonical(path)))
            known.insert(Self.canonical(path))
        }
        add(document, text)
    }

    // MARK: Including

    private mutating func add(_ root: DocumentNode, _ text: [UInt8]) {
        guard let document = root.object(.document) else { return }
        if let version = document.required("restway"), version.value.integer != 1 {
            version.report("must be 1, the format's version")
        }
        // This is for editors; the library fetches nothing.
        _ = document["$schema"]?.string()
        for node in document["include"]?.expanding.oneOrMany() ?? [] { include(node) }
        roots.append(document)
        texts.append(text)
    }

    /// Reads the file that `node` names, with the files that it includes.
    private mutating func include(_ node: DocumentNode) {
        guard let text = node.pathText() else { return }
        guard !URLText.hasScheme(text) else {
            node.report("an included file is a path on this machine, not a URL")
            return
        }
        let name = node.place.directory.map { text.hasPrefix("/") ? text : $0 + text } ?? text
        let path = place.resolved(name)
        let canonical = Self.canonical(path)
        if let start = chain.firstIndex(where: { $0.path == canonical }) {
            let names = chain[start...].map(\.name) + [chain[start].name]
            node.report("the file includes itself: \(names.joined(separator: " -> "))")
            return
        }
        // A file that several files include is read once.
        guard known.insert(canonical).inserted else { return }
        guard known.count <= Self.filesMax else {
            node.report("a document has at most \(Self.filesMax) files")
            return
        }
        do throws(Failure) {
            let text = try FileText.read(path)
            read(text, name, canonical)
        } catch {
            node.report(error.message)
        }
    }

    private mutating func read(_ text: [UInt8], _ name: String, _ canonical: String) {
        do throws(JSONError) {
            let tree = try text.withUnsafeBufferPointer { text throws(JSONError) in
                try JSONValue.parse(UnsafeRawBufferPointer(text), DocumentNode.options)
            }
            trees.append(tree)
            chain.append((name, canonical))
            let root = DocumentNode(
                value: tree.borrowedTree, place: .file(name), problems: problems)
            add(root, text)
            chain.removeLast()
        } catch {
            problems.report(.file(name), error.message)
        }
    }

    private static func canonical(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    // MARK: Joined sections

    /// The value of a key that stands in one file alone.
    subscript(key: String) -> DocumentNode? {
        let nodes = roots.compactMap { $0[key] }
        for node in nodes.dropFirst() {
            node.report("\"\(key)\" stands in \(nodes[0].place.fileName) already")
        }
        return nodes.first
    }

    /// The values of a key that each file may have.
    func each(_ key: String) -> [DocumentNode] { roots.compactMap { $0[key] } }

    /// Reads the key into `value`, which stays as it is if the key is missing or has a problem.
    func read<Value>(_ key: String, into value: inout Value, _ read: (DocumentNode) -> Value?) {
        if let member = self[key].flatMap(read) { value = member }
    }

    /// The members of a section with names. A name that stands twice is a problem.
    func members(_ key: String, expanding: Bool = false) -> [(name: String, node: DocumentNode)] {
        var sections = roots.compactMap { $0[key] }
        if expanding { sections = sections.map(\.expanding) }
        if sections.count == 1 { return sections[0].namedMembers() ?? [] }
        var joined: [(name: String, node: DocumentNode)] = []
        var files: [String: String] = [:]
        for (name, node) in sections.flatMap({ $0.namedMembers() ?? [] }) {
            if let file = files[name] {
                node.report("\"\(name)\" stands in \(file) already")
            } else {
                files[name] = node.place.fileName
                joined.append((name, node))
            }
        }
        return joined
    }

    /// The elements of a list.
    func elements(_ key: String) -> [DocumentNode] {
        roots.compactMap { $0[key] }.flatMap { $0.elements() ?? [] }
    }
}

/// The file of a document.
struct FilePlace {
    /// `nil` if the document is in memory.
    let path: String?

    /// The folder of the file, with a slash at its end; empty for the working directory.
    var directory: String { path.map(Self.directory(of:)) ?? "" }

    /// Returns a path that is relative to the document as one for this process.
    func resolved(_ path: String) -> String {
        path.hasPrefix("/") ? path : directory + path
    }

    static func directory(of path: String) -> String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return slash.map { String(path[...$0]) } ?? ""
    }
}

extension DocumentPlace {
    /// The name of the included file that holds this place; `nil` for the document itself.
    private var file: String? {
        var place = self
        while true {
            switch place {
            case .root: return nil
            case .file(let name): return name
            case .member(let parent, _), .element(let parent, _): place = parent
            }
        }
    }

    /// The folder of the included file, relative to the document's; `nil` for the document itself.
    var directory: String? { file.map(FilePlace.directory(of:)) }

    /// The file as a message names it.
    var fileName: String { file.map { "\"\($0)\"" } ?? "the document" }
}
