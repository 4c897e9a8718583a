/// In place of a number of bytes: it isn't known.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

/// Key in an error's `userInfo`: what `downloadTask(withResumeData:)` needs to resume, as `Data`.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

/// Key in an error's `userInfo`: what `uploadTask(withResumeData:)` needs to resume, as `Data`.
public let NSURLSessionUploadTaskResumeData = "NSURLSessionUploadTaskResumeData"
