// swift-tools-version: 6.2
import PackageDescription

// Tests of what the traits of the package bring, of types that are made from documents, and of the
// Swift blocks in the documents. They stand in a package of their own, so that the ordinary tests
// need no package but Restway. Tests/SwiftPackage/check writes what is missing here.

/// The targets of the documents: RESTWAY_DOCUMENTS has the names of their folders.
let documents: [Target] =
    (Context.environment["RESTWAY_DOCUMENTS"] ?? "").split(separator: " ").map { name in
        .target(
            name: "Document-\(name)", dependencies: [.product(name: "Restway", package: "restway")],
            path: "Documents/\(name)", swiftSettings: [.swiftLanguageMode(.v6)])
    }

/// A test target of types that `restway-stubs --swift` has written.
func generated(_ name: String) -> Target {
    .testTarget(
        name: name, dependencies: [.product(name: "Restway", package: "restway")],
        swiftSettings: [.swiftLanguageMode(.v6)])
}

let package = Package(
    name: "restway-traits",
    dependencies: [
        .package(name: "restway", path: "../../..", traits: ["Macros", "Logging", "Metrics"]),
        .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.1"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    ],
    targets: [
        // A link to Sources/RestwayMacros: no product has the macros, because programs link none.
        .target(
            name: "EntityMacros",
            dependencies: ["SwiftParser", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"].map { name in
                .product(name: name, package: "swift-syntax")
            },
            exclude: ["Plugin.swift"],
            swiftSettings: [.swiftLanguageMode(.v6), .define("Macros")]),
        .testTarget(
            name: "EntityMacroTests",
            dependencies: [
                "EntityMacros",
                .product(name: "SwiftSyntaxMacrosTestSupport", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
            ], swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "TraitTests",
            dependencies: [
                .product(name: "Restway", package: "restway"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ], swiftSettings: [.swiftLanguageMode(.v6)]),
        generated("TrackerTests"),
        generated("OddTests"),
    ] + documents
)
