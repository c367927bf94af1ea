// swift-tools-version: 6.2
import PackageDescription

// One language mode, one set of upcoming features and no warnings, for every Swift target (style of the project:
// docs/architecture.md).
let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

// The import arrows: a target may import what stands in its list and nothing else; CI builds with
// `--explicit-target-dependency-import-check error`.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: swift)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, resources: resources, swiftSettings: swift)
}

// C that the tree holds: generated code, or a few lines of our own.
func cModule(_ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
  .target(name: name, dependencies: dependencies, path: path, cSettings: [.treatAllWarnings(as: .error)])
}

let package = Package(
  name: "energykit-server",
  // What scripts/fuzz links with libFuzzer.
  products: [.library(name: "FuzzTargets", type: .static, targets: ["FuzzTargets"])],
  targets: [
    // Below both stacks.
    module("Locking"),
    .systemLibrary(name: "COpenSSL"),
    module("Cryptography", ["COpenSSL"]),
    module("Diagnostics", ["Locking"]),
    // Energy: knows nothing of bytes.
    module("EnergyModel"),
    module("LocalTime", ["EnergyModel"]),
    module("EnergyAnalysis", ["EnergyModel", "LocalTime"]),
    module("GridData", ["EnergyModel", "LocalTime"]),
    .systemLibrary(name: "CGEOS", providers: [.apt(["libgeos-dev"])]),
    .target(
      name: "CRegionData", exclude: ["data"], cSettings: [.treatAllWarnings(as: .error)]),
    module("Regions", ["CGEOS", "CRegionData", "Locking"]),
    module("Storage", ["EnergyModel", "Locking"]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    module("SQLiteStorage", ["Storage", "EnergyModel", "Locking", "CSQLite"]),
    module(
      "EnergyService",
      ["EnergyModel", "EnergyAnalysis", "GridData", "LocalTime", "Storage", "Cryptography", "Locking"]),
    // Bytes: know nothing of energy.
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    module("NetworkIO", ["CUV", "Locking"]),
    module("TLS", ["COpenSSL"]),
    .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    module("HTTP2", ["CNghttp2"]),
    module("GRPC"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    module("Compression", ["CZlib"]),
    module("GRPCTransport", ["NetworkIO", "HTTP2", "TLS", "Compression", "GRPC", "Locking"]),
    // Where the two meet.
    .systemLibrary(
      name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    module("ProtobufWire", ["CProtobufC"]),
    // Services that gRPC servers have in common.
    cModule("CGRPCProto", ["CProtobufC"]),
    module("GRPCServices", ["GRPC", "ProtobufWire", "CGRPCProto", "CProtobufC", "Locking"]),
    cModule("CEnergyProto", ["CProtobufC"]),
    module("EnergyWire", ["EnergyModel", "GRPC", "ProtobufWire", "CEnergyProto", "CProtobufC"]),
    module(
      "EnergyRPC", ["EnergyWire", "EnergyService", "EnergyModel", "ProtobufWire", "Storage", "GRPC", "Locking"]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    module("AdminHTTP", ["CMicroHTTPD"]),
    module("EnergyClient", ["EnergyWire", "EnergyModel", "GRPC", "GRPCTransport"]),
    .systemLibrary(name: "CGetopt"),
    .executableTarget(
      name: "energykitctl",
      dependencies: [
        "CGetopt", "EnergyClient", "EnergyModel", "EnergyWire", "GRPC", "GRPCTransport", "LocalTime", "NetworkIO",
        "TLS",
      ],
      swiftSettings: swift),
    .executableTarget(
      name: "energykitd",
      dependencies: [
        "AdminHTTP", "CGetopt", "Diagnostics", "EnergyAnalysis", "EnergyModel", "EnergyRPC", "EnergyService",
        "EnergyWire", "GRPC",
        "GRPCServices", "GRPCTransport", "GridData", "Locking", "NetworkIO", "Regions", "SQLiteStorage", "Storage",
        "TLS",
      ],
      swiftSettings: swift),
    // Programs that measure.
    .executableTarget(
      name: "StorageBench", dependencies: ["EnergyModel", "Storage", "SQLiteStorage", "Locking"],
      path: "Benchmarks/StorageBench", swiftSettings: swift),
    // Tests. TestSupport, and the servers and the client that Tests/RPC starts, are theirs alone.
    module(
      "TestServer", ["GRPCServices", "GRPCTransport", "GRPC", "NetworkIO", "Locking", "TLS"], path: "Tests/TestServer"),
    .executableTarget(
      name: "grpc-echo-server", dependencies: ["TestServer", "GRPCTransport", "GRPC", "Locking"],
      path: "Tests/EchoServer", swiftSettings: swift),
    cModule("CTestingProto", ["CProtobufC"], path: "Tests/CTestingProto"),
    .executableTarget(
      name: "grpc-interop-server",
      dependencies: ["TestServer", "ProtobufWire", "GRPC", "CTestingProto", "CProtobufC"],
      path: "Tests/InteropServer", swiftSettings: swift),
    .executableTarget(
      name: "grpc-echo-client", dependencies: ["GRPCTransport", "GRPC", "NetworkIO", "TLS"],
      path: "Tests/EchoClient", swiftSettings: swift),
    module(
      "FuzzTargets",
      [
        "Compression", "EnergyModel", "EnergyWire", "GRPC", "GRPCServices", "GRPCTransport", "NetworkIO",
        "ProtobufWire",
        "TestSupport",
      ],
      path: "Tests/Fuzz/Targets"),
    module("TestSupport", ["GRPC", "NetworkIO", "Locking"], path: "Tests/TestSupport"),
    tests(
      "energykitdTests",
      [
        "energykitd", "Diagnostics", "EnergyModel", "GRPC", "GRPCTransport", "Locking", "NetworkIO", "Storage",
        "TestSupport",
      ]),
    tests(
      "energykitctlTests", ["energykitctl", "EnergyModel", "EnergyWire", "GRPC", "LocalTime", "TestSupport"]),
    tests("LockingTests", ["Locking"]),
    tests("AdminHTTPTests", ["AdminHTTP"]),
    tests("DiagnosticsTests", ["Diagnostics"]),
    tests("NetworkIOTests", ["NetworkIO", "Locking", "TestSupport"]),
    tests("EnergyModelTests", ["EnergyModel"]),
    module(
      "ServiceTestSupport", ["EnergyService", "EnergyModel", "GridData", "Storage", "Locking"],
      path: "Tests/ServiceTestSupport"),
    tests(
      "EnergyServiceTests",
      ["EnergyService", "EnergyModel", "EnergyAnalysis", "GridData", "Storage", "Locking", "ServiceTestSupport"]),
    tests(
      "EnergyRPCTests",
      [
        "EnergyRPC", "EnergyWire", "EnergyService", "EnergyModel", "EnergyAnalysis", "Storage", "GRPC", "Locking",
        "ServiceTestSupport", "TestSupport",
      ]),
    tests("LocalTimeTests", ["EnergyModel", "LocalTime"]),
    tests(
      "EnergyAnalysisTests", ["EnergyAnalysis", "EnergyModel", "LocalTime"], resources: [.copy("Vectors")]),
    tests("GridDataTests", ["GridData", "EnergyAnalysis", "EnergyModel", "LocalTime"]),
    tests("CryptographyTests", ["Cryptography"]),
    tests("RegionsTests", ["Regions"], resources: [.copy("membership_cases.json")]),
    module("TLSTestSupport", ["TLS", "COpenSSL"], path: "Tests/TLSTestSupport"),
    tests("TLSTests", ["TLS", "COpenSSL", "TLSTestSupport"]),
    tests("HTTP2Tests", ["HTTP2", "CNghttp2"]),
    tests("CompressionTests", ["Compression", "CZlib"]),
    tests("GRPCServicesTests", ["GRPCServices", "GRPC", "ProtobufWire", "TestSupport"]),
    tests("GRPCTests", ["GRPC", "TestSupport"]),
    tests(
      "GRPCTransportTests",
      ["GRPCTransport", "Compression", "NetworkIO", "HTTP2", "TLS", "GRPC", "Locking", "TestSupport", "TLSTestSupport"]),
    module("StorageTestSupport", ["EnergyModel", "Storage", "Locking"], path: "Tests/StorageTestSupport"),
    tests("StorageTests", ["EnergyModel", "Storage", "SQLiteStorage", "StorageTestSupport", "Locking"]),
    tests(
      "EnergyWireTests",
      ["EnergyWire", "EnergyModel", "GRPC", "ProtobufWire", "CEnergyProto", "CProtobufC", "TestSupport"]),
    tests("SQLiteStorageTests", ["EnergyModel", "Storage", "SQLiteStorage", "StorageTestSupport", "Locking"]),
  ]
)
