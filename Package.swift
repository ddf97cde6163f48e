// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// The compiler settings of every Swift module.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// The settings of modules that use no pointers.
let safe = settings + [.strictMemorySafety()]

/// Whether only tests that start threads are built: `make tsan` sets the variable. The thread
/// sanitizer has nothing to find in the others.
let isOnlyForThreads = Context.environment["RESTWAY_TSAN"] != nil

/// A module of the core, and its XCTest target. `testsStartThreads` says whether some of its tests
/// start threads of their own, or use a part that does.
func module(
    _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = settings,
    testing testDependencies: [Target.Dependency] = [], testsStartThreads: Bool = true
) -> [Target] {
    let module = Target.target(name: name, dependencies: dependencies, swiftSettings: settings)
    if isOnlyForThreads && !testsStartThreads { return [module] }
    let tests = Target.testTarget(
        name: name + "Tests",
        dependencies: [.init(stringLiteral: name), "RandomRounds"] + dependencies
            + testDependencies,
        swiftSettings: [.swiftLanguageMode(.v6)])
    return [module, tests]
}

let systemLibraries: [Target] = [
    .systemLibrary(name: "CRestway", path: "Include"),
    .systemLibrary(
        name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(
        name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(
        name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
        name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
        name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CLinux"),
]

/// What the module `Restway` needs for the traits of the package.
let traits: [Target.Dependency] = [
    .target(name: "RestwayMacros", condition: .when(traits: ["Macros"])),
    .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
    .product(name: "CoreMetrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
]

let core: [Target] =
    module("RestwayText", [], testsStartThreads: false)
    + module("RestwayThreads", ["CLinux", "RestwayText"])
    + module("RestwayJSON", ["CJansson", "RestwayText"])
    + module("RestwaySQLite", ["CSQLite", "RestwayThreads"])
    + module("RestwayRouting", ["CCurl", "RestwayText"], testsStartThreads: false)
    + module("RestwayObjects", ["RestwayText", "RestwayThreads", "RestwayJSON"])
    + module(
        "RestwaySQLiteStore",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwaySQLite", "RestwayObjects",
        ])
    + module(
        "RestwayMapping",
        ["RestwayText", "RestwayThreads", "RestwayRouting", "RestwayObjects"],
        testsStartThreads: false)
    + module(
        "RestwayJansson",
        ["CJansson", "RestwayText", "RestwayJSON", "RestwayObjects", "RestwayMapping"])
    + module(
        "RestwayHTTP",
        [
            "CZlib", "CBrotli", "CZstd", "CCrypto", "RestwayText", "RestwayThreads",
            "RestwayJSON", "RestwayRouting",
        ], testsStartThreads: false)
    + module(
        "RestwayCurl",
        ["CCrypto", "CCurl", "CLinux", "RestwayThreads", "RestwayRouting", "RestwayHTTP"],
        testing: ["LoopbackServer"])
    + module(
        "RestwayOutcome",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwayRouting", "RestwayObjects",
            "RestwayMapping", "RestwayHTTP",
        ], testsStartThreads: false)
    + module(
        "RestwayDocument",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwayRouting", "RestwayObjects",
            "RestwayMapping", "RestwayJansson", "RestwayHTTP", "RestwayOutcome",
        ], testsStartThreads: false)
    + module(
        "RestwayPlugins",
        [
            "CLinux", "CRestway", "RestwayText", "RestwayThreads", "RestwayJSON", "RestwayRouting",
            "RestwayMapping", "RestwayJansson", "RestwayHTTP", "RestwayOutcome", "RestwayDocument",
        ],
        testing: ["RestwayObjects"])
    + module(
        "RestwayStore",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwayObjects", "RestwayMapping",
            "RestwayJansson", "RestwayOutcome", "RestwayDocument",
        ], testsStartThreads: false)
    + module(
        "RestwayBodies",
        [
            "CLinux", "RestwayText", "RestwayThreads", "RestwayRouting", "RestwayHTTP",
            "RestwayOutcome",
        ], testsStartThreads: false)
    + module(
        "RestwayRequests",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwayRouting", "RestwayObjects",
            "RestwayMapping", "RestwayJansson", "RestwayHTTP", "RestwayOutcome", "RestwayDocument",
            "RestwayPlugins", "RestwayStore", "RestwayBodies",
        ], testsStartThreads: false)
    + module(
        "RestwayCalls",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwayRouting", "RestwayObjects",
            "RestwayMapping", "RestwayJansson", "RestwayHTTP", "RestwayOutcome", "RestwayDocument",
            "RestwayPlugins", "RestwayStore", "RestwayBodies", "RestwayRequests",
        ], testsStartThreads: false)
    + module("RestwayArrow", ["CRestway", "RestwayStore"])
    + module(
        "RestwayAuth",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwayRouting", "RestwayMapping",
            "RestwayHTTP", "RestwayOutcome", "RestwayDocument", "RestwayRequests", "RestwayCalls",
        ], safe, testsStartThreads: false)
    + module(
        "RestwayPacing",
        [
            "RestwayThreads", "RestwayRouting", "RestwayHTTP", "RestwayOutcome", "RestwayDocument",
            "RestwayCalls",
        ], safe, testsStartThreads: false)
    + module(
        "RestwayCache",
        [
            "CLinux", "RestwayText", "RestwayThreads", "RestwaySQLite", "RestwayRouting",
            "RestwayHTTP", "RestwayOutcome", "RestwayDocument", "RestwayRequests", "RestwayCalls",
        ])
    + module(
        "RestwayBatch",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwayRouting", "RestwayHTTP",
            "RestwayOutcome", "RestwayDocument", "RestwayRequests", "RestwayCalls",
        ], safe, testsStartThreads: false)
    + module(
        "RestwayPages",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwayRouting", "RestwayObjects",
            "RestwayMapping", "RestwayJansson", "RestwayHTTP", "RestwayOutcome", "RestwayDocument",
            "RestwayPlugins", "RestwayStore", "RestwayRequests", "RestwayCalls",
        ], testsStartThreads: false)
    + module(
        "RestwayOutbox",
        [
            "CLinux", "RestwayText", "RestwayThreads", "RestwayJSON", "RestwaySQLite",
            "RestwayRouting", "RestwayObjects", "RestwayMapping", "RestwayHTTP", "RestwayOutcome",
            "RestwayDocument", "RestwayStore", "RestwayRequests", "RestwayCalls",
        ])
    + module(
        "RestwayClient",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwaySQLite", "RestwayRouting",
            "RestwayObjects", "RestwayMapping", "RestwayHTTP", "RestwayCurl", "RestwaySQLiteStore",
            "RestwayOutcome", "RestwayDocument", "RestwayPlugins", "RestwayStore",
            "RestwayRequests", "RestwayCalls", "RestwayAuth", "RestwayPacing", "RestwayCache",
            "RestwayBatch", "RestwayOutbox", "RestwayPages",
        ], testing: ["LoopbackServer", "RestwayBodies"])
    + module(
        "RestwayABI",
        [
            "CRestway", "RestwayText", "RestwayThreads", "RestwayJSON", "RestwayRouting",
            "RestwayObjects", "RestwayMapping", "RestwayHTTP", "RestwayOutcome", "RestwayDocument",
            "RestwayPlugins", "RestwayStore", "RestwayBodies", "RestwayRequests", "RestwayCalls",
            "RestwayArrow", "RestwayAuth", "RestwayPacing", "RestwayCache", "RestwayBatch",
            "RestwayOutbox", "RestwayPages", "RestwayClient",
        ])
    + module(
        "Restway",
        [
            "RestwayText", "RestwayThreads", "RestwayJSON", "RestwaySQLite", "RestwayRouting",
            "RestwayObjects", "RestwayMapping", "RestwayHTTP", "RestwayOutcome", "RestwayDocument",
            "RestwayPlugins", "RestwayStore", "RestwayBodies", "RestwayRequests", "RestwayCalls",
            "RestwayArrow", "RestwayAuth", "RestwayPacing", "RestwayCache", "RestwayBatch",
            "RestwayOutbox", "RestwayPages", "RestwayClient",
        ] + traits, testing: ["LoopbackServer", "CRestway"])

/// What several test targets share: a server on the loopback interface, and how many rounds tests
/// with random input have.
let testing: [Target] = [
    .target(name: "RandomRounds", path: "Tests/RandomRounds", swiftSettings: settings),
    .target(
        name: "LoopbackServer", dependencies: ["RestwayThreads"], path: "Tests/LoopbackServer",
        swiftSettings: settings)
]

/// The macros of the module `Restway`. Without the trait, nothing depends on this target, and it is
/// an empty program (docs/decisions/0036).
let macros: [Target] = [
    .macro(
        name: "RestwayMacros",
        dependencies: [
            "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax",
            "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
        ].map { name in
            .product(name: name, package: "swift-syntax", condition: .when(traits: ["Macros"]))
        }, swiftSettings: settings)
]

/// Random input for the mapping; its corpus runs as ordinary tests. libFuzzer provides the `main`
/// of the fuzzer itself, so it can only be built for fuzzing: `make fuzz`.
let fuzz: [Target] =
    isOnlyForThreads
    ? []
    : [
        .target(
            name: "MappingFuzz",
            dependencies: ["RestwayObjects", "RestwayMapping", "RestwayJansson"],
            path: "Tests/Fuzz/MappingFuzz", swiftSettings: settings),
        .testTarget(
            name: "MappingFuzzTests", dependencies: ["MappingFuzz"],
            path: "Tests/Fuzz/MappingFuzzTests", swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
    + (Context.environment["RESTWAY_FUZZ"] == nil
        ? []
        : [
            .executableTarget(
                name: "restway-fuzz", dependencies: ["MappingFuzz"], path: "Tests/Fuzz/Driver",
                swiftSettings: settings)
        ])

/// Performs the steps of scenarios with the module `Restway`: `make test-scenarios`.
let scenarios: [Target] = [
    .executableTarget(
        name: "ScenarioDriver", dependencies: ["Restway"], path: "Tests/Scenarios/swift",
        swiftSettings: [.swiftLanguageMode(.v6)])
]

/// A client of `make sync-check`, which uses the parts of the library without their faces.
let syncCheck: [Target] = [
    .executableTarget(
        name: "SyncCheckClient",
        dependencies: [
            "RestwayThreads", "RestwayJSON", "RestwaySQLite", "RestwayRouting", "RestwayObjects",
            "RestwayOutcome", "RestwayDocument", "RestwayStore", "RestwayRequests", "RestwayCalls",
            "RestwayOutbox", "RestwayClient",
        ], path: "Tests/SyncCheck/Client", swiftSettings: settings)
]

let package = Package(
    name: "restway",
    products: [
        .library(name: "restway", type: .dynamic, targets: ["RestwayABI"]),
        .library(name: "Restway", targets: ["Restway"]),
    ],
    traits: [
        .trait(name: "Macros", description: "The macro @Entity, which is built with swift-syntax."),
        .trait(name: "Logging", description: "Passes the log of the library to swift-log."),
        .trait(name: "Metrics", description: "Measures calls with swift-metrics."),
    ],
    // A package that only targets with a trait use is not fetched without this trait.
    dependencies: [
        // A wide range, because a program may have other macros, which bind it to one version.
        .package(url: "https://github.com/swiftlang/swift-syntax.git", "600.0.1"..<"604.0.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    ],
    targets: systemLibraries + core + testing + macros + fuzz + scenarios + syncCheck
)
