import LoadingModel

/// An upload's two requests: as the app gave it, and as it is sent, with the body that was passed beside it.
///
/// Belongs to one task; immutable.
final class UploadRequest: Sendable {
  let given: LoadRequest
  let sent: LoadRequest

  init(_ given: LoadRequest, sending body: LoadRequest.Body) {
    self.given = given
    var sent = given
    sent.mutate { $0.body = body }
    self.sent = sent
  }

  /// A request of the load as the app sees it in `currentRequest`: without the uploaded body, which isn't part of the app's request.
  func shown(_ request: LoadRequest) -> LoadRequest {
    if request.isIdentical(to: sent) { return given }
    guard request.body.isSame(as: sent.body) else { return request }
    var shown = request
    shown.mutate { $0.body = given.body }
    return shown
  }

  /// A request that the app has made to go on with, such as its answer to a redirect, as it is sent: with the upload's body, unless it has
  /// one of its own.
  ///
  /// The app may have built it from one of the task's requests, which are shown without that body. GET and HEAD have none to send.
  func carried(by request: LoadRequest) -> LoadRequest {
    guard request.method != "GET", request.method != "HEAD", request.body.isSame(as: given.body) || request.body.isSame(as: .none) else {
      return request
    }
    var carrying = request
    carrying.mutate { fields in
      fields.body = sent.body
      fields.shownBody = nil
    }
    return carrying
  }
}
