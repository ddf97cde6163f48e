// swift-tools-version: 6.2
import PackageDescription

// Programs of the benchmarks: Restway as Swift programs use it, and AsyncHTTPClient with
// JSONDecoder. They are a package of their own, because the library itself needs no other package.

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
    name: "clients",
    dependencies: [
        .package(name: "restway", path: "../../.."),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    ],
    targets: [
        .target(name: "Measuring", swiftSettings: settings),
        .executableTarget(
            name: "restway-clients",
            dependencies: ["Measuring", .product(name: "Restway", package: "restway")],
            swiftSettings: settings),
        .executableTarget(
            name: "other-clients",
            dependencies: [
                "Measuring", .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ], swiftSettings: settings),
    ]
)
