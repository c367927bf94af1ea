import GRPC
import ProtobufWire
import TestSupport
import Testing

@testable import GRPCServices

@Suite struct `The reflection service` {
  private static let v1 = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
  private static let v1alpha = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"

  private let executor = ManualExecutor()
  private let service = ReflectionService(
    of: [Method(path: "/a.v1.Known/Do", handler: .oneRequest { _, _ in })],
    pool: DescriptorPool([`The descriptor pool`.set, DescriptorPool.standardSet]))

  /// A stream and its consumer.
  private func open(_ path: String = v1) throws -> (call: RecordedCall, consumer: any RequestConsumer) {
    let method = try #require(service.methods.first { $0.path == path })
    let call = RecordedCall(on: executor)
    guard case .manyRequests(let make) = method.handler else { throw Status(.internal) }
    return (call, executor.run { make(call) })
  }

  private func ask(_ consumer: any RequestConsumer, _ request: Fields, ready: @escaping () -> Void = {}) -> Bool {
    executor.run { request.encodedBytes.withUnsafeBytes { consumer.receive($0, ready: ready) } }
  }

  /// The last answer.
  private func answer(_ call: RecordedCall) throws -> Fields { Fields(try #require(call.messages.last)) }

  // G-124, G-125
  @Test(arguments: [v1, v1alpha]) func `lists what is served, itself included`(path: String) throws {
    let (call, consumer) = try open(path)
    #expect(ask(consumer, Fields().text(7, "*")))
    #expect(
      try answer(call).messages(6).first?.messages(1).map { $0.texts(1).first } == [
        "a.v1.Known", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
      ])
    executor.run { consumer.receiveEnd() }
    #expect(call.status == .ok)
  }

  // G-126
  @Test func `repeats the host and the request`() throws {
    let (call, consumer) = try open()
    let request = Fields().text(1, "example.org").text(4, "Holder").number(99, 5)
    #expect(ask(consumer, request))
    #expect(try answer(call).texts(1) == ["example.org"])
    #expect(try answer(call).messages(2) == [request])
  }

  // G-126: the whole closure, and what was sent on the stream is not sent again unless it is asked for.
  @Test func `gives files with their imports`() throws {
    let (call, consumer) = try open()
    let questions = [
      Fields().text(3, "more.proto"), Fields().text(4, "Service.Method"), Fields().text(3, "base.proto"),
    ]
    let files = try questions.map { question in
      #expect(ask(consumer, question))
      return try answer(call).messages(4).first?.messages(1).map { $0.texts(1).first }
    }
    #expect(files == [["more.proto", "base.proto"], ["more.proto"], ["base.proto"]])
  }

  // G-126
  @Test func `tells of extensions`() throws {
    let (call, consumer) = try open()
    #expect(ask(consumer, Fields().text(6, "base.Open")))
    #expect(try answer(call).messages(5) == [Fields().text(1, "base.Open").bytes(2, [101, 150, 1])])
    #expect(ask(consumer, Fields().message(5, Fields().text(1, "base.Open").number(2, 150))))
    #expect(try answer(call).messages(4).first?.messages(1).first?.texts(1) == ["more.proto"])
  }

  // G-127
  @Test(
    arguments: [
      (Fields().text(3, "no.proto"), 5), (Fields().text(4, "no.Symbol"), 5), (Fields().text(4, "Holder\0x"), 5),
      (Fields().message(5, Fields().text(1, "base.Open").number(2, 7)), 5), (Fields().text(6, "no.Type"), 5),
      (Fields(), 3), (Fields().text(1, "host"), 3), (Fields().text(50, "unknown"), 3),
    ] as [(Fields, UInt64)])
  func `answers what it does not know with an error, and goes on`(request: Fields, code: UInt64) throws {
    let (call, consumer) = try open()
    #expect(ask(consumer, request))
    let error = try #require(try answer(call).messages(7).first)
    #expect(error.numbers(1) == [code] && error.texts(2).first?.isEmpty == false)
    #expect(ask(consumer, Fields().text(3, "base.proto")))
    #expect(try answer(call).messages(4).count == 1)
  }

  // G-060
  @Test(arguments: [[0x0A, 0x05], [0x1A, 0x01, 0xFF], [0x2A, 0x02, 0x0A, 0x05], [0x3A, 0x01, 0xC0]] as [[UInt8]])
  func `ends a stream that sends what is no request`(bytes: [UInt8]) throws {
    let (call, consumer) = try open()
    executor.run { _ = bytes.withUnsafeBytes { consumer.receive($0) {} } }
    #expect(call.status?.code == .internal)
  }

  // G-091
  @Test func `takes no more questions while answers wait`() throws {
    let (call, consumer) = try open()
    call.peerTakes = false
    var readyCount = 0
    var count = 0
    while ask(consumer, Fields().text(3, "google/protobuf/descriptor.proto"), ready: { readyCount += 1 }) { count += 1 }
    #expect((2...20).contains(count))
    #expect(call.bufferedByteCount <= 2 * CallLimits.bufferedBytes && readyCount == 0)
    executor.run { call.drain() }
    #expect(readyCount == 1)
  }

  @Test func `needs no credentials`() {
    #expect(service.methods.allSatisfy { !$0.needsAdmission })
  }
}
