import Glibc

/// `close(2)`, of a socket that no stream has taken.
func closeDescriptor(_ descriptor: CInt) {
  close(descriptor)
}
