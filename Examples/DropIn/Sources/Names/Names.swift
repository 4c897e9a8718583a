import Foundation
import WellKnownNames

#if PRODUCT_URLLOADINGSYSTEM
  import URLLoadingSystem
#elseif PRODUCT_FOUNDATIONNETWORKING
  import FoundationNetworking
#elseif PRODUCT_URLLOADINGTESTKIT
  import URLLoadingSystem
  import URLLoadingTestKit
#endif

// Names of well-known packages, said bare beside each product of swift-url-loading-system. One that the product declares too doesn't compile,
// for it is ambiguous; nor does one of a type nested in an Apple type inside that type's extensions, where it means the nested one.

typealias NamesInFiles = WellKnownNames<
  AFDataResponse, AFError, AFResult, AlamofireExtended, AuthenticationCredential, AuthenticationInterceptor, Authenticator,
  CachedResponseHandler, ClosureEventMonitor, CompositeEventMonitor, ConnectionLostRetryPolicy, DataDecoder, DataPreprocessor,
  DataRequest, DataResponse, DataResponsePublisher, DataStreamRequest, DataStreamTask, DataTask, DefaultTrustEvaluator, Destination,
  DisabledTrustEvaluator, DownloadRequest, DownloadResponse, DownloadTask, EventMonitor, HTTPHeader, HTTPHeaders, HTTPMethod, Interceptor,
  JSONEncoding, JSONParameterEncoder, MultipartFormData, NetworkReachabilityManager, OfflineRetrier, ParameterEncoder, ParameterEncoding,
  Parameters, PinnedCertificatesTrustEvaluator, PublicKeysTrustEvaluator, RedirectHandler, Redirector, Request, RequestAdapter,
  RequestInterceptor, RequestRetrier, ResponseCacher, ResponseSerializer, RetryPolicy, RevocationTrustEvaluator, ServerTrustEvaluating,
  ServerTrustManager, Session, SessionDelegate, StreamOf, StringResponseSerializer, URLConvertible, URLEncodedFormEncoder, URLEncoding,
  URLRequestConvertible, UploadRequest, WebSocketRequest, AccessTokenPlugin, AuthorizationType, Cancellable, Endpoint, Method, MoyaError,
  MoyaProvider, MultiTarget, NetworkActivityPlugin, NetworkLoggerPlugin, PluginType, ProgressResponse, Response, StubBehavior, TargetType,
  ValidationType, Base64EncodedData, ByteChunk, ClientError, ClientMiddleware, ClientTransport, Converter, HTTPBody, HTTPField,
  HTTPFields, HTTPRequest, HTTPResponse, JSONLinesDeserializationSequence, JSONLinesSerializationSequence,
  JSONSequenceDeserializationSequence, MultipartBody, MultipartDynamicallyNamedPart, MultipartPart, MultipartRawPart, OpenAPIMIMEType,
  ServerError, ServerSentEvent, ServerSentEventsDeserializationSequence, ServerSentEventsSerializationSequence,
  ServerSentEventWithJSONData, ServerTransport, UndocumentedPayload, UniversalClient, FileDownloadDelegate, HTTPClient, HTTPClientError,
  HTTPClientRequest, HTTPClientResponse, HTTPClientResponseDelegate, HTTPHandler, ResponseAccumulator, ByteBuffer, ByteBufferAllocator,
  Channel, ChannelHandler, ChannelPipeline, ClientBootstrap, CloseMode, DatagramBootstrap, EventLoop, EventLoopFuture, EventLoopGroup,
  EventLoopPromise, HPACKHeaders, HTTP2Frame, HTTPRequestHead, HTTPResponseHead, HTTPResponseStatus, HTTPVersion, IOData, NIOAsyncChannel,
  NIODeadline, NIOFileHandle, NIOSSLCertificate, NIOSSLContext, ServerBootstrap, SocketAddress, TLSConfiguration, TLSVersion, TimeAmount,
  WebSocketErrorCode, WebSocketFrame, WebSocketOpcode, Counter, Gauge, GracefulShutdownManager, InstrumentationSystem, LogHandler, Logger,
  LoggingSystem, Meter, MetricsSystem, ServiceContext, ServiceGroup, ServiceGroupConfiguration, Span, SpanKind, Tracer, UnixSignal, Abort,
  Application, Body, Client, ContentConfiguration, Cookies, EndpointCache, File, FormDataDecoder, FormDataEncoder, HTTPCookies,
  HTTPMediaType, HTTPServer, HTTPStatus, Middleware, MultipartForm, MultipartSerializer, Parameter, ResponseBody, Route, Router,
  WebSocket, WebSocketClient, WebSocketFrameType, WSFrame, WSMessage, AppTransportSecurity, AsyncJSONLineSequence, AsyncJSONLinesSequence,
  AsyncServerSentEventSequence, AsyncServerSentEventsSequence, BackgroundLaunch, BackgroundSession, ConnectionPool, Event, EventParser,
  EventSource, EventSourceError, EventStream, JSONLineDecoder, JSONLineError, JSONLinesSequence, KeyValueObservable, MessageEvent,
  Network, NetworkMonitor, ObservationRequest, OptionalChallengeAnswer, Reachability, RetryStrategy, SSEClient, SSEEvent, SSEParser,
  ServerEvent, ServerSentEventError, ServerSentEventParser, ServerSentEventSource, ServerSentEvents, StreamEvent, TransportSecurity,
  URLSessionClient, URLSessionTransport, WebSocketConnection, WebSocketEvent, WebSocketMessage
>

extension URLSession {
  typealias NamesInSessions = WellKnownNames<
    AFDataResponse, AFError, AFResult, AlamofireExtended, AuthenticationCredential, AuthenticationInterceptor, Authenticator,
    CachedResponseHandler, ClosureEventMonitor, CompositeEventMonitor, ConnectionLostRetryPolicy, DataDecoder, DataPreprocessor,
    DataRequest, DataResponse, DataResponsePublisher, DataStreamRequest, DataStreamTask, DataTask, DefaultTrustEvaluator, Destination,
    DisabledTrustEvaluator, DownloadRequest, DownloadResponse, DownloadTask, EventMonitor, HTTPHeader, HTTPHeaders, HTTPMethod,
    Interceptor, JSONEncoding, JSONParameterEncoder, MultipartFormData, NetworkReachabilityManager, OfflineRetrier, ParameterEncoder,
    ParameterEncoding, Parameters, PinnedCertificatesTrustEvaluator, PublicKeysTrustEvaluator, RedirectHandler, Redirector, Request,
    RequestAdapter, RequestInterceptor, RequestRetrier, ResponseCacher, ResponseSerializer, RetryPolicy, RevocationTrustEvaluator,
    ServerTrustEvaluating, ServerTrustManager, Session, SessionDelegate, StreamOf, StringResponseSerializer, URLConvertible,
    URLEncodedFormEncoder, URLEncoding, URLRequestConvertible, UploadRequest, WebSocketRequest, AccessTokenPlugin, AuthorizationType,
    Cancellable, Endpoint, Method, MoyaError, MoyaProvider, MultiTarget, NetworkActivityPlugin, NetworkLoggerPlugin, PluginType,
    ProgressResponse, Response, StubBehavior, TargetType, ValidationType, Base64EncodedData, ByteChunk, ClientError, ClientMiddleware,
    ClientTransport, Converter, HTTPBody, HTTPField, HTTPFields, HTTPRequest, HTTPResponse, JSONLinesDeserializationSequence,
    JSONLinesSerializationSequence, JSONSequenceDeserializationSequence, MultipartBody, MultipartDynamicallyNamedPart, MultipartPart,
    MultipartRawPart, OpenAPIMIMEType, ServerError, ServerSentEvent, ServerSentEventsDeserializationSequence,
    ServerSentEventsSerializationSequence, ServerSentEventWithJSONData, ServerTransport, UndocumentedPayload, UniversalClient,
    FileDownloadDelegate, HTTPClient, HTTPClientError, HTTPClientRequest, HTTPClientResponse, HTTPClientResponseDelegate, HTTPHandler,
    ResponseAccumulator, ByteBuffer, ByteBufferAllocator, Channel, ChannelHandler, ChannelPipeline, ClientBootstrap, CloseMode,
    DatagramBootstrap, EventLoop, EventLoopFuture, EventLoopGroup, EventLoopPromise, HPACKHeaders, HTTP2Frame, HTTPRequestHead,
    HTTPResponseHead, HTTPResponseStatus, HTTPVersion, IOData, NIOAsyncChannel, NIODeadline, NIOFileHandle, NIOSSLCertificate,
    NIOSSLContext, ServerBootstrap, SocketAddress, TLSConfiguration, TLSVersion, TimeAmount, WebSocketErrorCode, WebSocketFrame,
    WebSocketOpcode, Counter, Gauge, GracefulShutdownManager, InstrumentationSystem, LogHandler, Logger, LoggingSystem, Meter,
    MetricsSystem, ServiceContext, ServiceGroup, ServiceGroupConfiguration, Span, SpanKind, Tracer, UnixSignal, Abort, Application, Body,
    Client, ContentConfiguration, Cookies, EndpointCache, File, FormDataDecoder, FormDataEncoder, HTTPCookies, HTTPMediaType, HTTPServer,
    HTTPStatus, Middleware, MultipartForm, MultipartSerializer, Parameter, ResponseBody, Route, Router, WebSocket, WebSocketClient,
    WebSocketFrameType, WSFrame, WSMessage, AppTransportSecurity, AsyncJSONLineSequence, AsyncJSONLinesSequence,
    AsyncServerSentEventSequence, AsyncServerSentEventsSequence, BackgroundLaunch, BackgroundSession, ConnectionPool, Event, EventParser,
    EventSource, EventSourceError, EventStream, JSONLineDecoder, JSONLineError, JSONLinesSequence, KeyValueObservable, MessageEvent,
    Network, NetworkMonitor, ObservationRequest, OptionalChallengeAnswer, Reachability, RetryStrategy, SSEClient, SSEEvent, SSEParser,
    ServerEvent, ServerSentEventError, ServerSentEventParser, ServerSentEventSource, ServerSentEvents, StreamEvent, TransportSecurity,
    URLSessionClient, URLSessionTransport, WebSocketConnection, WebSocketEvent, WebSocketMessage
  >

  func upload(_ form: MultipartFormData, with headers: HTTPHeaders) -> any WellKnownName { form }
  func events(after event: ServerSentEvent?) -> [ServerSentEvent] { event.map { [$0] } ?? [] }
}

extension URLSession.AsyncBytes {
  typealias NamesInBytes = WellKnownNames<
    MultipartFormData, MultipartForm, MultipartBody, MultipartPart, ServerSentEvent, ServerSentEventError, ServerSentEventSource,
    ServerSentEvents, Event, EventSource, EventStream, JSONLineError, AsyncServerSentEventSequence, AsyncJSONLineSequence,
    AppTransportSecurity, BackgroundLaunch, KeyValueObservable, ObservationRequest, OptionalChallengeAnswer, HTTPHeaders, HTTPMethod,
    HTTPRequest, HTTPResponse, HTTPBody, Response, Parameters, Interceptor, Endpoint, DataRequest, WebSocketFrame, WebSocketMessage,
    Logger, Tracer, SocketAddress, TLSVersion
  >
}

extension URLSessionConfiguration {
  typealias NamesInConfigurations = WellKnownNames<
    MultipartFormData, MultipartForm, MultipartBody, MultipartPart, ServerSentEvent, ServerSentEventError, ServerSentEventSource,
    ServerSentEvents, Event, EventSource, EventStream, JSONLineError, AsyncServerSentEventSequence, AsyncJSONLineSequence,
    AppTransportSecurity, BackgroundLaunch, KeyValueObservable, ObservationRequest, OptionalChallengeAnswer, HTTPHeaders, HTTPMethod,
    HTTPRequest, HTTPResponse, HTTPBody, Response, Parameters, Interceptor, Endpoint, DataRequest, WebSocketFrame, WebSocketMessage,
    Logger, Tracer, SocketAddress, TLSVersion
  >
}

extension URLSessionTask {
  typealias NamesInTasks = WellKnownNames<
    MultipartFormData, MultipartForm, MultipartBody, MultipartPart, ServerSentEvent, ServerSentEventError, ServerSentEventSource,
    ServerSentEvents, Event, EventSource, EventStream, JSONLineError, AsyncServerSentEventSequence, AsyncJSONLineSequence,
    AppTransportSecurity, BackgroundLaunch, KeyValueObservable, ObservationRequest, OptionalChallengeAnswer, HTTPHeaders, HTTPMethod,
    HTTPRequest, HTTPResponse, HTTPBody, Response, Parameters, Interceptor, Endpoint, DataRequest, WebSocketFrame, WebSocketMessage,
    Logger, Tracer, SocketAddress, TLSVersion
  >
}

extension URLRequest {
  typealias NamesInRequests = WellKnownNames<
    MultipartFormData, MultipartForm, MultipartBody, MultipartPart, ServerSentEvent, ServerSentEventError, ServerSentEventSource,
    ServerSentEvents, Event, EventSource, EventStream, JSONLineError, AsyncServerSentEventSequence, AsyncJSONLineSequence,
    AppTransportSecurity, BackgroundLaunch, KeyValueObservable, ObservationRequest, OptionalChallengeAnswer, HTTPHeaders, HTTPMethod,
    HTTPRequest, HTTPResponse, HTTPBody, Response, Parameters, Interceptor, Endpoint, DataRequest, WebSocketFrame, WebSocketMessage,
    Logger, Tracer, SocketAddress, TLSVersion
  >
}

extension HTTPURLResponse {
  typealias NamesInResponses = WellKnownNames<
    MultipartFormData, MultipartForm, MultipartBody, MultipartPart, ServerSentEvent, ServerSentEventError, ServerSentEventSource,
    ServerSentEvents, Event, EventSource, EventStream, JSONLineError, AsyncServerSentEventSequence, AsyncJSONLineSequence,
    AppTransportSecurity, BackgroundLaunch, KeyValueObservable, ObservationRequest, OptionalChallengeAnswer, HTTPHeaders, HTTPMethod,
    HTTPRequest, HTTPResponse, HTTPBody, Response, Parameters, Interceptor, Endpoint, DataRequest, WebSocketFrame, WebSocketMessage,
    Logger, Tracer, SocketAddress, TLSVersion
  >
}

extension URLAuthenticationChallenge {
  typealias NamesInChallenges = WellKnownNames<
    MultipartFormData, MultipartForm, MultipartBody, MultipartPart, ServerSentEvent, ServerSentEventError, ServerSentEventSource,
    ServerSentEvents, Event, EventSource, EventStream, JSONLineError, AsyncServerSentEventSequence, AsyncJSONLineSequence,
    AppTransportSecurity, BackgroundLaunch, KeyValueObservable, ObservationRequest, OptionalChallengeAnswer, HTTPHeaders, HTTPMethod,
    HTTPRequest, HTTPResponse, HTTPBody, Response, Parameters, Interceptor, Endpoint, DataRequest, WebSocketFrame, WebSocketMessage,
    Logger, Tracer, SocketAddress, TLSVersion
  >
}

extension NSKeyValueObservation {
  typealias NamesInObservations = WellKnownNames<
    MultipartFormData, MultipartForm, MultipartBody, MultipartPart, ServerSentEvent, ServerSentEventError, ServerSentEventSource,
    ServerSentEvents, Event, EventSource, EventStream, JSONLineError, AsyncServerSentEventSequence, AsyncJSONLineSequence,
    AppTransportSecurity, BackgroundLaunch, KeyValueObservable, ObservationRequest, OptionalChallengeAnswer, HTTPHeaders, HTTPMethod,
    HTTPRequest, HTTPResponse, HTTPBody, Response, Parameters, Interceptor, Endpoint, DataRequest, WebSocketFrame, WebSocketMessage,
    Logger, Tracer, SocketAddress, TLSVersion
  >
}

/// A delegate: what the protocols' types are nested in isn't where its names are looked up.
final class NamesInDelegates: NSObject, URLSessionDataDelegate {
  typealias Names = WellKnownNames<
    MultipartFormData, MultipartForm, MultipartBody, MultipartPart, ServerSentEvent, ServerSentEventError, ServerSentEventSource,
    ServerSentEvents, Event, EventSource, EventStream, JSONLineError, AsyncServerSentEventSequence, AsyncJSONLineSequence,
    AppTransportSecurity, BackgroundLaunch, KeyValueObservable, ObservationRequest, OptionalChallengeAnswer, HTTPHeaders, HTTPMethod,
    HTTPRequest, HTTPResponse, HTTPBody, Response, Parameters, Interceptor, Endpoint, DataRequest, WebSocketFrame, WebSocketMessage,
    Logger, Tracer, SocketAddress, TLSVersion
  >

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    _ = session.events(after: nil as ServerSentEvent?)
  }
}
