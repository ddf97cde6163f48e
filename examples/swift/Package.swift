// swift-tools-version: 6.2
import PackageDescription

// RESTWAY_PACKAGE is the URL of a repository of Restway, and RESTWAY_TAG a tag in it. Without them
// the package takes the sources that it is a part of.
let restway: Package.Dependency =
    if let url = Context.environment["RESTWAY_PACKAGE"],
        let tag = Context.environment["RESTWAY_TAG"], let version = Version(tag)
    {
        .package(url: url, exact: version)
    } else {
        .package(name: "restway", path: "../..")
    }

let package = Package(
    name: "samples",
    dependencies: [restway],
    targets: ["notes", "issues", "inspection", "conflicts"].map { name in
        .executableTarget(
            name: name, dependencies: [.product(name: "Restway", package: "restway")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    }
)
