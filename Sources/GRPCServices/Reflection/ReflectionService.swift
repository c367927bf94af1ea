package import GRPC
internal import ProtobufWire

/// `ServerReflectionInfo` of grpc.reflection.v1 and v1alpha, which differ in their names alone (G-124...127): clients get
/// along without .proto files. Needs no credentials, since the contract is public.
package struct ReflectionService {
  package static let names = ["grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"]
  /// Longer than any name there is.
  private static let maximumRequestByteCount = 4 << 10

  /// Tools ask, and few at once.
  private static let maximumCallsAtWork = 1_000

  private let directory: ReflectionDirectory

  /// - Parameter methods: All that the loop serves beside reflection itself, for the list of services.
  package init(of methods: [Method], pool: DescriptorPool) {
    let services = Set(methods.compactMap(\.serviceName) + Self.names).sorted()
    directory = ReflectionDirectory(pool: pool, services: services)
  }

  package var methods: [Method] {
    Self.names.map { name in
      Method(
        path: "/\(name)/ServerReflectionInfo",
        handler: .manyRequests { [directory] call in
          let stream = ReflectionStream(call, directory)
          call.observer = stream
          return stream
        },
        maximumRequestByteCount: Self.maximumRequestByteCount, needsAdmission: false, compressesAnswers: true,
        maximumCallsAtWork: Self.maximumCallsAtWork)
    }
  }
}

/// What the streams of a loop share.
final class ReflectionDirectory {
  let pool: DescriptorPool
  let services: [String]
  let arena = DecodeArena()

  init(pool: DescriptorPool, services: [String]) {
    self.pool = pool
    self.services = services
  }
}

/// One stream of questions. Answers each before it takes the next, and takes none while more than
/// `CallLimits.bufferedBytes` of answers wait for the client.
final class ReflectionStream: RequestConsumer, CallObserver {
  private let call: any ServerCall
  private let directory: ReflectionDirectory
  /// Files that the client has had on this stream; they are not sent again as imports of others.
  private var sent: [Bool]
  private var ready: (() -> Void)?

  init(_ call: any ServerCall, _ directory: ReflectionDirectory) {
    self.call = call
    self.directory = directory
    sent = Array(repeating: false, count: directory.pool.fileCount)
  }

  // MARK: - RequestConsumer

  func receive(_ message: UnsafeRawBufferPointer, ready: @escaping () -> Void) -> Bool {
    do throws(Status) {
      let request = try ReflectionRequest(decoding: message, arena: directory.arena)
      call.send(ReflectionResponse(request: request, answer: answer(to: request.question)).encodedBytes)
    } catch {
      call.finish(error)
      return false
    }
    if call.bufferedByteCount <= CallLimits.bufferedBytes { return true }
    self.ready = ready
    return false
  }

  func receiveEnd() {
    call.finish(.ok)
  }

  // MARK: - CallObserver

  func callEnded(_ call: any ServerCall, _ end: CallEnd) {
    ready = nil
  }

  func callCanSend(_ call: any ServerCall) {
    let ready = self.ready
    self.ready = nil
    ready?()
  }

  // MARK: - Answers

  private func answer(to question: ReflectionRequest.Question) -> ReflectionResponse.Answer {
    let pool = directory.pool
    switch question {
    case .fileNamed(let name):
      return files(pool.file(named: name), or: "unknown file \(name.prefix(256))")
    case .fileDefining(let symbol):
      return files(pool.file(defining: symbol), or: "unknown symbol \(symbol.prefix(256))")
    case .fileExtending(let type, let number):
      return files(
        pool.file(extending: type, number: number), or: "unknown extension \(number) of \(type.prefix(256))")
    case .extensionNumbers(let type):
      return pool.extensionNumbers(of: type).map { .extensionNumbers(type: type, $0) }
        ?? .error(.notFound, "unknown type \(type.prefix(256))")
    case .services:
      return .services(directory.services)
    case .none:
      return .error(.invalidArgument, "the request asks nothing that is known")
    }
  }

  /// The file, whether it was sent or not, and those of its closure that were not.
  private func files(_ file: Int?, or problem: String) -> ReflectionResponse.Answer {
    guard let file else { return .error(.notFound, problem) }
    let wanted = directory.pool.closure(of: file).filter { $0 == file || !sent[$0] }
    for index in wanted { sent[index] = true }
    return .files(wanted.map(directory.pool.bytes))
  }
}
