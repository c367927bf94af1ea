/// What one executor serves. Made on that executor and used there only.
package struct Service {
  package let router: Router
  /// `nil`: everyone may call.
  package let admission: (any Admission)?

  package init(router: Router, admission: (any Admission)? = nil) {
    self.router = router
    self.admission = admission
  }
}
