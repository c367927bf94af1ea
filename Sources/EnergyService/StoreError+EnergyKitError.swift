package import EnergyModel
package import Storage

extension EnergyKitError {
  /// What a caller hears where the store fails: always `serviceUnavailable`, sooner to be tried again where the store
  /// is merely busy. The reason is for the log, never for the caller.
  package init(_ error: StoreError) {
    self =
      switch error {
      case .busy: .serviceUnavailable(retryAfterSeconds: 1)
      case .closed, .inUse, .newerSchema, .conflict, .failed: .serviceUnavailable(retryAfterSeconds: 5)
      }
  }
}
