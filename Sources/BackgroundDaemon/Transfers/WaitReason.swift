/// Reasons of waiting transfers that code compares with, not only shows.
enum WaitReason {
  static let app = "waits for its app to answer a challenge"
}
