/// Why transfers wait, where something depends on the text.
enum WaitReason {
  static let app = "waits for its app to answer a challenge"
}
