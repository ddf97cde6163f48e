// swift-tools-version: 6.2
import PackageDescription

// The Swift blocks of the documents that need no trait, so that no other package is built.
// Tests/SwiftPackage/check writes the sources.

/// The targets of the documents: RESTWAY_DOCUMENTS has the names of their folders.
let documents: [Target] =
    (Context.environment["RESTWAY_DOCUMENTS"] ?? "").split(separator: " ").map { name in
        .target(
            name: "Document-\(name)", dependencies: [.product(name: "Restway", package: "restway")],
            path: "Blocks/\(name)", swiftSettings: [.swiftLanguageMode(.v6)])
    }

let package = Package(
    name: "documents", dependencies: [.package(name: "restway", path: "../../..")],
    targets: documents)
