import ProtobufWire
import Testing

@testable import GRPCServices

@Suite struct `The descriptor pool` {
  static let base = Fields()
    .text(1, "base.proto").text(2, "base")
    .message(4, Fields().text(1, "Open").message(5, Fields().number(1, 100).number(2, 200)))
  static let more = Fields()
    .text(1, "more.proto").text(3, "base.proto")
    .message(
      4,
      Fields().text(1, "Holder")
        .message(2, Fields().text(1, "field").number(3, 1))
        .message(8, Fields().text(1, "choice"))
        .message(3, Fields().text(1, "Inner"))
        .message(4, Fields().text(1, "Kind").message(2, Fields().text(1, "KIND_A")))
        .message(6, Fields().text(1, "nested_extension").text(2, ".base.Open").number(3, 101))
    )
    .message(5, Fields().text(1, "Outer").message(2, Fields().text(1, "OUTER_A")))
    .message(6, Fields().text(1, "Service").message(2, Fields().text(1, "Method")))
    .message(7, Fields().text(1, "extension").text(2, ".base.Open").number(3, 150))
  /// Two files, one without a package, with extensions of the other's message.
  static let set = Fields().message(1, base).message(1, more).encodedBytes

  private let pool = DescriptorPool([set, DescriptorPool.standardSet])

  // G-126
  @Test(arguments: [
    "Holder", "Holder.field", "Holder.choice", "Holder.Inner", "Holder.Kind", "Holder.KIND_A",
    "Holder.nested_extension",
    "Outer", "OUTER_A", "Service", "Service.Method", "extension",
  ])
  func `knows where each kind of name is defined`(symbol: String) {
    #expect(pool.file(defining: symbol) == 1)
  }

  @Test(arguments: ["", "base", "Open", ".base.Open", "Holder.", "holder", "Service.Method.x"])
  func `does not know other names`(symbol: String) {
    #expect(pool.file(defining: symbol) == nil)
  }

  // G-126
  @Test func `knows extensions by type and number`() {
    #expect(pool.extensionNumbers(of: "base.Open") == [101, 150])
    #expect(pool.file(extending: "base.Open", number: 150) == 1)
    #expect(pool.file(extending: "base.Open", number: 151) == nil)
    #expect(pool.extensionNumbers(of: "Holder") == [])
    #expect(pool.extensionNumbers(of: "Nobody") == nil)
  }

  // G-126: also of descriptor.proto and of the two services themselves.
  @Test(arguments: [
    "google.protobuf.FileDescriptorProto", "grpc.health.v1.Health.Watch",
    "grpc.reflection.v1.ServerReflection.ServerReflectionInfo",
    "grpc.reflection.v1alpha.ServerReflection.ServerReflectionInfo",
  ])
  func `describes the standard services`(symbol: String) throws {
    let file = try #require(pool.file(defining: symbol))
    #expect(pool.closure(of: file).first == file)
  }

  @Test func `gives a file with all that it imports, each once`() throws {
    #expect(pool.closure(of: try #require(pool.file(named: "more.proto"))) == [1, 0])
    #expect(pool.closure(of: try #require(pool.file(named: "base.proto"))) == [0])
    #expect(pool.bytes(of: 0) == Self.base.encodedBytes)
  }

  @Test func `takes a file that is in two sets once`() {
    #expect(DescriptorPool([Self.set, Self.set]).fileCount == 2)
  }
}
