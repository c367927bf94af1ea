internal import EnergyModel
package import EnergyService
internal import EnergyWire
internal import FoundationEssentials
package import GRPC

/// Lets callers in by their API key, `authorization: Bearer ek_...`, judged from the headers alone (docs/api.md, Keys and
/// entitlements).
///
/// A connection that repeats its key costs one comparison a call: its last key and whose it is are remembered. A key
/// that this loop has not seen is looked up in the store while the call waits. Missing, wrong and disabled keys take
/// one path and get one text. A call without a key on a connection whose certificate names a client is that client's; where
/// there are both, the key decides.
package final class KeyAdmission: Admission {
  private let cache: AccessCache
  private let adminKey: AdminKey

  package init(cache: AccessCache, adminKey: AdminKey) {
    self.cache = cache
    self.adminKey = adminKey
  }

  package func admit(
    _ head: RequestHead, to method: Method, call: any ServerCall, connection: ConnectionContext
  ) -> AdmissionDecision {
    if method.isForOperators, !connection.allowsAdmin {
      return .refused(Status(.unimplemented, "AdminService is not served on this listener"))
    }
    let decision = head.withValue(.authorization) { value -> AdmissionDecision in
      guard let key = APIKey.bearerKey(in: value) else { return .refused(.unauthenticated) }
      return method.isForOperators ? admitAdmin(key) : admitClient(key, connection)
    }
    return decision ?? admitCertified(connection, to: method)
  }

  // MARK: The operator

  private func admitAdmin(_ key: UnsafeRawBufferPointer) -> AdmissionDecision {
    if adminKey.matches(key) { return .admitted(Operator.shared) }
    return resolve(.key(KeyHash(of: key))) { _ in .refused(.keyNotAllowedHere) }
  }

  // MARK: Clients

  private func admitClient(_ key: UnsafeRawBufferPointer, _ connection: ConnectionContext) -> AdmissionDecision {
    let memo = self.memo(of: connection)
    if let caller = memo.caller(for: key, in: cache) { return admission(of: caller).decision }
    let hash = KeyHash(of: key)
    if adminKey.matches(hash) { return .refused(.keyNotAllowedHere) }
    if case .hit(let caller) = cache.caller(.key(hash)) { memo.remember(caller, for: key, in: cache) }
    return resolve(.key(hash)) { self.admission(of: $0) }
  }

  /// Who sends no key is whom the connection's certificate names.
  private func admitCertified(_ connection: ConnectionContext, to method: Method) -> AdmissionDecision {
    guard let certificate = connection.certificate else { return .refused(.unauthenticated) }
    let memo = self.memo(of: connection)
    let named = memo.certifiedClientID ?? certificate.clientID
    memo.certifiedClientID = .some(named)
    guard let named else { return .refused(.unauthenticated) }
    return resolve(.certificate(clientID: named)) { caller in
      method.isForOperators ? .refused(.keyNotAllowedHere) : self.admission(of: caller)
    }
  }

  /// The call has to be paid for (docs/api.md, Limits), and needs the base entitlement (Keys and entitlements).
  private func admission(of caller: Caller) -> AdmissionTicket.Resolution {
    do {
      try caller.budget.takeCall()
      try caller.require(.energyKit)
      return .admitted(caller)
    } catch {
      return .refused(Status(error))
    }
  }

  /// Looks the key up, at once or later, and decides by `admission` what its client may do.
  private func resolve(
    _ credential: Credential, _ admission: @escaping (Caller) -> AdmissionTicket.Resolution
  ) -> AdmissionDecision {
    switch cache.caller(credential) {
    case .hit(let caller): return admission(caller).decision
    case .absent: return .refused(.unauthenticated)
    case .miss:
      let ticket = AdmissionTicket()
      cache.fetchCaller(credential) { result in
        switch result {
        case .success(let caller): ticket.resolve(caller.map(admission) ?? .refused(.unauthenticated))
        case .failure(let error): ticket.resolve(.refused(Status(error)))
        }
      }
      return .pending(ticket)
    }
  }

  private func memo(of connection: ConnectionContext) -> KeyMemo {
    if let memo = connection.admissionState as? KeyMemo { return memo }
    let memo = KeyMemo()
    connection.admissionState = memo
    return memo
  }
}

/// The caller of AdminService.
package final class Operator: Sendable {
  package static let shared = Operator()
  private init() {}
}

extension AdmissionTicket.Resolution {
  var decision: AdmissionDecision {
    switch self {
    case .admitted(let caller): .admitted(caller)
    case .refused(let status): .refused(status)
    }
  }
}

extension PeerCertificate {
  private static let clientPrefix = "energykit:client:"

  /// The one client that it names, by a URI among its alternative names; `nil` where it names none, or several.
  var clientID: UUID? {
    let named = Set(uris.filter { $0.hasPrefix(Self.clientPrefix) })
    guard named.count == 1, let uri = named.first else { return nil }
    return UUID(uuidString: String(uri.dropFirst(Self.clientPrefix.count)))
  }
}
