extension StreamConnection: PathBound {
  package func vanished(_ addresses: Set<String>) {
    if facts.isLost(with: addresses) { losePath() }
  }
}
