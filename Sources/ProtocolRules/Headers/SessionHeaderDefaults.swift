import LoadingModel

/// The part of a request's head that is the same for all requests of a session: computed once, kept by the session, read from any thread. An object,
/// so that a request takes one reference and not one for each of its strings.
package final class SessionHeaderDefaults: Sendable {
  struct Additional: Sendable {
    let name: String
    let value: String
    let known: KnownField?
  }

  /// The configuration's additional headers, without those that the loader writes itself.
  let additional: [Additional]
  let additionalKnown: KnownFieldSet
  let userAgent: String?
  let acceptLanguage: String?
  let acceptEncoding: AcceptEncoding
  /// The error of an additional header that can't be sent. Every load of the session fails with it, which tells the app more than a missing
  /// field.
  let invalidField: LoadError?

  /// - Parameters:
  ///   - additional: `httpAdditionalHeaders` in the order in which they are to be sent.
  ///   - acceptEncoding: The values of `Accept-Encoding`, by what the session can decode.
  ///   - userAgent: Value of `User-Agent`; nil sends none.
  ///   - acceptLanguage: Value of `Accept-Language`, see ``AcceptLanguageRules``; nil sends none.
  package init(additional: HeaderFields, acceptEncoding: AcceptEncoding, userAgent: String?, acceptLanguage: String?) {
    var kept: [Additional] = []
    var known = KnownFieldSet()
    var invalid: LoadError?
    for (name, given) in additional.entries {
      let field = KnownField(name)
      // A folded value becomes one line, as in a request's own fields.
      let value = FieldSyntaxRules.unfolded(given) ?? given
      do throws(LoadError) {
        try FieldSyntaxRules.checkField(name: name, value: value)
        if field == .host { try DefaultHeaderRules.checkHost(value) }
      } catch {
        invalid = invalid ?? error
      }
      if let field {
        if field.belongsToLoader || field == .te { continue }
        known.insert(field)
      }
      kept.append(Additional(name: name, value: value, known: field))
    }
    self.additional = kept
    additionalKnown = known
    invalidField = invalid
    self.userAgent = userAgent.flatMap { FieldSyntaxRules.isFieldValue($0) ? $0 : nil }
    self.acceptLanguage = acceptLanguage.flatMap { FieldSyntaxRules.isFieldValue($0) ? $0 : nil }
    self.acceptEncoding = acceptEncoding
  }

  /// `request` with the session's additional headers added: of two with the same name the request's counts, as Apple documents.
  ///
  /// A task's `currentRequest` shows the result. Merging twice changes nothing.
  package func merged(under request: HeaderFields) -> HeaderFields {
    var result = request
    for field in additional where !request.contains(field.name) { result.add(field.name, field.value) }
    return result
  }
}
