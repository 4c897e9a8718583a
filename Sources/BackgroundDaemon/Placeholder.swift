// The daemon that carries background sessions on. See Documentation/background-sessions.md.
