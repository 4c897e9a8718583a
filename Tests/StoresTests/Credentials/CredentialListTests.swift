import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct CredentialListTests {
  @Test func eachUserHasOneCredentialInASpace() {
    var list = CredentialList([.sample("ann", "old"), .sample("bob"), .sample("ann", "new"), .sample("ann", "there", host: "other.test")])
    #expect(list.credentials.count == 3)
    #expect(list.credential(of: "ann", in: .sample())?.password == "new")
    list.forget(user: "ann", in: .sample())
    #expect(list.credential(of: "ann", in: .sample()) == nil)
    #expect(list.credential(of: "ann", in: .sample(host: "other.test")) != nil)
  }

  @Test func eachSpaceHasOneDefault() {
    let list = CredentialList([
      .sample("ann", role: .standard), .sample("bob", role: .standard), .sample("cy", realm: nil, role: .standard),
    ])
    #expect(list.credentials.filter { $0.role == .standard }.map(\.user).sorted() == ["bob", "cy"])
  }

  @Test func newPasswordInheritsBeingTheDefault() {
    let list = CredentialList([.sample("ann", "old", role: .standard), .sample("ann", "new")])
    #expect(list.credentials == [.sample("ann", "new", role: .standard)])
  }

  @Test func descriptionsAndDumpsShowNoPassword() {
    var text = "\(StoredCredential.sample()) \(CredentialList([.sample()]))"
    dump(CredentialList([.sample()]), to: &text)
    #expect(!text.contains("secret"))
  }
}
