import Glibc

// Callbacks and everything that runs on other threads live in files of their own: a closure written here would belong to
// the main actor.
await exit(Program.run())
