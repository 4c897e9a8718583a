// The names that well-known packages, and many apps, give their own types. What they mean isn't important here: each is an empty type.

/// What every type of this module conforms to, and no other: a bare name that means another module's type doesn't compile as one.
public protocol WellKnownName {}

/// Types of this module, said as types: an expression such as `Name.self` may be meant in two modules, and mean what fits.
public struct WellKnownNames<each Name: WellKnownName> {}

// Alamofire.

public struct AFDataResponse: WellKnownName {}
public struct AFError: WellKnownName {}
public struct AFResult: WellKnownName {}
public struct AlamofireExtended: WellKnownName {}
public struct AuthenticationCredential: WellKnownName {}
public struct AuthenticationInterceptor: WellKnownName {}
public struct Authenticator: WellKnownName {}
public struct CachedResponseHandler: WellKnownName {}
public struct ClosureEventMonitor: WellKnownName {}
public struct CompositeEventMonitor: WellKnownName {}
public struct ConnectionLostRetryPolicy: WellKnownName {}
public struct DataDecoder: WellKnownName {}
public struct DataPreprocessor: WellKnownName {}
public struct DataRequest: WellKnownName {}
public struct DataResponse: WellKnownName {}
public struct DataResponsePublisher: WellKnownName {}
public struct DataStreamRequest: WellKnownName {}
public struct DataStreamTask: WellKnownName {}
public struct DataTask: WellKnownName {}
public struct DefaultTrustEvaluator: WellKnownName {}
public struct Destination: WellKnownName {}
public struct DisabledTrustEvaluator: WellKnownName {}
public struct DownloadRequest: WellKnownName {}
public struct DownloadResponse: WellKnownName {}
public struct DownloadTask: WellKnownName {}
public struct EventMonitor: WellKnownName {}
public struct HTTPHeader: WellKnownName {}
public struct HTTPHeaders: WellKnownName {}
public struct HTTPMethod: WellKnownName {}
public struct Interceptor: WellKnownName {}
public struct JSONEncoding: WellKnownName {}
public struct JSONParameterEncoder: WellKnownName {}
public struct MultipartFormData: WellKnownName {}
public struct NetworkReachabilityManager: WellKnownName {}
public struct OfflineRetrier: WellKnownName {}
public struct ParameterEncoder: WellKnownName {}
public struct ParameterEncoding: WellKnownName {}
public struct Parameters: WellKnownName {}
public struct PinnedCertificatesTrustEvaluator: WellKnownName {}
public struct PublicKeysTrustEvaluator: WellKnownName {}
public struct RedirectHandler: WellKnownName {}
public struct Redirector: WellKnownName {}
public struct Request: WellKnownName {}
public struct RequestAdapter: WellKnownName {}
public struct RequestInterceptor: WellKnownName {}
public struct RequestRetrier: WellKnownName {}
public struct ResponseCacher: WellKnownName {}
public struct ResponseSerializer: WellKnownName {}
public struct RetryPolicy: WellKnownName {}
public struct RevocationTrustEvaluator: WellKnownName {}
public struct ServerTrustEvaluating: WellKnownName {}
public struct ServerTrustManager: WellKnownName {}
public struct Session: WellKnownName {}
public struct SessionDelegate: WellKnownName {}
public struct StreamOf: WellKnownName {}
public struct StringResponseSerializer: WellKnownName {}
public struct URLConvertible: WellKnownName {}
public struct URLEncodedFormEncoder: WellKnownName {}
public struct URLEncoding: WellKnownName {}
public struct URLRequestConvertible: WellKnownName {}
public struct UploadRequest: WellKnownName {}
public struct WebSocketRequest: WellKnownName {}

// Moya.

public struct AccessTokenPlugin: WellKnownName {}
public struct AuthorizationType: WellKnownName {}
public struct Cancellable: WellKnownName {}
public struct Endpoint: WellKnownName {}
public struct Method: WellKnownName {}
public struct MoyaError: WellKnownName {}
public struct MoyaProvider: WellKnownName {}
public struct MultiTarget: WellKnownName {}
public struct NetworkActivityPlugin: WellKnownName {}
public struct NetworkLoggerPlugin: WellKnownName {}
public struct PluginType: WellKnownName {}
public struct ProgressResponse: WellKnownName {}
public struct Response: WellKnownName {}
public struct StubBehavior: WellKnownName {}
public struct TargetType: WellKnownName {}
public struct ValidationType: WellKnownName {}

// OpenAPIRuntime and HTTPTypes.

public struct Base64EncodedData: WellKnownName {}
public struct ByteChunk: WellKnownName {}
public struct ClientError: WellKnownName {}
public struct ClientMiddleware: WellKnownName {}
public struct ClientTransport: WellKnownName {}
public struct Converter: WellKnownName {}
public struct HTTPBody: WellKnownName {}
public struct HTTPField: WellKnownName {}
public struct HTTPFields: WellKnownName {}
public struct HTTPRequest: WellKnownName {}
public struct HTTPResponse: WellKnownName {}
public struct JSONLinesDeserializationSequence: WellKnownName {}
public struct JSONLinesSerializationSequence: WellKnownName {}
public struct JSONSequenceDeserializationSequence: WellKnownName {}
public struct MultipartBody: WellKnownName {}
public struct MultipartDynamicallyNamedPart: WellKnownName {}
public struct MultipartPart: WellKnownName {}
public struct MultipartRawPart: WellKnownName {}
public struct OpenAPIMIMEType: WellKnownName {}
public struct ServerError: WellKnownName {}
public struct ServerSentEvent: WellKnownName {}
public struct ServerSentEventsDeserializationSequence: WellKnownName {}
public struct ServerSentEventsSerializationSequence: WellKnownName {}
public struct ServerSentEventWithJSONData: WellKnownName {}
public struct ServerTransport: WellKnownName {}
public struct UndocumentedPayload: WellKnownName {}
public struct UniversalClient: WellKnownName {}

// AsyncHTTPClient.

public struct FileDownloadDelegate: WellKnownName {}
public struct HTTPClient: WellKnownName {}
public struct HTTPClientError: WellKnownName {}
public struct HTTPClientRequest: WellKnownName {}
public struct HTTPClientResponse: WellKnownName {}
public struct HTTPClientResponseDelegate: WellKnownName {}
public struct HTTPHandler: WellKnownName {}
public struct ResponseAccumulator: WellKnownName {}

// SwiftNIO.

public struct ByteBuffer: WellKnownName {}
public struct ByteBufferAllocator: WellKnownName {}
public struct Channel: WellKnownName {}
public struct ChannelHandler: WellKnownName {}
public struct ChannelPipeline: WellKnownName {}
public struct ClientBootstrap: WellKnownName {}
public struct CloseMode: WellKnownName {}
public struct DatagramBootstrap: WellKnownName {}
public struct EventLoop: WellKnownName {}
public struct EventLoopFuture: WellKnownName {}
public struct EventLoopGroup: WellKnownName {}
public struct EventLoopPromise: WellKnownName {}
public struct HPACKHeaders: WellKnownName {}
public struct HTTP2Frame: WellKnownName {}
public struct HTTPRequestHead: WellKnownName {}
public struct HTTPResponseHead: WellKnownName {}
public struct HTTPResponseStatus: WellKnownName {}
public struct HTTPVersion: WellKnownName {}
public struct IOData: WellKnownName {}
public struct NIOAsyncChannel: WellKnownName {}
public struct NIODeadline: WellKnownName {}
public struct NIOFileHandle: WellKnownName {}
public struct NIOSSLCertificate: WellKnownName {}
public struct NIOSSLContext: WellKnownName {}
public struct ServerBootstrap: WellKnownName {}
public struct SocketAddress: WellKnownName {}
public struct TLSConfiguration: WellKnownName {}
public struct TLSVersion: WellKnownName {}
public struct TimeAmount: WellKnownName {}
public struct WebSocketErrorCode: WellKnownName {}
public struct WebSocketFrame: WellKnownName {}
public struct WebSocketOpcode: WellKnownName {}

// Swift's packages for servers.

public struct Counter: WellKnownName {}
public struct Gauge: WellKnownName {}
public struct GracefulShutdownManager: WellKnownName {}
public struct InstrumentationSystem: WellKnownName {}
public struct LogHandler: WellKnownName {}
public struct Logger: WellKnownName {}
public struct LoggingSystem: WellKnownName {}
public struct Meter: WellKnownName {}
public struct MetricsSystem: WellKnownName {}
public struct ServiceContext: WellKnownName {}
public struct ServiceGroup: WellKnownName {}
public struct ServiceGroupConfiguration: WellKnownName {}
public struct Span: WellKnownName {}
public struct SpanKind: WellKnownName {}
public struct Tracer: WellKnownName {}
public struct UnixSignal: WellKnownName {}

// Vapor, Hummingbird and FlyingFox.

public struct Abort: WellKnownName {}
public struct Application: WellKnownName {}
public struct Body: WellKnownName {}
public struct Client: WellKnownName {}
public struct ContentConfiguration: WellKnownName {}
public struct Cookies: WellKnownName {}
public struct EndpointCache: WellKnownName {}
public struct File: WellKnownName {}
public struct FormDataDecoder: WellKnownName {}
public struct FormDataEncoder: WellKnownName {}
public struct HTTPCookies: WellKnownName {}
public struct HTTPMediaType: WellKnownName {}
public struct HTTPServer: WellKnownName {}
public struct HTTPStatus: WellKnownName {}
public struct Middleware: WellKnownName {}
public struct MultipartForm: WellKnownName {}
public struct MultipartSerializer: WellKnownName {}
public struct Parameter: WellKnownName {}
public struct ResponseBody: WellKnownName {}
public struct Route: WellKnownName {}
public struct Router: WellKnownName {}
public struct WebSocket: WellKnownName {}
public struct WebSocketClient: WellKnownName {}
public struct WebSocketFrameType: WellKnownName {}
public struct WSFrame: WellKnownName {}
public struct WSMessage: WellKnownName {}

// packages for event streams and WebSockets, and apps.

public struct AppTransportSecurity: WellKnownName {}
public struct AsyncJSONLineSequence: WellKnownName {}
public struct AsyncJSONLinesSequence: WellKnownName {}
public struct AsyncServerSentEventSequence: WellKnownName {}
public struct AsyncServerSentEventsSequence: WellKnownName {}
public struct BackgroundLaunch: WellKnownName {}
public struct BackgroundSession: WellKnownName {}
public struct ConnectionPool: WellKnownName {}
public struct Event: WellKnownName {}
public struct EventParser: WellKnownName {}
public struct EventSource: WellKnownName {}
public struct EventSourceError: WellKnownName {}
public struct EventStream: WellKnownName {}
public struct JSONLineDecoder: WellKnownName {}
public struct JSONLineError: WellKnownName {}
public struct JSONLinesSequence: WellKnownName {}
public struct KeyValueObservable: WellKnownName {}
public struct MessageEvent: WellKnownName {}
public struct Network: WellKnownName {}
public struct NetworkMonitor: WellKnownName {}
public struct ObservationRequest: WellKnownName {}
public struct OptionalChallengeAnswer: WellKnownName {}
public struct Reachability: WellKnownName {}
public struct RetryStrategy: WellKnownName {}
public struct SSEClient: WellKnownName {}
public struct SSEEvent: WellKnownName {}
public struct SSEParser: WellKnownName {}
public struct ServerEvent: WellKnownName {}
public struct ServerSentEventError: WellKnownName {}
public struct ServerSentEventParser: WellKnownName {}
public struct ServerSentEventSource: WellKnownName {}
public struct ServerSentEvents: WellKnownName {}
public struct StreamEvent: WellKnownName {}
public struct TransportSecurity: WellKnownName {}
public struct URLSessionClient: WellKnownName {}
public struct URLSessionTransport: WellKnownName {}
public struct WebSocketConnection: WellKnownName {}
public struct WebSocketEvent: WellKnownName {}
public struct WebSocketMessage: WellKnownName {}
